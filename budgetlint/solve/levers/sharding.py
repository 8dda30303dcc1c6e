"""What several devices or the host can take over, and the buffers that sharding itself needs. One device shares with nobody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.frameworks import format_of
from budgetlint.solve.levers.idea import Idea, Situation

ZERO = "Rajbhandari et al. 2019, arXiv 1910.02054, section 7"
FSDP = "Zhao et al. 2023, arXiv 2304.11277"
OFFLOAD = "Ren et al. 2021 (ZeRO-Offload), arXiv 2101.06840"

SMALL_BUCKET = 50_000_000
"""Elements: a tenth of DeepSpeed's default, 100 MB in 16 bit."""

STAGES = ("zero1", "zero2", "zero3")
_OF_STAGE = {
    "zero1": ("optimizer", "share the optimizer states over {} devices (ZeRO-1)", "none to speak of: as much traffic as DDP"),
    "zero2": ("optimizer", "share optimizer states and gradients over {} devices (ZeRO-2)", "little: as much traffic as DDP"),
    "zero3": ("weights", "share weights, gradients and states over {} devices (ZeRO-3)", "time: 1.5 times DDP's traffic"),
}


def ideas(situation: Situation) -> Iterator[Idea]:
    yield from _shared(situation)
    yield from _offloaded(situation)
    yield from _buffers(situation)


def _shared(situation: Situation) -> Iterator[Idea]:
    plan = situation.plan
    kind = plan.sharding.kind
    if situation.devices < 2 or plan.parallel.on or plan.quant is not None:
        return
    if kind == "fsdp" and plan.sharding.strategy != "full" and not plan.sharding.strategy.startswith("hybrid"):
        yield _fsdp(situation, {"shard_strategy": "full"})
    elif kind in ("none", "ddp") and any(format_of(format).fsdp_key for format in situation.formats):
        yield _fsdp(situation, {"shard": "fsdp", "shard_strategy": "full", "wrap": "layer"})
    elif kind in ("none", "ddp", "zero1", "zero2"):
        yield from _stages(situation, kind)


def _fsdp(situation: Situation, change: dict[str, Any]) -> Idea:
    return Idea(
        "full sharding", "weights", f"share weights, gradients and states over {situation.devices} devices (FSDP)", 34,
        "time: 1.5 times DDP's traffic", FSDP, change,
    )  # fmt: skip


def _stages(situation: Situation, kind: str) -> Iterator[Idea]:
    for number, stage in enumerate(STAGES[STAGES.index(kind) + 1 if kind in STAGES else 0 :]):
        bucket, title, cost = _OF_STAGE[stage]
        yield Idea(stage, bucket, title.format(situation.devices), 31 + number, cost, ZERO, {"shard": stage, **_engine(situation)})


def _engine(situation: Situation) -> dict[str, Any]:
    """The dtype that DeepSpeed will keep, where the trainer says what it computes in."""
    if situation.by_budget or situation.plan.sharding.is_zero or situation.plan.precision.compute != 2:
        return {}
    return {"engine_dtype": "fp16" if situation.value("autocast") == "fp16" else "bf16"}


def _offloaded(situation: Situation) -> Iterator[Idea]:
    plan = situation.plan
    sharding = plan.sharding
    if plan.parallel.on or any(state.block for state in plan.optimizer.states) or plan.optimizer_in_backward:
        return
    if sharding.is_fsdp and not sharding.offload_params:
        yield _host("offload all", "weights", "parameters, gradients and states", FSDP, offload_params="cpu", offload_optimizer="cpu")
    if sharding.is_zero and not sharding.offload_optimizer:
        yield _host("offload optimizer", "optimizer", "the optimizer states", OFFLOAD, offload_optimizer="cpu")
    if sharding.kind == "zero3" and not sharding.offload_params:
        yield _host("offload all", "weights", "parameters and states", OFFLOAD, offload_params="cpu", offload_optimizer="cpu")
    if sharding.kind in ("none", "ddp") and plan.quant is None and situation.hugging_face:
        alone = {} if situation.value("devices") else {"devices": 1}
        change = {"shard": "zero2", "offload_optimizer": "cpu", **alone, **_engine(situation)}
        yield _host("offload optimizer", "optimizer", "the optimizer states", OFFLOAD, " (DeepSpeed ZeRO-2 with offload)", **change)


def _host(name: str, bucket: str, what: str, source: str, how: str = "", **change: Any) -> Idea:
    return Idea(
        name, bucket, f"keep {what} in host memory{how}", 50 if name == "offload optimizer" else 52,
        "time: the step runs on the processor, and gradients and weights go over PCIe", source, change,
    )  # fmt: skip


def _buffers(situation: Situation) -> Iterator[Idea]:
    zero = situation.plan.sharding.zero
    if situation.plan.sharding.is_zero and max(zero.reduce_bucket, zero.allgather_bucket) > SMALL_BUCKET:
        yield Idea(
            "smaller buckets", "buffers", f"smaller ZeRO buckets ({SMALL_BUCKET:,} elements)", 17,
            "time: more and smaller collectives", "DeepSpeed runtime/zero/config.py reduce_bucket_size",
            {"zero_bucket": SMALL_BUCKET, "zero_allgather_bucket": SMALL_BUCKET},
        )  # fmt: skip
