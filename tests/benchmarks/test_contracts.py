"""What a class refuses, read from its code: each way to write it, as the condition over what was given."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from contracts.code import Class, Release
from contracts.fields import fields_of_class
from contracts.formulas import is_opaque
from contracts.read import read
from contracts.sources import VALIDATORS, Contract, Walked
from contracts.state import Row, row_text
from contracts.symbolic import Walker
from contracts.witness import nested, witness

from budgetlint.contracts.expression import parse

HEAD = """\
from dataclasses import dataclass, field
from enum import Enum

class Strategy(Enum):
    NO = "no"
    STEPS = "steps"

LOSSES = ("nll", "dft")

@dataclass
class Base:
    steps: int = 10
    def check(self, least):
        if self.steps < least:
            raise ValueError

@dataclass
class Arguments(Base):
    strategy: Strategy = "no"
    loss: str = "nll"
    names: list = field(default_factory=list)
    on: bool = False
    other: bool = False
    every: int = None
    def leaves(self):
        if not self.on:
            return
        self.steps = 0
    def __post_init__(self):
"""


def rows(tmp_path: Path, body: str) -> list[str]:
    text = HEAD + "\n".join(f"        {line}" for line in body.splitlines()) + "\n"
    (tmp_path / "made.py").write_text(text, encoding="utf-8")
    contract = Contract("Arguments", {"self": ("made.Arguments",)}, (Walked("__post_init__"),), "dataclass", "made.Arguments")
    found = read(Release(tmp_path, {}), contract)
    assert found is not None
    decided = [
        f"{row.kind}: {ast.unparse(row.when)}" for row, _ in found.rows if "choice: strategy is not None" not in ast.unparse(row.when)
    ]
    return [one for one in decided if not one.startswith("choice: strategy is not None and")]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("if self.on and self.other:\n    raise ValueError", ["raise: on and other"]),
        ("assert not self.on", ["assert: on"]),
        ("assert self.steps > 0", ["assert: not steps > 0"]),
        ("if self.on:\n    return\nif self.other:\n    raise ValueError", ["raise: not on and other"]),
        ("if self.on:\n    raise KeyError\nif self.other:\n    raise ValueError", ["raise: on", "raise: other"]),
        ("self.check(1)", ["raise: steps < 1"]),
        ("unknown(**self.check(1))", ["raise: steps < 1"]),
        ("self.strategy = Strategy(self.strategy)", ["choice: strategy not in ['no', 'steps']"]),
        (
            "self.strategy = Strategy(self.strategy)\nif self.strategy == Strategy.STEPS and self.steps == 0:\n    raise ValueError",
            ["choice: strategy not in ['no', 'steps']", "raise: strategy == 'steps' and steps == 0"],
        ),
        ("if self.every is None:\n    self.every = self.steps\nif self.every < 2:\n    raise ValueError",
         ["raise: (steps if every is None else every) < 2"]),
        ("if self.loss not in LOSSES:\n    raise ValueError", ["raise: loss not in ['nll', 'dft']"]),
        ("for name in ('on', 'other'):\n    if getattr(self, name):\n        raise ValueError", ["raise: on", "raise: other"]),
        ("for name in self.names:\n    if name == 'x':\n        raise ValueError", ["raise: any((_name0 == 'x' for _name0 in names))"]),
        ("import warnings\nif self.on:\n    warnings.warn('text')", ["warn: on"]),
        ("import os\nif os.path.exists('x'):\n    raise ValueError", []),
        ("try:\n    x = int(self.loss)\nexcept ValueError:\n    raise TypeError", []),
        # a way that leaves early leaves the fields as they were
        ("self.leaves()\nif self.steps == 0:\n    raise ValueError", ["raise: (steps if not on else 0) == 0"]),
        ("for one in self.names:\n    if one:\n        return\nif self.on:\n    raise ValueError", []),
        ("found = [n for n in ('on', 'other') if getattr(self, n)]\nif found:\n    raise ValueError", ["raise: on or other"]),
        ("if len([n for n in ('on', 'other') if getattr(self, n)]) > 1:\n    raise ValueError",
         ["raise: len((['on'] if on else []) + (['other'] if other else [])) > 1"]),
        # two conditions that are not followed are not one: each way stays
        ("def guess():\n    if some():\n        return self.steps\n    if not other():\n        return self.every\n    return 0\n"
         "if guess() == 0:\n    raise ValueError",
         ["raise: (steps if __opaque__ else every if not __opaque__ else 0 if not __opaque__ and __opaque__ else None) == 0"]),
        ("raised = self.steps * 2\nif raised > 30:\n    raise ValueError", ["raise: steps * 2 > 30"]),
    ],
)  # fmt: skip
def test_conditions_are_over_what_was_given(tmp_path: Path, body: str, said: list[str]) -> None:
    assert rows(tmp_path, body) == said


def test_fields_have_defaults_choices_and_owners(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(HEAD + "        pass\n", encoding="utf-8")
    release = Release(tmp_path, {})
    found = release.find("made.Arguments")
    assert isinstance(found, Class)
    fields = fields_of_class(release, found)
    assert {name: one.default for name, one in fields.items()} == {
        "steps": 10, "strategy": "no", "loss": "nll", "names": [], "on": False, "other": False, "every": None,
    }  # fmt: skip
    assert fields["strategy"].choices == ("no", "steps")
    assert fields["steps"].owner == "Base"


def test_a_witness_is_the_smallest_change(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(HEAD + "        pass\n", encoding="utf-8")
    release = Release(tmp_path, {})
    found = release.find("made.Arguments")
    assert isinstance(found, Class)
    fields = fields_of_class(release, found)
    assert witness(parse("on and steps % 4 != 0"), fields, {}) == ({"on": True}, {})
    assert witness(parse("on and steps > 10"), fields, {}) == ({"on": True, "steps": 11}, {"steps": 11})


def test_a_part_that_stands_twice_keeps_its_parentheses() -> None:
    part = parse("a if b else c")
    row = Row(ast.IfExp(part, part, part), "raise", "made.py", 1, 1, "")
    assert row_text(row) == "(a if b else c) if (a if b else c) else a if b else c"


def test_what_is_not_followed_is_opaque(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(HEAD + "        pass\n", encoding="utf-8")
    walker = Walker(Release(tmp_path, {}), lambda _name: True)
    assert walker.rows == []
    assert is_opaque(ast.parse("__opaque__ and on", mode="eval").body)


CONFIG = """\
data:
  batch: 8
  copy: ${oc.select:data.batch,1}
