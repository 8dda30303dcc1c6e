"""DeepSpeed 0.19.5 began to pin the host memory of offloading by default, and the host has little to pin.

`pin_memory` was false where it is not written. Pinned pages cannot be swapped, and `ulimit -l` and the container bound them, so an
upgrade can stop a run that worked.

## What it costs

16 bytes a parameter that must stay in physical memory: 120 GiB for 8 billion with AdamW.

## Failing

```budget
device 2x rtx-3090; host 256GiB pinned=64GiB
config train.yaml
stack deepspeed@0.19.8 transformers@5.24
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
output_dir: out
bf16: true
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}, "bf16": {"enabled": true}}
```

## Passing

```budget
device 2x rtx-3090; host 256GiB pinned=64GiB
config train.yaml
stack deepspeed@0.19.8 transformers@5.24
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
output_dir: out
bf16: true
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": false}}, "bf16": {"enabled": true}}
```

## Sources

- DeepSpeed 0.19.8 `runtime/zero/offload_config.py`: `pin_memory: bool = True`, "disable only on hosts with tight memlock limits";
  changed by 7dfa67aea, first in 0.19.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Reading, Rule, RunContext, Setting, Severity, gib, written_in

SINCE = "0.19.5"
BLOCKS = ("zero_optimization.offload_optimizer", "zero_optimization.offload_param")
NEAR = 80
"""Percent of the host from which pages that cannot be swapped are worth a remark."""


def check(run: RunContext) -> Iterator[Finding]:
    estimate, target, engine = run.estimate, run.target, run.reading("deepspeed")
    if estimate is None or target is None or target.host_bytes is None or engine is None or not run.at_least("deepspeed", SINCE):
        return
    device = _unsaid(engine)
    if device is None or estimate.host.low == 0 or estimate.host.low > target.host_bytes:
        return  # more than there is: offload-no-host-ram says that
    limit = target.host_pinned or target.host_bytes * NEAR // 100
    if estimate.host.low <= limit:
        return
    there = f"{gib(target.host_pinned)} may be pinned" if target.host_pinned else f"the machine has {gib(target.host_bytes)}"
    yield run.finding(
        device,
        f"pin_memory is not written, and DeepSpeed from {SINCE} pins by default: at least {gib(estimate.host.low)} of offloaded state, "
        f"where {there}",
        help='"pin_memory": false in the offload section, or a larger limit (ulimit -l)',
        related=[(target.host_origin, "host memory of the machine")] if target.host_origin else [],
        numbers={"host_need_bytes": estimate.host.low, "host_bytes": target.host_bytes, "pinned_bytes": target.host_pinned},
        severity=None if target.host_pinned else Severity.INFO,
    )


def _unsaid(engine: Reading) -> Setting | None:
    """The device of an offload section to the host that says nothing about pinning."""
    for block in BLOCKS:
        device = written_in(engine, f"{block}.device")
        if device is not None and device.value == "cpu" and written_in(engine, f"{block}.pin_memory") is None:
            return device
    return None


RULE = Rule(
    code="BL125",
    name="ds-pinned-memory-default-flip",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    applies="deepspeed >= 0.19.5",
    needs=("target", "estimate"),
    formats=("deepspeed",),
    harm=2.0,
)
