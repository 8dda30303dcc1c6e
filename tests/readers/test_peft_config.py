"""PEFT's adapter_config.json."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.peft_config.reader import READER
from budgetlint.settings.run import Role, Stack

SEEDS = {
    "peft_adapter_config": "{peft_type: LORA, r: 1, lora_alpha: 1, target_modules: [a], bias: none, lora_dropout: 0}",
}
"""Documents that it claims (`test_marks.py`)."""

LORA = {"peft_type": "LORA", "r": 32, "lora_alpha": 64, "target_modules": ["q_proj"], "base_model_name_or_path": "acme/tiny-1b"}


def document(values: dict, name: str = "adapter_config.json"):
    return load(SourceFile(name, json.dumps(values)))[0]


@pytest.mark.parametrize("values", [LORA, {"peft_type": "IA3"}, {"r": 8, "lora_alpha": 16, "target_modules": ["q_proj"]}])
def test_adapters_are_recognised(values):
    assert identify(document(values)) is READER


@pytest.mark.parametrize(
    "values",
    [{**LORA, "per_device_train_batch_size": 1, "learning_rate": 1e-4}, {"r": 8}, {"r": 8, "lora_alpha": 1}, {"base_model": "x"}, {}],
)
def test_others_are_not(values):
    assert READER.recognise(document(values)) == 0


def test_lora():
    reading = READER.read(document(LORA))
    value = complete(READER, reading.settings, Stack()).value
    assert reading.role is Role.MODEL
    assert [value(name) for name in ("adapter", "lora_r", "lora_alpha", "lora_dropout", "lora_targets", "model")] == [
        "lora", 32, 64.0, 0.0, ("q_proj",), "acme/tiny-1b",
    ]  # fmt: skip


def test_another_method_is_named_and_its_rank_is_not_lora():
    value = READER.read(document({"peft_type": "VERA", "r": 256})).settings.value
    assert (value("adapter"), value("adapter_kind"), value("lora_r")) == ("other", "vera", None)


def test_a_text_of_targets_is_one_expression():
    assert READER.read(document({**LORA, "target_modules": "all-linear"})).settings.value("lora_targets") == ("all-linear",)
