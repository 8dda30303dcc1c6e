"""Whatever stands behind a key, the Hugging Face and DeepSpeed readers answer with settings and misreads, never with an exception."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers.base import complete, names
from budgetlint.readers.deepspeed import reader as deepspeed
from budgetlint.readers.hf import keys as hf_keys
from budgetlint.readers.hf.reader import READERS
from budgetlint.settings.run import Stack
from budgetlint.settings.vocabulary import SETTINGS

ODD = [
    None,
    "",
    "auto",
    "none",
    "${x}",
    "no",
    True,
    False,
    -1,
    0,
    1.5,
    10**30,
    1e308,
    "1e999",
    "nan",
    [],
    [1],
    ["a", {}],
    {},
    {"a": {}},
    {"device": {}},
]
OTHERS = names("""
bf16 fp16 optim deepspeed fsdp fsdp_config max_length block_size max_prompt_length max_completion_length loss_type use_peft
peft_config lora quantization_config load_in_4bit load_in_8bit bits bnb_4bit_quant_type
    gradient_checkpointing beta output_dir
gradient_checkpointing_kwargs activation_checkpointing use_liger_kernel liger_kernel_config model_init_kwargs""")
HF_KEYS = sorted({key.path.partition(".")[0] for key in (*hf_keys.TRAINING, *hf_keys.MODEL, *hf_keys.LORA)} | OTHERS)
DS_KEYS = sorted(
    {key.path for key in deepspeed._KEYS}
    | {"fp16", "fp16.enabled", "bf16", "bf16.enabled", "optimizer", "optimizer.type", "optimizer.params"}
)
TWINS = {
    "use_peft": True,
    "load_in_4bit": True,
    "fsdp": "full_shard",
    "gradient_checkpointing": True,
    "dataset_name": "d",
    "use_liger_kernel": True,
}


def nested(path: str, value: object) -> dict:
    head, _, rest = path.partition(".")
    return {head: nested(rest, value) if rest else value}


@pytest.mark.parametrize("key", HF_KEYS)
def test_any_value_behind_a_trainer_key(key):
    for value in ODD:
        (document,) = load(SourceFile("a.json", json.dumps({**TWINS, key: value})))
        for reader in READERS:
            assert set(complete(reader, reader.read(document).settings, Stack())) <= set(SETTINGS)
            assert reader.recognise(document) >= 0


@pytest.mark.parametrize("key", DS_KEYS)
def test_any_value_behind_an_engine_key(key):
    for value in ODD:
        (document,) = load(SourceFile("a.json", json.dumps(nested(key, value))))
        assert set(complete(deepspeed.READER, deepspeed.READER.read(document).settings, Stack())) <= set(SETTINGS)
