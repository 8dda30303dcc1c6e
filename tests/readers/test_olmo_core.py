"""OLMo-core's own SFT programs, and open-instruct's over it."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Run

FLAGS = (
    "--model_name_or_path allenai/OLMo-2-0425-1B --max_seq_length 4096 --per_device_train_batch_size 1 --gradient_accumulation_steps 4 "
    "--learning_rate 8e-5 --warmup_ratio 0.03 --num_epochs 2 --logging_steps 1"
)


def run_of(program: str, more: str = "") -> Run:
    (context,) = judge_texts({"run.sh": f"torchrun --nnodes 2 --nproc_per_node 8 {program} {FLAGS} {more}\n"}).runs
    return context.run


def test_sft_trains_fp32_weights_under_fsdp() -> None:
    run = run_of("open_instruct/olmo_core_finetune.py")
    expected = {
        "shard": "fsdp2",
        "weights_dtype": "fp32",
        "autocast": "bf16",
        "task": "sft",
        "num_epochs": 2.0,
        "recompute": "none",
        "devices": 16,
    }
    assert run.readings[0].format == "open_instruct"
    assert {name: run.settings.value(name) for name in expected} == expected


def test_dpo_keeps_no_reference() -> None:
    run = run_of("open_instruct/dpo.py", "--beta 5 --loss_type dpo_norm")
    expected = {"shard": "fsdp2", "weights_dtype": "bf16", "task": "dpo", "reference_model": "none"}
    assert {name: run.settings.value(name) for name in expected} == expected


CHECKPOINTING = {
    "": ("none", ()),
    "--activation_checkpointing_mode selected_modules": (None, ("full", "none")),
    "--activation_checkpointing_mode full": ("full", ()),
    "--activation_memory_budget 0.5 --compile_model true": (None, ("full", "none")),
    "--activation_memory_budget 1.0": ("none", ()),
    "--gradient_checkpointing": ("full", ()),
}


@pytest.mark.parametrize("flags", CHECKPOINTING)
def test_checkpointing(flags: str) -> None:
    setting = run_of("open_instruct/olmo_core_finetune.py", flags).settings["recompute"]
    assert (setting.value, setting.readings) == CHECKPOINTING[flags]


@pytest.mark.parametrize("program", ["dpo.py", "open_instruct/finetune.py", "my/dpo.py", "open_instruct/dpo_tune_cache.py"])
def test_other_programs_keep_their_own_loop(program: str) -> None:
    assert run_of(program, "--use_slow_tokenizer").settings.value("shard") != "fsdp2"


def settings_of(flags: str, program: str = "src/scripts/train/sft/OLMo-sft.py"):
    (context,) = judge_texts({"run.sh": f"python {program} train NAME CHECKPOINT ai2/jupiter {flags}\n"}).runs
    assert context.run.readings[0].format == "olmo_core"
    return context.run.settings


def test_a_batch_in_tokens() -> None:
    settings = settings_of("--seq_len=32768 --num_nodes=8 --global_batch_size=4194304 --model_name=olmo3-32b --train_module.optim.lr=1e-4")
    expected = {
        "model": "olmo-3-32b", "devices": 64, "global_batch": 128, "context_parallel": 2, "micro_batch": 1, "grad_accum": 4,
        "learning_rate": 1e-4, "shard": "fsdp2", "shard_strategy": "hybrid", "weights_dtype": "fp32",
    }  # fmt: skip
    assert {name: settings.value(name) for name in expected} == expected


BATCHES = {
    "--seq_len=4096 --num_nodes=1 --global_batch_size=524288": (1, 4, 4),
    "--seq_len=4096 --num_nodes=1 --global_batch_size=131072": (1, 4, 1),
    "--seq_len=65536 --num_nodes=2 --global_batch_size=1048576": (4, 1, 4),
}


@pytest.mark.parametrize("flags", BATCHES)
def test_how_the_program_splits_a_batch(flags: str) -> None:
    settings = settings_of(flags + " --model_name=olmo2-7b")
    assert tuple(settings.value(name) for name in ("context_parallel", "micro_batch", "grad_accum")) == BATCHES[flags]


def test_a_length_that_is_not_known_leaves_the_batch_open() -> None:
    settings = settings_of("--seq_len=$LEN --global_batch_size=1048576 --model_name=olmo3-7b")
    assert settings.value("micro_batch") is None and settings.value("global_batch") is None


def test_programs_that_train_one_model() -> None:
    assert settings_of("--seq_len=4096", "scripts/train/sft/Olmo-3-7B-SFT.py").value("model") == "olmo-3-7b"
    assert "model" not in settings_of("--seq_len=4096", "scripts/train/sft/Olmo-3-Hybrid-7B-SFT.py")
