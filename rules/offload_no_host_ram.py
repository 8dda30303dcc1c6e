"""Offloading puts more into host memory than the budget says the machine has.

ZeRO-3 with everything offloaded keeps 20 bytes a parameter on the host, over all processes of a machine: fp32 master weights, two
moments, fp32 gradients for the CPU optimizer, gradients and weights in 16 bit. Stages 1 and 2 keep 16 to 20. `pin_memory: true` adds a
tenth to a half: torch rounds each page-locked block up to a power of two and gives none back.

## What it costs

The host's out-of-memory killer ends the job while it loads or in the first step, often without a message (exit code -9).

## Failing

```budget
device 2x rtx-3090; host 64GiB; model mistral-7b-v0.3; precision bf16; optimizer adamw; shard zero3 offload=[optimizer, params]
batch 1; seq 2048; recompute full
```

## Passing

```budget
device 2x rtx-3090; host 256GiB; model mistral-7b-v0.3; precision bf16; optimizer adamw; shard zero3 offload=[optimizer, params]
batch 1; seq 2048; recompute full
```

## How sure it is

An error where the least that is kept exceeds the host; a warning where less than a tenth of the host is left for the system, data
loader workers and copies made while loading; information where a budget names a device but no `host`. NVMe offload still keeps
gradients and swap buffers on the host.

## Sources

- DeepSpeed 0.14.4, 0.18.6, 0.19.8 `runtime/zero/stage3.py`, `stage_1_and_2.py`, `ops/adam/cpu_adam.py`: `docs/memory.md`.
- pytorch/pytorch#95823, #150517: page-locked blocks are rounded up to powers of two.
- hiyouga/LLaMA-Factory#6755 (32B in 744 GB), #4629 (9B in 252 GB): killed by the host; deepspeedai/DeepSpeed#3000, #4571: NVMe.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import GIB
from budgetlint.rule import Confidence, Finding, Origin, Range, Rule, RunContext, Setting, Severity, gib

PLACES = ("offload_optimizer", "offload_params")
LEFT = 10
"""A tenth of the host for everything else."""

NOTICED = 16 * GIB
"""From here on it is worth saying that nobody judges the host: a small machine has no more."""


def check(run: RunContext) -> Iterator[Finding]:
    estimate, target = run.estimate, run.target
    if estimate is None or target is None:
        return
    need, host = estimate.host, target.host_bytes
    offload = [setting for name in PLACES if (setting := run.setting(name)) and setting.value != "none"]
    if host is None:
        if target.device is not None and offload and need.low >= NOTICED:
            yield _unjudged(run, need, offload)
    elif need.low > host:
        yield _over(run, need, host, offload)
    elif need.bytes > host - host // LEFT:
        yield _near(run, need, host, offload)


def _over(run: RunContext, need: Range, host: int, offload: list[Setting]) -> Finding:
    return run.finding(
        offload[0] if offload else (run.target.host_origin if run.target else None),
        f"{run.label} offloads at least {gib(need.low)} to host memory, the machine has {gib(host)}",
        help=_cure(run),
        because=offload,
        related=_machine(run),
        numbers={"host_need_bytes": need.low, "host_bytes": host},
    )


def _near(run: RunContext, need: Range, host: int, offload: list[Setting]) -> Finding:
    most = f" to {gib(need.high)}" if need.high is not None else " or more"
    return run.finding(
        offload[0] if offload else (run.target.host_origin if run.target else None),
        f"{run.label} offloads about {gib(need.bytes)} ({gib(need.low)}{most}) to host memory of {gib(host)}: the system, data loader "
        "workers and copies made while loading need a part of it too",
        help=_cure(run),
        because=offload,
        related=_machine(run),
        numbers={"host_need_bytes": need.low, "host_bytes": host},
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )


def _unjudged(run: RunContext, need: Range, offload: list[Setting]) -> Finding:
    return run.finding(
        offload[0],
        f"{run.label} keeps at least {gib(need.low)} in the host memory of each machine{_of_one(run)}, and the budget does not say what a "
        "machine has",
        help=f"host {_example(need)}GiB, or what the machine has",
        because=offload,
        numbers={"host_need_bytes": need.low},
        severity=Severity.INFO,
    )


def _of_one(run: RunContext) -> str:
    """Checkpoints on the host are each card's own: more cards than are known keep more there."""
    return " with the checkpoints of one card" if run.plan is not None and run.plan.recompute.offload and run.plan.ranks == 1 else ""


def _example(need: Range) -> int:
    """What machines have, in GiB, and enough for this run."""
    most = -(-(need.high or need.bytes) // GIB)
    found: int = max(512, 1 << (most - 1).bit_length())
    return found


def _cure(run: RunContext) -> str:
    pinned = any(run.value(name) is True for name in ("pin_optimizer", "pin_params"))
    return f"{'pin_memory: false, ' if pinned else ''}offload less, use NVMe, split over more machines, or an optimizer with smaller states"


def _machine(run: RunContext) -> list[tuple[Origin, str]]:
    return [(run.target.host_origin, "host memory of the machine")] if run.target and run.target.host_origin else []


RULE = Rule(
    code="BL109",
    name="offload-no-host-ram",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("target", "estimate"),
    harm=13.5,
)
