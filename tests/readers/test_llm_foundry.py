"""LLM Foundry: training, evaluation, and inside an mcli job."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.llm_foundry.reader import READER
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Reading, Role, Setting, Stack

SEEDS = {
    "llm_foundry": "{train_loader: {}, device_train_microbatch_size: 1, global_train_batch_size: 1, max_duration: 1ba, optimizer: {}}",
    "llm_foundry job": "{parameters: {train_loader: {}, device_train_microbatch_size: 1, global_train_batch_size: 1, max_duration: 1ba}}",
    "llm_foundry evaluation": "{models: [], icl_tasks: a, device_eval_batch_size: 1, precision: fp32}",
}
"""Documents that it claims (`test_marks.py`)."""

BASE = """\
variables:
  max_seq_len: 4096
max_seq_len: ${variables.max_seq_len}
model:
  name: hf_causal_lm
  pretrained_model_name_or_path: acme/tiny-1b
train_loader:
  name: finetuning
  dataset:
    max_seq_len: ${max_seq_len}
optimizer:
  name: decoupled_adamw
  lr: 1.0e-5
  betas: [0.9, 0.95]
max_duration: 2ep
global_train_batch_size: 64
device_train_microbatch_size: 4
precision: amp_bf16
fsdp_config:
  sharding_strategy: SHARD_GRAD_OP
  activation_checkpointing: true
"""
MPT = BASE.replace(
    "hf_causal_lm\n  pretrained_model_name_or_path: acme/tiny-1b", "mpt_causal_lm\n  d_model: 768\n  n_heads: 12\n  n_layers: 12"
)
EVAL = "models:\n- model_name: x\nicl_tasks: tasks.yaml\ndevice_eval_batch_size: 4\nprecision: amp_bf16\n"
JOB = "command: composer train.py /mnt/config/parameters.yaml\ncompute:\n  gpus: 16\nparameters:\n" + indent(BASE, "  ")


def document(text: str):
    return load(SourceFile("run.yaml", dedent(text)))[0]


def reading(text: str) -> Reading:
    return READER.read(document(text))


def full(text: str) -> dict[str, Setting]:
    return dict(complete(READER, reading(text).settings, Stack()))


@pytest.mark.parametrize(("text", "role"), [(BASE, Role.TRAINER), (JOB, Role.TRAINER), (MPT, Role.TRAINER), (EVAL, Role.INFERENCE)])
def test_files_are_recognised(text, role):
    assert identify(document(text)) is READER
    assert reading(text).role is role


OLMO = "device_train_microbatch_size: 2\nglobal_train_batch_size: 64\nmax_duration: 1ep\noptimizer:\n  name: adamw\nmodel:\n  d_model: 8\n"


@pytest.mark.parametrize("text", [OLMO, EVAL.replace("precision: amp_bf16\n", ""), "train_loader: x\n", ""])
def test_others_are_not(text):
    assert READER.recognise(document(text)) == 0


@pytest.mark.parametrize("text", [BASE, JOB])
def test_references_are_seen_through_in_both_shapes(text):
    found = reading(text).settings
    assert [found.value(name) for name in ("seq_len", "model", "micro_batch", "global_batch", "autocast", "shard", "shard_strategy")] == [
        4096, "acme/tiny-1b", 4, 64, "bf16", "fsdp", "grad-op",
    ]  # fmt: skip


def test_the_devices_of_a_job_give_the_accumulation():
    assert full(JOB)["devices"].value == 16
    assert full(JOB)["grad_accum"].value == 1
    assert "grad_accum" not in full(BASE)


@pytest.mark.parametrize(
    ("old", "new", "name", "value"),
    [
        ("size: 4\n", "size: auto\n", "micro_batch", None),
        ("2ep", "4800ba", "max_steps", 4800),
        ("2ep", "2ep", "num_epochs", 2.0),
        ("name: finetuning", "name: text", "task", "pretrain"),
        ("name: finetuning", "name: text", "packing", True),
        ("name: finetuning", "name: finetuning", "pad_to_seq_len", True),
        ("    max_seq_len: ${max_seq_len}", "    packing_ratio: auto", "packing", True),
        ("precision: amp_bf16", "precision: fp32", "autocast", "none"),
        ("checkpointing: true", "checkpointing: false", "recompute", "none"),
        ("checkpointing: true", "checkpointing: true\n  activation_cpu_offload: true", "recompute_offload", True),
        ("tiny-1b", "tiny-1b\n  use_flash_attention_2: true", "attention", "flash"),
        ("tiny-1b", "tiny-1b", "attention", "eager"),
        ("tiny-1b", "tiny-1b\n  peft_config:\n    r: 64\n    target_modules: [Wqkv]", "lora_targets", ("Wqkv",)),
        ("max_duration", "compile_config: {}\nmax_duration", "compile", True),
    ],
)
def test_settings(old, new, name, value):
    assert full(BASE.replace(old, new, 1))[name].value == value


def test_weights_are_loaded_in_float32():
    found = full(BASE)
    assert (found["weights_dtype"].value, found["grads_dtype"].value, found["recompute_reentrant"].value) == ("fp32", "fp32", True)


def test_mpt_is_known_by_its_numbers():
    found = full(MPT)
    numbers = dict(found["model_custom"].value)
    assert (numbers["hidden"], numbers["intermediate"], numbers["tied"], numbers["position"]) == (768, 3072, True, "learned")
    assert (found["model_code"].value, found["attention"].value) == ("llm-foundry", "flash")


def test_a_mixture_of_experts_is_known_to_the_code_only():
    text = MPT.replace("  n_layers: 12", "  n_layers: 12\n  ffn_config:\n    ffn_type: mb_dmoe")
    assert reading(text).settings["model"].state == "symbolic"


def test_wrong_values_are_told():
    assert "bf16" in reading(BASE.replace("amp_bf16", "bf16")).misreads[0].message


def test_overrides_of_a_launch_beat_the_file():
    command = "composer train/train.py run.yaml device_train_microbatch_size=2 max_seq_len=1024 fsdp_config.sharding_strategy=FULL_SHARD\n"
    (context,) = judge_texts({"run.yaml": BASE, "run.sh": command}).runs
    assert [context.run.settings.value(name) for name in ("micro_batch", "seq_len", "shard_strategy")] == [2, 1024, "full"]
