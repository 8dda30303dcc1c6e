"""The DeepSpeed file switches apex AMP on beside ZeRO.

ZeRO brings its own mixed precision, and newer DeepSpeed has no apex at all.

## What it costs

The run stops at start: "Amp and ZeRO are not currently compatible"; in DeepSpeed 0.19.8 "NVIDIA Apex AMP integration has been
removed".

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}, "amp": {"enabled": true, "opt_level": "O1"}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}}
```

## Sources

- DeepSpeed 0.14.4, 0.18.6 and 0.19.3 `runtime/engine.py` `_do_optimizer_sanity_check`; 0.19.8 `runtime/config.py`
  `_REMOVED_TOP_LEVEL_CONFIG_KEYS`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Severity, is_on, number_of, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    amp, stage = written_in(document.reading, "amp.enabled"), written_in(document.reading, "zero_optimization.stage")
    partitions = number_of(stage)
    if amp is None or stage is None or not is_on(amp) or not partitions:
        return
    yield document.finding(
        amp,
        f"amp.enabled {amp.text} with ZeRO stage {stage.text}: DeepSpeed stops at start",
        help='a "bf16" or "fp16" section instead of "amp"',
        because=[stage],
        numbers={"zero_stage": int(partitions)},
    )


RULE = Rule(
    "BL218",
    "ds-amp-with-zero",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("deepspeed",),
    harm=4.5,
)
