"""DeepSpeed's fp16 has a fixed loss scale.

Without `loss_scale`, or with `loss_scale: 0`, the scale is dynamic: it halves after an overflow and grows back. Any other number
switches that off.

## What it costs

`loss_scale: 1` is no scaling at all: gradients below 6e-8, the smallest fp16 number, become zero, and the loss gets worse without a
message. A large fixed scale overflows with no way back: DeepSpeed skips the step of each overflow and leaves the scale as it is, so
that where gradients grow too large for it nothing is learned any more.

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "fp16": {"enabled": true, "loss_scale": 128}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "fp16": {"enabled": true, "loss_scale": 0, "initial_scale_power": 16}}
```

## Sources

- DeepSpeed 0.19.8 `runtime/precision_config.py` `DeepSpeedFP16Config.loss_scale`: 0 means dynamic, and is the default.
- DeepSpeed 0.14.0, 0.17.4, 0.19.8 `runtime/zero/stage_1_and_2.py`, `stage3.py` (`check_overflow` before each step) and
  `runtime/fp16/fused_optimizer.py`: gradients are looked at whatever the scaler is; `LossScalerBase.update_scale` does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_on, number_text, written_in

SMALLEST_FP16 = 2**-24


def check(document: DocumentContext) -> Iterator[Finding]:
    setting = document.setting("loss_scale")
    if setting is None or not setting.known or not is_on(written_in(document.reading, "fp16.enabled")):
        return
    scale = float(setting.value)
    if scale <= 0:
        return
    smallest = SMALLEST_FP16 / scale
    yield document.finding(
        setting,
        f"loss_scale {number_text(scale)} fixes the fp16 loss scale: {_cost(scale, smallest)}",
        help="write 0 for dynamic scaling (the default), or train in bf16, which needs no scale",
        fixes=document.set(setting, 0, "scale dynamically", safety=Safety.UNSAFE),
        numbers={"loss_scale": scale, "smallest_gradient": smallest},
    )


def _cost(scale: float, smallest: float) -> str:
    if scale == 1:
        return f"gradients below {smallest:.0e} become zero, because nothing is scaled"
    return f"gradients below {smallest:.0e} become zero, and each overflow skips its step while the scale stays"


RULE = Rule(
    code="BL202",
    name="ds-static-loss-scale",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("deepspeed",),
    harm=11.1,
)
