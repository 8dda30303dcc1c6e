"""torchtitan job files, new names and old."""

from __future__ import annotations

from textwrap import dedent

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.torchtitan.reader import READER
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Reading, Setting, Stack

SEEDS = {
    "torchtitan": "{training: {}, model: {}, parallelism: {}, optimizer: {}, checkpoint: {}}",
}
"""Documents that it claims (`test_marks.py`)."""

BASE = """\
[job]
dump_folder = "./outputs"

[model]
name = "llama3"
flavor = "8B"

[optimizer]
name = "AdamW"
lr = 3e-4

[metrics]
log_freq = 10

[training]
local_batch_size = 1
seq_len = 8192
"""
OLD = BASE.replace("local_batch_size", "data_parallel_degree = -1\ncompile = true\nbatch_size")


def document(text: str):
    return load(SourceFile("job.toml", dedent(text)))[0]


def reading(text: str) -> Reading:
    return READER.read(document(text))


def full(text: str) -> dict[str, Setting]:
    return dict(complete(READER, reading(text).settings, Stack()))


@pytest.mark.parametrize("text", [BASE, OLD])
def test_job_files_are_recognised(text):
    assert identify(document(text)) is READER


@pytest.mark.parametrize("text", ["[project]\nname = 'x'\n", "[training]\nx = 1\n", "[training]\nx = 1\n[model]\ny = 2\n", ""])
def test_other_toml_is_not(text):
    assert READER.recognise(document(text)) == 0


@pytest.mark.parametrize(
    ("name", "flavor", "model"),
    [
        ("llama3", "405B", "llama-3.1-405b"),
        ("llama3_ft", "8B", "llama-3-8b"),
        ("qwen3", "0.6B", "qwen3-0.6b"),
        ("deepseek_v3", "16B", "deepseek-v2-lite"),
        ("llama4", "17bx16e_irope", "llama-4-scout-17b-16e"),
    ],
)
def test_name_and_flavor_are_a_model(name, flavor, model):
    assert reading(BASE.replace("llama3", name).replace("8B", flavor)).settings.value("model") == model


def test_a_debug_model_is_known_to_the_code_only():
    assert reading(BASE.replace("8B", "debugmodel")).settings["model"].state == "symbolic"


def test_a_wrapped_transformers_model_runs_its_own_code():
    found = full(BASE + '\n[hf_transformers]\nmodel = "Qwen/Qwen3-4B"\n')
    assert (found["model"].value, found["model_code"].value) == ("Qwen/Qwen3-4B", "transformers")


def test_mixed_precision_is_the_default():
    found = full(BASE)
    assert [found[name].value for name in ("weights_dtype", "autocast", "grads_dtype", "shard", "optimizer", "optimizer_impl")] == [
        "fp32", "bf16", "fp32", "fsdp2", "adamw", "fused",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("extra", "name", "value"),
    [
        ('dtype = "bfloat16"', "weights_dtype", "bf16"),
        ('dtype = "bfloat16"', "autocast", "none"),
        ('mixed_precision_param = "float32"', "autocast", "none"),
        ("enable_cpu_offload = true", "offload_optimizer", "cpu"),
        ("global_batch_size = -1", "global_batch", None),
        ("global_batch_size = 64", "global_batch", 64),
        ('[activation_checkpoint]\nmode = "selective"\nselective_ac_option = "op"', "recompute", "selective"),
        ('[activation_checkpoint]\nmode = "selective"\nselective_ac_option = "2"', "recompute_every", 2),
        ('[activation_checkpoint]\nmode = "full"', "recompute", "full"),
        ('[activation_checkpoint]\nmode = "none"', "recompute", "none"),
        ("", "recompute_every", 2),
        ("[compile]\nenable = true", "compile", True),
        ('[compile]\nenable = true\ncomponents = ["loss"]', "compile", False),
        ('[compile]\nenable = true\ncomponents = ["loss"]', "compile_parts", ("loss",)),
        ('[compile]\nenable = true\ncomponents = ["model", "loss"]', "compile_parts", ("layers", "loss")),
        ('[compile]\nenable = true\ncomponents = ["model"]', "compile_parts", ("layers",)),
        ("[parallelism]\ndata_parallel_shard_degree = 1\ndata_parallel_replicate_degree = 4", "shard", "ddp"),
        ("[parallelism]\ndata_parallel_shard_degree = 1", "shard", "none"),
        ("[parallelism]\ndata_parallel_shard_degree = 4\ndata_parallel_replicate_degree = 2", "shard_strategy", "hybrid"),
        ("[parallelism]\ndata_parallel_shard_degree = 4\ntensor_parallel_degree = 2", "devices", 8),
        ("[parallelism]\ndata_parallel_shard_degree = -1\ntensor_parallel_degree = 2", "devices", None),
        ('[parallelism]\ndata_parallel_shard_degree = -1\nfsdp_reshard_after_forward = "never"', "reshard_after_forward", False),
        ("[parallelism]\npipeline_parallel_degree = 2", "reshard_after_forward", False),
        ("[validation]\nenable = true", "eval_on", True),
    ],
)
def test_settings(extra, name, value):
    found = full(BASE + extra + "\n").get(name)
    assert (found.value if found else None) == value


def test_float8_is_a_converter():
    assert full(BASE.replace('flavor = "8B"', 'flavor = "8B"\nconverters = ["float8"]'))["autocast"].value == "fp8"


def test_the_old_names():
    found = full(OLD)
    assert [found[name].value for name in ("micro_batch", "compile", "shard", "optimizer_impl")] == [1, True, "fsdp2", "foreach"]


def test_flags_of_a_launch_beat_the_file():
    command = "torchrun --nproc_per_node 8 train.py --job.config_file job.toml --training.local_batch_size 4 --compile.enable\n"
    (context,) = judge_texts({"job.toml": BASE, "run.sh": command}).runs
    assert [context.run.settings.value(name) for name in ("micro_batch", "compile", "devices")] == [4, True, 8]
