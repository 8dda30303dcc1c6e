"""Host memory of offloading, against the tensors that DeepSpeed and FSDP keep there (docs/memory.md)."""

from __future__ import annotations

import json

import pytest

from budgetlint.memory.estimate import Range
from budgetlint.memory.host_zero import block
from budgetlint.resolve.runs import judge_texts

PARAMS = 1_543_714_304  # qwen2.5-1.5b
HELD = 2**32  # 2 B a parameter in one page-locked block: 3.09 GB, rounded up to a power of two
BASE = "model qwen2.5-1.5b; precision bf16; optimizer adamw; batch 1; seq 1024; recompute full"


def host(budget: str, files: dict[str, str] | None = None) -> Range:
    judged = judge_texts(files, budget=budget) if files else judge_texts({"case.budget": f"{budget}; {BASE}"})
    estimate = judged.runs[0].estimate
    assert estimate is not None
    return estimate.host


@pytest.mark.parametrize(
    ("budget", "least"),
    [
        # fp32 master, gradient and two moments, the gradient in 16 bit, the flat copy of the weights
        ("device 1x h100-80gb; shard zero3 offload=[optimizer, params]", 18 * PARAMS + HELD),
        ("device 1x h100-80gb; shard zero3 offload=[optimizer]", 18 * PARAMS),
        ("device 1x h100-80gb; shard zero3 offload=[params]", HELD),
        ("device 1x h100-80gb; shard zero2 offload=[optimizer]", 16 * PARAMS),
        ("device 1x h100-80gb; shard zero3", 0),
        ("device 1x h100-80gb", 0),
    ],
)
def test_bytes_of_a_single_rank(budget: str, least: int) -> None:
    assert host(budget).low == least


def test_accumulated_gradients_wait_on_the_host_below_stage_3() -> None:
    judged = judge_texts(
        {"case.budget": f"device 1x h100-80gb; shard zero2 offload=[optimizer]; {BASE.replace('batch 1', 'batch 1 accum=4')}"}
    )
    estimate = judged.runs[0].estimate
    assert estimate is not None
    assert estimate.host.low == 18 * PARAMS


def test_ranks_share_what_is_offloaded_and_machines_share_the_ranks() -> None:
    two, four = (host(f"device 2x h100-80gb; nodes {nodes}; shard zero3 offload=[optimizer]").low for nodes in (1, 2))
    assert two == pytest.approx(18 * PARAMS, rel=1e-6)
    assert four == pytest.approx(9 * PARAMS, rel=1e-6)


TRAIN = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
bf16: true
per_device_train_batch_size: 1
learning_rate: 1.0e-5
num_train_epochs: 1
deepspeed: ds.json
"""


def engine(**sections: dict[str, object]) -> dict[str, str]:
    return {"train.yaml": TRAIN, "ds.json": json.dumps({"bf16": {"enabled": True}, "zero_optimization": {"stage": 3, **sections}})}


def test_page_locked_memory_is_rounded_up_and_kept() -> None:
    budget = "device 1x h100-80gb; config train.yaml; stack deepspeed@0.18.6"
    plain = host(budget, engine(offload_optimizer={"device": "cpu"}, offload_param={"device": "cpu"}))
    locked = host(
        budget,
        engine(offload_optimizer={"device": "cpu", "pin_memory": True}, offload_param={"device": "cpu", "pin_memory": True}),
    )
    assert plain.low == 18 * PARAMS + HELD
    # the gradient in 16 bit becomes a block of 2^32 too, and the partitions that zero.Init pinned stay beside the flat copy
    assert locked.low >= 16 * PARAMS + 2 * HELD + 2 * PARAMS
    assert locked.bytes < 1.6 * plain.bytes


def test_a_part_of_the_optimizer_may_stay_on_the_device() -> None:
    files = engine(offload_optimizer={"device": "cpu", "ratio": 0.25})
    assert host("device 1x h100-80gb; config train.yaml; stack deepspeed@0.18.6", files).low == 2 * PARAMS + 4 * PARAMS


def test_nvme_keeps_gradients_and_swap_buffers_only() -> None:
    files = engine(offload_optimizer={"device": "nvme", "nvme_path": "/n"})
    found = host("device 1x h100-80gb; config train.yaml; stack deepspeed@0.18.6", files)
    assert found.low == 2 * PARAMS + 5 * 4 * 10**9  # five buffers of the largest group, 1e9 parameters


def test_fsdp_offload_follows_the_dtypes_of_the_run() -> None:
    budget = "device 1x h100-80gb; shard fsdp offload=[optimizer, params]"
    pure = judge_texts({"case.budget": f"{budget}; {BASE.replace('precision bf16', 'precision bf16-pure')}"}).runs[0].estimate
    assert pure is not None
    assert pure.host.low == 8 * PARAMS  # weights, gradients and two moments in bf16


@pytest.mark.parametrize(("size", "taken"), [(0, 0), (1, 1), (2**20, 2**20), (2**20 + 1, 2**21), (135_790_592, 2**28)])
def test_a_page_locked_block_is_a_power_of_two(size: int, taken: int) -> None:
    """18,944 x 3,584 weights in 16 bit take 256 MiB instead of 129.5 (pytorch/pytorch#150517)."""
    assert block(size) == taken
