"""What a measurement is asked to do: the job, and what only real hardware can do of a plan. No torch here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from budgetlint.memory.plan import Plan, Sharding
from budgetlint.probe.job import Inexpressible, Job, job_of

BITSANDBYTES = frozenset({"nf4", "fp4", "int8"})
DOUBLE = 0.54
"""Bytes a 4-bit weight takes with its block's scale: 0.5159 with double quantisation, 0.5625 without."""


class Quantised(BaseModel):
    """A base that bitsandbytes packs. ``compute``: bytes of what the matmuls take; ``upcast``: which of the rest becomes fp32."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    double: bool
    compute: int
    upcast: str


class Work(BaseModel):
    """``device``: cuda or cpu. ``engine``: ``zero1`` to ``zero3`` where DeepSpeed runs the step, else empty. ``limit``: bytes that the
    allocator may take, of the card that ``imitated`` names; None: all there is. ``least``: bytes that the weights alone need."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    job: Job
    quant: Quantised | None = None
    engine: str = ""
    device: str = "cuda"
    warmup: int = 1
    steps: int = 2
    limit: int | None = None
    imitated: str = ""
    least: int = 0


def work_of(plan: Plan, **options: Any) -> Work:
    """The work of a plan; ``options`` are `Work`'s own. Raises `Inexpressible`."""
    quant, engine = plan.quant, plan.sharding.kind if plan.sharding.is_zero else ""
    if engine and (plan.sharding.offload_optimizer or plan.sharding.offload_params):
        raise Inexpressible("offloading to the host is not measured")
    if plan.sharding.kind == "fsdp":
        raise Inexpressible("FSDP1 is simulated only (--simulate): shard fsdp2 to measure")
    bare = plan if quant is None or quant.kind not in BITSANDBYTES else replace(plan, quant=None)
    bare = replace(bare, sharding=Sharding(world=plan.sharding.world)) if engine else bare
    packed = None if quant is None else _packed(quant.kind, quant.bytes_num / quant.bytes_den, quant.compute, quant.upcast)
    return Work(job=job_of(bare), quant=packed, engine=engine, **options)


def _packed(kind: str, size: float, compute: int, upcast: str) -> Quantised:
    return Quantised(kind=kind, double=kind != "int8" and size < DOUBLE, compute=compute, upcast=upcast)
