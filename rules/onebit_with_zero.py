"""A 1-bit optimizer in a DeepSpeed file that turns ZeRO on.

They compress the exchange of whole gradients; ZeRO partitions them.

## What it costs

The engine stops at start: "1bit-Adam is not compatible with ZeRO". A program that hands over an optimizer of its own never builds
this one; the file alone does not tell.

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}, "zero_optimization": {"stage": 2},
 "optimizer": {"type": "OneBitAdam", "params": {"lr": 0.0001, "freeze_step": 400}}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}, "zero_optimization": {"stage": 0},
 "optimizer": {"type": "OneBitAdam", "params": {"lr": 0.0001, "freeze_step": 400}}}
```

## Sources

- DeepSpeed 0.18.6 and 0.19.3 `runtime/engine.py` `_configure_basic_optimizer`: an assertion for each of the three.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Severity, written_in

from .ds_untested_optimizer import ONE_BIT


def check(document: DocumentContext) -> Iterator[Finding]:
    kind, shard = written_in(document.reading, "optimizer.type"), document.setting("shard")
    if kind is None or str(kind.value).lower() not in ONE_BIT or shard is None or shard.value not in ("zero1", "zero2", "zero3"):
        return
    yield document.finding(
        kind,
        f"{kind.text} with ZeRO stage {shard.value[-1]}: DeepSpeed stops at start, because 1-bit optimizers need whole gradients "
        "(unless the program brings an optimizer of its own)",
        help="AdamW with ZeRO, or stage 0 with the 1-bit optimizer",
        because=[shard],
        numbers={"zero_stage": int(shard.value[-1])},
    )


RULE = Rule(
    code="BL330",
    name="onebit-with-zero",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("deepspeed",),
    harm=2.5,
)
