"""Offloading to the host frees nothing where the host's memory is the device's.

On an Apple chip, a GB10 (DGX Spark), a Jetson, an MI300A, a Strix Halo, or with `device cpu`, processor and GPU share one memory. What
ZeRO-Offload or FSDP's `CPUOffload` moves to the host stays in it.

## What it costs

Copies in both directions at every step, page-locked buffers that are rounded up, a slower optimizer, and no byte saved.

## Failing

```budget
device gb10; model llama-3.1-8b; precision bf16; optimizer adamw; shard zero3 offload=[optimizer, params]; batch 1; seq 2048; recompute full
```

## Passing

```budget
device gb10; model llama-3.1-8b; precision bf16-pure; optimizer adamw; lora r=16; batch 1; seq 2048; recompute full
```

## How sure it is

Only devices that the catalog marks as unified. NVMe offload is silent: it does leave the memory.

## Sources

- The catalog's rows, `budgetlint devices`: Apple's Metal working set, NVIDIA GB10 and Orin, AMD MI300A and Strix Halo.
- DeepSpeed 0.18.6 `runtime/zero/stage3.py`, torch 2.13 `distributed/fsdp`: offloaded parts are host tensors.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, gib

PLACES = ("offload_optimizer", "offload_params")


def check(run: RunContext) -> Iterator[Finding]:
    spec = run.target.device if run.target else None
    if spec is None or spec.device is None or not spec.device.unified:
        return
    offload = [setting for name in PLACES if (setting := run.setting(name)) and setting.value == "cpu"]
    if not offload or run.estimate is None:
        return
    kept = run.estimate.host.bytes
    yield run.finding(
        offload[0],
        f"{run.label} offloads {gib(kept)} to the host, and the host's memory is the device's ({spec.device.name}): nothing is freed",
        help="train an adapter or a quantised base, or take an optimizer with smaller states",
        because=offload,
        related=[(spec.origin, "one memory for both")],
        numbers={"host_bytes": kept},
    )


RULE = Rule(
    code="BL129",
    name="offload-on-unified-memory",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    harm=9.0,
)
