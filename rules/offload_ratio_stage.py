"""A part of the optimizer is to be offloaded below ZeRO-3.

## What it costs

The run stops at start: "Partial offloading only supported for ZeRO Stage 3".

## Failing

```json ds.json
{
  "train_micro_batch_size_per_gpu": 1,
  "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu", "ratio": 0.5}}
}
```

## Passing

```json ds.json
{
  "train_micro_batch_size_per_gpu": 1,
  "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "ratio": 0.5}}
}
```

## Sources

- deepspeed 0.19.8 and 0.14.4 `runtime/zero/config.py` `offload_ratio_check`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, number_of, written_in

SECTION = "zero_optimization.offload_optimizer"


def check(document: DocumentContext) -> Iterator[Finding]:
    ratio, stage = written_in(document.reading, f"{SECTION}.ratio"), written_in(document.reading, "zero_optimization.stage")
    share, level = number_of(ratio), number_of(stage) if stage else 0.0
    if ratio is None or share is None or level is None or share >= 1 or level == 3:
        return
    yield document.finding(
        ratio,
        f"ratio {ratio.text} with ZeRO stage {level:g}: only stage 3 offloads a part, and DeepSpeed stops at start",
        help="ratio: 1.0, or stage 3",
        because=[stage] if stage else (),
        fixes=document.set(ratio, 1.0, safety=Safety.UNSAFE),
        numbers={"ratio": share, "zero_stage": int(level)},
    )


RULE = Rule(
    "BL529",
    "offload-ratio-stage",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("deepspeed",),
    harm=2.5,
)