trainer:
  gpus: 4
  per: ${.gpus}
  name: run_${data.batch}
actor:
  _target_: made.Actor
  mini: 4
  mode: mean
"""
PROGRAM = """\
from dataclasses import dataclass
from maker import *

@dataclass
class Actor:
    mini: int = 1
    mode: str = "sum"
    extra: int = 0
    def __post_init__(self):
        if self.mode not in ["mean", "sum"]:
            raise ValueError
    def validate(self, batch):
        if batch < self.mini:
            raise ValueError

def check(config, critic):
    def least(value, name):
        if value is None:
            raise ValueError(name)
    made = to_object(config.actor)
    made.validate(config.data.batch)
    if critic:
        least(config.data.get("copy", 3), "data")
    if config.other.megatron.size > 1:
        raise ValueError
"""
MAKER = """\
def wants(config):
    if config.trainer.per is not None:
        return bool(config.trainer.per)
    elif config.trainer.gpus == 1:
        return True
    else:
        return False
"""


def test_a_config_that_is_a_tree_gives_dotted_fields_and_the_checks_of_its_objects(tmp_path: Path) -> None:
    for name, text in (("config.yaml", CONFIG), ("made.py", PROGRAM), ("maker.py", MAKER)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    walked = Walked("made", {"config": "config"}, code="check(config, wants(config))")
    contract = Contract("made", {"config": ()}, (walked,), "none", "none", as_given=("config",), config="config.yaml", makes=("to_object",))
    found = read(Release(tmp_path, {}), contract)
    assert found is not None
    assert {name: one.default for name, one in found.fields.items()} == {
        "data.batch": 8, "data.copy": "${data.batch}", "trainer.gpus": 4, "trainer.per": "${trainer.gpus}", "trainer.name": "__missing__",
        "actor.mini": 4, "actor.mode": "mean", "actor.extra": 0,
    }  # fmt: skip
    assert [ast.unparse(row.when) for row, _ in found.rows] == [
        "actor.mode not in ['mean', 'sum']",
        "data.batch < actor.mini",
        "(bool(trainer.per) if trainer.per is not None else trainer.gpus == 1) and data.copy is None",
    ]


PARSER = """\
import argparse
def train(args):
    assert args.ds.size > 0
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ds.size", type=int, default=1)
    parser.add_argument("--ds.kind", type=str, default="a", choices=["a", "b"])
    parser.add_argument("--packing-samples", action="store_true")
    parser.add_argument("--betas", type=float, nargs=2, default=(0.9, 0.95))
    args = parser.parse_args()
    if args.ds.size > 1:
        assert args.packing_samples
    train(args)
