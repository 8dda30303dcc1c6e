"""oumi training files."""

from __future__ import annotations

from textwrap import dedent

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.oumi.reader import READER
from budgetlint.settings.run import Reading, Setting, Stack

SEEDS = {
    "oumi": "{model: {model_name: m}, training: {trainer_type: TRL_SFT, output_dir: o, learning_rate: 1, optimizer: a, max_steps: 1}}",
}
"""Documents that it claims (`test_marks.py`)."""

BASE = """\
model:
  model_name: acme/tiny-1b
  model_max_length: 2048
  torch_dtype_str: bfloat16
training:
  trainer_type: TRL_SFT
  per_device_train_batch_size: 2
  enable_gradient_checkpointing: True
  optimizer: adamw_torch_fused
"""
LORA = BASE + "  use_peft: True\npeft:\n  lora_r: 64\n  lora_target_modules: [q_proj, v_proj]\n"


def document(text: str):
    return load(SourceFile("train.yaml", dedent(text)))[0]


def reading(text: str) -> Reading:
    return READER.read(document(text))


def full(text: str) -> dict[str, Setting]:
    return dict(complete(READER, reading(text).settings, Stack()))


@pytest.mark.parametrize("text", [BASE, LORA])
def test_training_files_are_recognised(text):
    assert identify(document(text)) is READER


@pytest.mark.parametrize(
    "text",
    [
        "model:\n  model_name: x\ngeneration:\n  max_new_tokens: 1\n",
        "model:\n  model_name: x\ntraining:\n  learning_rate: 1\n  optimizer: x\n  max_steps: 1\n",
        "training:\n  trainer_type: TRL_SFT\n",
        "",
    ],
)
def test_others_are_not(text):
    assert READER.recognise(document(text)) == 0


def test_weights_train_in_their_own_dtype_unless_mixed():
    found = full(BASE)
    assert [found[name].value for name in ("model", "seq_len", "weights_dtype", "autocast", "task", "recompute", "optimizer_impl")] == [
        "acme/tiny-1b", 2048, "bf16", "none", "sft", "full", "fused",
    ]  # fmt: skip
    assert full(BASE + "  mixed_precision_dtype: BF16\n")["autocast"].value == "bf16"


def test_lora_keys_count_with_use_peft_only():
    found = full(LORA)
    assert (found["adapter"].value, found["lora_r"].value, found["lora_alpha"].value) == ("lora", 64, 8.0)
    assert "lora_r" not in full(LORA.replace("use_peft: True", "use_peft: False"))


@pytest.mark.parametrize(
    ("extra", "kind"),
    [("", "fp4"), ("  bnb_4bit_quant_type: nf4\n", "nf4"), ("  q_lora_bits: 8\n", "int8")],
)
def test_qlora_casts_the_rest_to_float32(extra, kind):
    found = full(LORA + "  q_lora: True\n" + extra)
    assert (found["quant"].value, found["quant_upcast"].value) == (kind, "all")


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("fsdp:\n  enable_fsdp: True\n  auto_wrap_policy: TRANSFORMER_BASED_WRAP\n", "wrap", "layer"),
        ("fsdp:\n  enable_fsdp: True\n", "wrap", "none"),
        ("fsdp:\n  enable_fsdp: True\n  sharding_strategy: HYBRID_SHARD\n", "shard_strategy", "hybrid"),
        ("fsdp:\n  enable_fsdp: True\n  cpu_offload: True\n", "offload_optimizer", "cpu"),
        ("fsdp:\n  enable_fsdp: False\n  cpu_offload: True\n", "offload_optimizer", None),
        ("deepspeed:\n  enable_deepspeed: True\n  zero_stage: ZERO_3\n", "shard", "zero3"),
        ("deepspeed:\n  enable_deepspeed: True\n  zero_stage: ZERO_2\n  precision: BF16\n", "engine_dtype", "bf16"),
        ("deepspeed:\n  enable_deepspeed: True\n", "shard", "ddp"),
        ("deepspeed:\n  enable_deepspeed: True\n  zero_stage: ZERO_3\n  offload_param:\n    device: CPU\n", "offload_params", "cpu"),
    ],
)
def test_distribution(section, name, value):
    found = full(BASE + section).get(name)
    assert (found.value if found else None) == value


def test_a_deepspeed_file_is_named():
    text = BASE + "deepspeed:\n  enable_deepspeed: True\n  deepspeed_config_path: ds.json\n"
    assert [found.text for found in reading(text).references] == ["ds.json"]


def test_trl_fills_in_for_its_trainers_and_transformers_for_the_rest():
    assert full(BASE.replace("  model_max_length: 2048\n", ""))["seq_len"].value == 1024
    assert "seq_len" not in full(BASE.replace("  model_max_length: 2048\n", "").replace("TRL_SFT", "HF"))


def test_a_wrong_trainer_is_told():
    assert "TRL_SFX" in reading(BASE.replace("TRL_SFT", "TRL_SFX")).misreads[0].message
