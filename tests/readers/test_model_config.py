"""A model's config.json."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.model_config.reader import READER
from budgetlint.settings.run import Role

SEEDS = {
    "model_config": "{architectures: [A], model_type: a, hidden_size: 1, num_hidden_layers: 1, num_attention_heads: 1, vocab_size: 1}",
}
"""Documents that it claims (`test_marks.py`)."""

SHAPE = {"hidden_size": 640, "num_hidden_layers": 12, "num_attention_heads": 10, "vocab_size": 32000}
LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", **SHAPE}


def document(values: dict, name: str = "model/config.json"):
    return load(SourceFile(name, json.dumps(values)))[0]


@pytest.mark.parametrize(
    "values",
    [
        LLAMA,
        {"model_type": "llama", **SHAPE},
        SHAPE,
        {"architectures": ["X"], "text_config": {}},
        {"architectures": ["X"], "model_type": "y"},
    ],
)
def test_model_configs_are_recognised(values):
    assert identify(document(values)) is READER


@pytest.mark.parametrize(
    "values",
    [
        {"model_type": "llama"},
        {"architectures": ["X"]},
        {**LLAMA, "learning_rate": 1},
        {**SHAPE, "pipe_parallel_size": 1},
        {"base_model": "x"},
        {},
    ],
)
def test_others_are_not(values):
    assert READER.recognise(document(values)) == 0


def test_it_is_the_model_of_who_names_it():
    reading = READER.read(document(LLAMA))
    assert reading.role is Role.MODEL
    assert reading.settings.value("model") == "model/config.json"


@pytest.mark.parametrize(
    ("block", "quant"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "gptq"),
        ({"quant_method": "awq", "bits": 4}, "awq"),
        ({"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4"),
    ],
)
def test_a_quantised_checkpoint(block, quant):
    assert READER.read(document({**LLAMA, "quantization_config": block})).settings.value("quant") == quant
