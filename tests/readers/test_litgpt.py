"""LitGPT files for fine-tuning and pretraining."""

from __future__ import annotations

from textwrap import dedent

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.litgpt.reader import READER
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Reading, Setting, Stack

SEEDS = {
    "litgpt": "{train: {global_batch_size: 1, micro_batch_size: 1}, checkpoint_dir: a, model_name: b}",
}
"""Documents that it claims (`test_marks.py`)."""

TUNE = """\
checkpoint_dir: checkpoints/acme/tiny-1b
precision: bf16-true
devices: 1
train:
  global_batch_size: 8
  micro_batch_size: 2
  max_seq_length: 512
optimizer:
  class_path: torch.optim.AdamW
  init_args:
    lr: 2e-4
    betas: [0.9, 0.95]
"""
LORA = TUNE + "lora_r: 32\nlora_query: true\nlora_value: true\nlora_mlp: true\n"
PRETRAIN = TUNE.replace("checkpoint_dir: checkpoints/acme/tiny-1b", "model_name: tiny").replace("devices: 1", "devices: auto")


def document(text: str):
    return load(SourceFile("run.yaml", dedent(text)))[0]


def reading(text: str) -> Reading:
    return READER.read(document(text))


def full(text: str) -> dict[str, Setting]:
    return dict(complete(READER, reading(text).settings, Stack()))


@pytest.mark.parametrize("text", [TUNE, LORA, PRETRAIN])
def test_files_are_recognised(text):
    assert identify(document(text)) is READER


@pytest.mark.parametrize(
    "text",
    ["train:\n  batch_size: 4\nmethod: x\n", "train:\n  global_batch_size: 4\n  micro_batch_size: 1\n", "checkpoint_dir: x\n", ""],
)
def test_other_files_are_not(text):
    assert READER.recognise(document(text)) == 0


def test_one_device_has_neither_shards_nor_checkpointing():
    found = full(TUNE)
    assert [found[name].value for name in ("shard", "recompute", "grad_accum", "loss", "model_code", "learning_rate")] == [
        "none", "none", 4, "chunked", "litgpt", 2e-4,
    ]  # fmt: skip


def test_several_devices_shard_and_checkpoint_every_block():
    found = full(TUNE.replace("devices: 1", "devices: 2"))
    assert [found[name].value for name in ("shard", "recompute", "grad_accum")] == ["fsdp", "full", 2]


def test_lora_on_several_devices_depends_on_the_version():
    assert full(LORA.replace("devices: 1", "devices: 2"))["shard"].readings == ("fsdp2", "fsdp")


def test_lora_switches_are_targets():
    found = full(LORA)
    assert found["lora_targets"].value == ("q_proj", "v_proj", "gate_proj", "up_proj", "down_proj")
    assert (found["adapter"].value, found["adapter_dtype"].value) == ("lora", "bf16")


def test_query_and_value_are_on_when_unsaid():
    assert full(TUNE + "lora_r: 8\n")["lora_targets"].value == ("q_proj", "v_proj")


@pytest.mark.parametrize(
    ("word", "kind", "double"),
    [("bnb.nf4", "nf4", False), ("bnb.nf4-dq", "nf4", True), ("bnb.fp4-dq", "fp4", True), ("bnb.int8-training", "int8", False)],
)
def test_quantised_weights_bring_a_paged_optimizer(word, kind, double):
    found = full(LORA + f"quantize: {word}\n")
    assert (found["quant"].value, found["quant_double"].value) == (kind, double)
    assert found["optimizer"].value == "paged_adamw_32bit"
    assert found["optimizer"].is_default


def test_an_unknown_quantisation_is_told():
    assert "nf4" in reading(LORA + "quantize: nf4\n").misreads[0].message


@pytest.mark.parametrize(
    ("word", "weights", "autocast"),
    [("bf16-true", "bf16", "none"), ("bf16-mixed", "fp32", "bf16"), ("16-mixed", "fp32", "fp16"), ("32-true", "fp32", "none")],
)
def test_precision(word, weights, autocast):
    found = full(TUNE.replace("bf16-true", word))
    assert (found["weights_dtype"].value, found["autocast"].value) == (weights, autocast)


def test_no_precision_is_mixed():
    found = full(TUNE.replace("bf16-true", ""))
    assert (found["weights_dtype"].value, found["autocast"].value) == ("fp32", "bf16")


def test_a_wrong_precision_is_told():
    assert "bf16-pure" in reading(TUNE.replace("bf16-true", "bf16-pure")).misreads[0].message


def test_pretraining_takes_all_devices_and_compiles():
    found = full(PRETRAIN)
    assert (found["task"].value, found["devices_per_node"].state, found["compile"].value) == ("pretrain", "auto", True)
    assert "shard" not in found


def test_the_numbers_of_a_model_config():
    block = """\
        model_config:
          block_size: 256
          padded_vocab_size: 32000
          n_layer: 6
          n_head: 6
          n_query_groups: 3
          n_embd: 288
          bias: false
          norm_class_name: RMSNorm
          mlp_class_name: LLaMAMLP
          intermediate_size: 768
    """
    numbers = dict(reading(PRETRAIN + dedent(block)).settings.value("model_custom"))
    assert (numbers["hidden"], numbers["kv_heads"], numbers["glu"], numbers["norm"], numbers["qkv_bias"]) == (
        288,
        3,
        True,
        "rmsnorm",
        False,
    )


def test_an_empty_model_config_leaves_the_name():
    assert reading(PRETRAIN + "model_config:\n").settings.value("model") == "tiny"


@pytest.mark.parametrize(
    ("command", "adapter", "rank"),
    [
        ("litgpt finetune_lora --config run.yaml", "lora", 8),
        ("litgpt finetune_lora --config run.yaml --lora_r 64 --train.micro_batch_size 4", "lora", 64),
        ("litgpt finetune_full --config run.yaml", "none", None),
    ],
)
def test_the_command_decides_the_method(command, adapter, rank):
    (context,) = judge_texts({"run.yaml": TUNE, "run.sh": command + "\n"}).runs
    value = context.run.settings.value
    assert (value("adapter"), value("lora_r")) == (adapter, rank)


def test_flags_alone_are_a_run():
    command = "litgpt finetune_lora --checkpoint_dir checkpoints/acme/tiny-1b --quantize bnb.nf4 --train.max_seq_length 256\n"
    (context,) = judge_texts({"run.sh": command}).runs
    value = context.run.settings.value
    assert (value("model"), value("quant"), value("seq_len"), value("adapter")) == ("checkpoints/acme/tiny-1b", "nf4", 256, "lora")


def test_a_null_length_is_unbounded():
    assert reading(TUNE.replace("max_seq_length: 512", "max_seq_length:")).settings["seq_len"].state == "unbounded"
