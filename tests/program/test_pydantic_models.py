"""Configs that models of pydantic check: the models below them, the numbers of texts, and what they refuse."""

from __future__ import annotations

import pytest

from budgetlint.program.follow import Followed, follow
from budgetlint.program.modules import Trees
from tests.program.beside import files_of

SCRIPT = """\
import yaml
from typing import List, Optional
from pydantic import BaseModel, ConfigDict, Field, field_validator
from transformers import TrainingArguments

class Batch(BaseModel):
    size: int = Field(default=4, gt=0, le=64)
    steps: "int" = Field(2, ge=1)

class Rate(BaseModel):
    lr: float = Field(default=3e-4, gt=0.0)

class Train(BaseModel):
    batch: Batch = Field(default_factory=Batch)
    rate: Optional[Rate] = None
    more: List[Rate] = []
    #
    max_steps: int = Field(default=0, ge=0)

class Config(BaseModel):
    training: Train

cfg = Config(**yaml.safe_load(open("a.yaml")))
t = cfg.training
TrainingArguments("o", per_device_train_batch_size=t.batch.size, gradient_accumulation_steps=t.batch.steps, max_steps=t.max_steps{more})
"""
FORBIDS = "model_config = ConfigDict(extra='forbid')"


def followed(config: str, more: str = "", mark: str = "#", call: str = "") -> Followed:
    script = SCRIPT.replace("{more}", more).replace("    #\n", f"    {mark}\n")
    line = 'cfg = Config(**yaml.safe_load(open("a.yaml")))'
    return follow(Trees(files_of({"train.py": script.replace(line, call or line), "a.yaml": config})), "train.py")


@pytest.mark.parametrize(
    ("config", "more", "says"),
    [
        ("training: {}\n", "", "size=4, gradient_accumulation_steps=2, max_steps=0"),
        ("training: {batch: {size: 8}}\n", "", "size=8, gradient_accumulation_steps=2, max_steps=0"),
        ("training: {batch: {size: '8'}, other: 1}\n", "", "size=8, gradient_accumulation_steps=2, max_steps=0"),
        ("training: {rate: {lr: 2e-4}}\n", ", learning_rate=t.rate.lr", "learning_rate=0.0002"),
        ("training: {rate: {lr: 1}}\n", ", learning_rate=t.rate.lr", "learning_rate=1.0"),
        ("training: {more: [{lr: 2e-4}, {}]}\n", ", learning_rate=t.more[0].lr, weight_decay=t.more[1].lr", "weight_decay=0.0003"),
    ],
)
def test_models_below_a_model_are_made_of_mappings(config: str, more: str, says: str) -> None:
    found = followed(config, more)
    assert says in str(found.sinks[0])
    assert not found.refusals


@pytest.mark.parametrize(
    ("config", "mark", "why"),
    [
        ("training: {max_steps: -1}\n", "#", "max_steps is -1, and must be >= 0"),
        ("training: {batch: {size: 0}}\n", "#", "size is 0, and must be > 0"),
        ("training: {batch: {size: 65}}\n", "#", "size is 65, and must be <= 64"),
        ("training: {rate: {lr: -2e-4}}\n", "#", "lr is -0.0002, and must be > 0.0"),
        ("training: {steps: 1}\n", FORBIDS, "it forbids keys without a field, and has none for steps"),
        ("training: {steps: 1}\n", "class Config:\n        extra = 'forbid'", "it forbids keys without a field, and has none for steps"),
    ],
)
def test_what_a_model_refuses(config: str, mark: str, why: str) -> None:
    (refusal,) = followed(config, mark=mark).refusals
    assert why in refusal.condition
    assert [one.place.path for one in refusal.because] == ["a.yaml"]


@pytest.mark.parametrize(
    ("config", "mark", "call"),
    [
        ("training: {steps: 1}\n", "model_config = ConfigDict(extra='ignore')", ""),
        ("training: {steps: 1}\n", f"{FORBIDS}\n    other: int = Field(1, alias='steps')", ""),
        ("training: {max_steps: -1}\n", "@field_validator('max_steps', mode='before')\n    def f(cls, v): return 0", ""),
        (
            "training: {max_steps: -1}\n",
            "#",
            "try:\n    cfg = Config(**yaml.safe_load(open('a.yaml')))\nexcept ValueError:\n    cfg = Config(training={})",
        ),
        ("training: {batch: {size: 64, steps: 1}}\n", "#", ""),
    ],
    ids=["ignored", "another name", "changed before", "caught", "at the bound"],
)
def test_what_is_not_refused(config: str, mark: str, call: str) -> None:
    assert not followed(config, mark=mark, call=call).refusals