"""


def test_flags_of_a_parser_and_what_the_program_checks_behind_it(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(PARSER, encoding="utf-8")
    walked = Walked("made", parsed={"parser.parse_args": ("args",)}, code="__main__")
    found = read(Release(tmp_path, {}), Contract("made", {"args": ()}, (walked,), "none", "none", parser="made"))
    assert found is not None
    assert {name: (one.type, one.default) for name, one in found.fields.items()} == {
        "ds.size": ("int", 1), "ds.kind": ("str", "a"), "packing_samples": ("bool", False), "betas": ("list[float]", [0.9, 0.95]),
    }  # fmt: skip
    assert [ast.unparse(row.when) for row, _ in found.rows] == [
        "ds.kind is not None and ds.kind not in ['a', 'b']",
        "ds.size > 1 and (not packing_samples)",
        "not ds.size > 0",
    ]


MODEL = """\
from typing import Literal
from pydantic import BaseModel, Field, PositiveInt, field_validator, model_validator

class Inner(BaseModel):
    beta: float | None = None
    share: float = 0.5

class Mixed:
    @model_validator(mode="before")
    @classmethod
    def first_defined(cls, data):
        %s
        return data

class Model(Mixed, BaseModel):
    rl: Literal["dpo", "grpo"] | None = None
    steps: PositiveInt | None = None
    warm: float = Field(default=0.1, ge=0)
    names: list[str] | None = None
    inner: Inner | None = None

    @model_validator(mode="before")
    @classmethod
    def last_defined(cls, data):
        %s
        return data

    @field_validator("names", mode="before")
    @classmethod
    def one_name(cls, names):
        return [names] if isinstance(names, str) else names

    @model_validator(mode="after")
    def checked(self):
        %s
        return self
"""


def model_rows(
    tmp_path: Path, first: str = "pass", last: str = "pass", after: str = "pass", kinds: tuple[str, ...] = ("raise",)
) -> list[str]:
    (tmp_path / "made.py").write_text(MODEL % (first, last, after), encoding="utf-8")
    found = read(Release(tmp_path, {}), Contract("Model", {"self": ("made.Model",)}, (Walked(VALIDATORS),), "pydantic", "made.Model"))
    assert found is not None
    return [ast.unparse(row.when) for row, _ in found.rows if row.kind in kinds]


@pytest.mark.parametrize(
    ("first", "last", "after", "said"),
    [
        ("if data.get('rl') and data.get('steps'): raise ValueError", "pass", "pass", ["rl and steps"]),
        # what was written has no default; the model has
        ("if data.get('warm'): raise ValueError", "pass", "pass", ["given.warm"]),
        ("pass", "pass", "if self.warm: raise ValueError", ["warm"]),
        ("if 'rl' in data: raise ValueError", "pass", "pass", ["rl is not None"]),
        # a key that is no field
        ("if data.get('removed'): raise ValueError", "pass", "pass", ["removed"]),
        # validators before the model run last defined first
        ("if data.get('rl') == 'dpo': raise ValueError", "data['rl'] = 'dpo'", "pass", ["True"]),
        ("data['rl'] = 'dpo'", "if data.get('rl') == 'dpo': raise ValueError", "pass", ["rl == 'dpo'"]),
        ("pass", "data['steps'] = data.get('steps') or 5", "if self.steps == 5: raise ValueError", ["(steps or 5) == 5"]),
        ("pass", "pass", "if self.inner and self.inner.beta: raise ValueError", ["inner and inner.beta"]),
        ("pass", "pass", "if self.inner.share > 1: raise ValueError", ["(inner.share if inner.share is not None else 0.5) > 1"]),
    ],
)
def test_validators_of_a_pydantic_model(tmp_path: Path, first: str, last: str, after: str, said: list[str]) -> None:
    found = model_rows(tmp_path, first, last, after)
    assert found == [one for one in said if one != "True"]


def test_types_of_a_pydantic_model(tmp_path: Path) -> None:
    assert model_rows(tmp_path, kinds=("choice", "bound")) == [
        "rl is not None and rl not in ['dpo', 'grpo']",
        "warm is not None and warm < 0",
    ]
    # ``names`` is changed by a validator; a number may be written as a text
    kinds = [one for one in model_rows(tmp_path, kinds=("type",)) if not one.startswith("isinstance(inner")]
    assert kinds == [
        *(f"isinstance(rl, '{kind}')" for kind in ("int", "float", "list", "dict")),
        *(f"isinstance({name}, '{kind}')" for name in ("steps", "warm") for kind in ("list", "dict")),
    ]


def test_a_witness_writes_nested_keys(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(MODEL % ("pass", "pass", "pass"), encoding="utf-8")
    release = Release(tmp_path, {})
    found = release.find("made.Model")
    assert isinstance(found, Class)
    fields = fields_of_class(release, found)
    tried = witness(parse("rl == 'grpo' and get(inner or {}, 'beta') == 3"), fields, {})
    assert tried is not None
    assert tried[0] == {"rl": "grpo", "inner": {"beta": 3}}
    assert nested({"rl": "dpo", "inner.beta": 1}) == {"rl": "dpo", "inner": {"beta": 1}}
