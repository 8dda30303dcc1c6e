"""Offloading puts more into host memory than the budget says the machine has.

Offloaded optimizer states, fp32 master weights and gradients take 16 bytes a parameter of host memory, offloaded parameters
2 to 4 more, over all processes of a machine.

## What it costs

The host's out-of-memory killer ends the job while it loads, often without a message.

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

## Sources

- DeepSpeed 0.19.6 `runtime/zero/stage_1_and_2.py`, `stage3.py`: fp32 partitions, states and gradients on the host.
- https://github.com/hiyouga/LlamaFactory/issues/6755: a load that dies for want of host memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity
from budgetlint.units import gib


def check(run: RunContext) -> Iterator[Finding]:
    estimate, target = run.estimate, run.target
    if estimate is None or target is None or target.host_bytes is None or estimate.host.low <= target.host_bytes:
        return
    offload = [setting for name in ("offload_optimizer", "offload_params") if (setting := run.setting(name)) and setting.value != "none"]
    yield run.finding(
        offload[0] if offload else target.host_origin,
        f"{run.label} offloads at least {gib(estimate.host.low)} to host memory, the machine has {gib(target.host_bytes)}",
        help="offload less, use NVMe, split over more machines, or take an optimizer with smaller states",
        because=offload,
        related=[(target.host_origin, "host memory of the machine")] if target.host_origin else [],
        numbers={"host_need_bytes": estimate.host.low, "host_bytes": target.host_bytes},
    )


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
)
