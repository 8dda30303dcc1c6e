"""Hybrid sharding: groups of ranks that hold one copy, in every spelling."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

RUN = "device 8x 80GiB; nodes 4; model llama-3.1-8b; precision bf16; optimizer adamw; batch 1; seq 2048; recompute full"


def sharding(how: str):
    (run,) = judge_texts({}, budget=f"{RUN}; shard {how}").runs
    return run.plan.sharding


@pytest.mark.parametrize(
    ("how", "over"),
    [
        ("hsdp", 8),
        ("hsdp grad-op", 8),
        ("hsdp replicas=2", 16),
        ("hsdp size=4", 4),
        ("fsdp", 32),
        ("zero3", 32),
        ("zero3 size=16", 16),
    ],
)
def test_states_are_split_over_the_group(how: str, over: int) -> None:
    """A machine where nothing else is said (torch HYBRID_SHARD), else ``size`` ranks, or all over ``replicas``; MiCS states a size."""
    found = sharding(how)
    assert (found.params_over, found.grads_over, found.states_over) == (over, over, over)


def test_zero_plus_plus_keeps_a_second_copy_in_each_machine() -> None:
    """DeepSpeed 0.18.6 ``_partition_param_sec``: 8,030,261,248 parameters x 2 B over 8 ranks, beside the shard over 32."""
    (plain,), (copied,) = (judge_texts({}, budget=f"{RUN}; shard zero3{more}").runs for more in ("", " secondary=8"))
    assert copied.estimate.allocated.bytes - plain.estimate.allocated.bytes == 8_030_261_248 * 2 // 8
    assert (copied.plan.sharding.params_over, copied.plan.sharding.states_over) == (32, 32)


@pytest.mark.parametrize("body", ['"mics_shard_size": -1', '"zero_hpz_partition_size": 1'])
def test_deepspeeds_own_word_for_none(body: str) -> None:
    files = {
        "t.yaml": "model_name_or_path: Qwen/Qwen2.5-7B-Instruct\nstage: sft\ndo_train: true\nfinetuning_type: full\ntemplate: qwen\n"
        "dataset: alpaca_en\ncutoff_len: 2048\nbf16: true\nper_device_train_batch_size: 1\ndeepspeed: ds.json\noutput_dir: out\n",
        "ds.json": f'{{"zero_optimization": {{"stage": 3, {body}}}, "bf16": {{"enabled": true}}}}',
    }
    judged = judge_texts(files, budget="device 8x 80GiB; nodes 2; config t.yaml")
    (run,) = judged.runs
    assert run.plan.sharding.states_over == 16
    assert run.plan.sharding.zero.secondary == 0


@pytest.mark.parametrize(("key", "over"), [('"mics_shard_size": 8', 8), ('"zero_hpz_partition_size": 8', 16)])
def test_deepspeeds_keys(key: str, over: int) -> None:
    files = {
        "t.yaml": "model_name_or_path: Qwen/Qwen2.5-7B-Instruct\nstage: sft\ndo_train: true\nfinetuning_type: full\ntemplate: qwen\n"
        "dataset: alpaca_en\ncutoff_len: 2048\nbf16: true\nper_device_train_batch_size: 1\ndeepspeed: ds.json\noutput_dir: out\n",
        "ds.json": f'{{"zero_optimization": {{"stage": 3, {key}}}, "bf16": {{"enabled": true}}}}',
    }
    (run,) = judge_texts(files, budget="device 8x 80GiB; nodes 2; config t.yaml").runs
    assert run.plan.sharding.states_over == over


def test_torchtitans_replicas() -> None:
    """4 x 16 ranks: ``data_parallel_replicate_degree`` says how many groups there are, whatever a machine has."""
    text = '[job]\ndump_folder = "o"\n[model]\nname = "llama3"\nflavor = "8B"\n[optimizer]\nname = "AdamW"\nlr = 3e-4\n'
    text += "[metrics]\nlog_freq = 10\n[training]\nlocal_batch_size = 1\nseq_len = 4096\n"
    text += "[parallelism]\ndata_parallel_replicate_degree = 4\ndata_parallel_shard_degree = 16\n"
    (run,) = judge_texts({"t.toml": text}, budget="device 8x h100-80gb; nodes 8; config t.toml").runs
    assert run.plan.sharding.states_over == 16


@pytest.mark.parametrize(
    ("how", "stack", "kept"),
    [
        ("zero1", "transformers@5.24 deepspeed@0.18.6", True),
        ("zero2", "transformers@5.24 deepspeed@0.18.6", False),
        ("zero1 offload=optimizer", "transformers@5.24 deepspeed@0.18.6", False),
        ("zero1", "megatron", False),
    ],
)
def test_bf16_optimizer_keeps_gradients_in_both_dtypes(how: str, stack: str, kept: bool) -> None:
    """DeepSpeed 0.18.6 bf16_optimizer.py: a whole fp32 buffer, and the 16-bit gradients that are added to it; Megatron's linears add to
    theirs, and ZeRO-2 reduces into partitions."""
    params = 8_030_261_248
    (run,) = judge_texts({}, budget=f"{RUN.replace('precision bf16', 'precision bf16 grads=fp32')}; shard {how}; stack {stack}").runs
    both = [term.bytes for term in run.estimate.phase("backward").terms if term.id == "deepspeed.16-bit-gradients"]
    assert both == ([2 * params] if kept else [])
