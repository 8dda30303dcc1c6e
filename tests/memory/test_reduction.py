"""What FSDP2 reduces the root unit's gradients in: the compute dtype, or the one that a trainer asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from budgetlint.memory.sharded import root_reduction
from budgetlint.resolve.runs import judge_texts

RUN = "device 8x 80GiB; model llama-3.1-8b; precision bf16-autocast; optimizer adamw; batch 1; seq 2048; recompute full; shard {how}"
ROOT = 2 * 128_256 * 4_096 + 4_096
"""Llama 3.1 8B's embedding, head and last norm."""

VERL = """\
actor_rollout_ref:
  model: {{path: meta-llama/Llama-3.1-8B-Instruct}}
  actor:
    strategy: fsdp2
    ppo_micro_batch_size_per_gpu: 1
    fsdp_config: {{{policy}}}
  rollout: {{name: vllm}}
algorithm: {{adv_estimator: grpo}}
trainer: {{n_gpus_per_node: 8, nnodes: 1}}
"""


def _reduced(plan) -> int:
    """Bytes an element of the reduce-scatter's input."""
    _, scatter = root_reduction(plan)
    assert scatter.bytes % ROOT == 0
    return scatter.bytes // ROOT


@pytest.mark.parametrize(("how", "asked", "size"), [("fsdp2", 0, 2), ("fsdp2", 4, 4), ("fsdp", 0, 2), ("fsdp", 4, 2)])
def test_the_dtype_of_the_reduction(how: str, asked: int, size: int) -> None:
    (run,) = judge_texts({}, budget=RUN.format(how=how)).runs
    assert _reduced(replace(run.plan, sharding=replace(run.plan.sharding, reduce_bytes=asked))) == size


def test_torchtitan_reduces_in_fp32() -> None:
    (run,) = judge_texts({}, budget=RUN.format(how="fsdp2") + "; stack torchtitan@0.2.2").runs
    assert _reduced(run.plan) == 4


@pytest.mark.parametrize(("policy", "size"), [("", 4), ("mixed_precision: {reduce_dtype: bf16}", 2)])
def test_verl_reduces_in_fp32_unless_told(policy: str, size: int) -> None:
    (run,) = judge_texts({"ppo.yaml": VERL.format(policy=policy)}, budget="device 8x 80GiB").runs
    assert _reduced(run.plan) == size
