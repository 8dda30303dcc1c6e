"""A DeepSpeed warm-up that is no positive whole number of steps, or longer than the schedule it begins; a schedule of no steps.

## What it costs

DeepSpeed 0.19.3 and newer stop at start: "warmup_num_steps must be a positive integer". Older ones warm up over 2 steps. With a
warm-up longer than `total_num_steps` the learning rate never reaches its peak, with a log line only.

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 0}}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_num_steps": 100, "total_num_steps": 1000}}}
```

## Sources

- DeepSpeed 0.13.5, 0.18.6, 0.19.2 and 0.19.3 `runtime/lr_schedules.py` `WarmupLR`, `WarmupDecayLR`, `WarmupCosineLR`.
- transformers 4.36 to 5.24.0 `integrations/deepspeed.py` trainer_config_finalize: a number that is not its own ends in a ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Setting, Severity, number_of, number_text, written_in

_PARAMS = "scheduler.params"
CHECKED = "0.19.3"
WARMS_UP = frozenset(("WarmupLR", "WarmupDecayLR", "WarmupCosineLR"))


def check(document: DocumentContext) -> Iterator[Finding]:
    kind, warmup = written_in(document.reading, "scheduler.type"), written_in(document.reading, f"{_PARAMS}.warmup_num_steps")
    total, steps = written_in(document.reading, f"{_PARAMS}.total_num_steps"), number_of(warmup)
    if kind is None or kind.value not in WARMS_UP:
        return
    if total is not None and (length := number_of(total)) is not None and length <= 0:
        yield document.finding(
            total,
            f"total_num_steps {total.text}: the learning rate is 0 after the warm-up; the Trainer, which knows its steps, stops at start",
            help='total_num_steps: "auto" under the Trainer, else the optimizer steps of the run',
            numbers={"total_steps": length},
        )
    if warmup is None or steps is None:
        return
    if steps <= 0 or not isinstance(warmup.value, int):
        yield _no_count(document, warmup, steps)
    elif total is not None and (length := number_of(total)) is not None and 1 < length < steps:
        linear = written_in(document.reading, f"{_PARAMS}.warmup_type")
        reached = length / steps if linear is not None and linear.value == "linear" else math.log(length) / math.log(steps)
        yield document.finding(
            warmup,
            f"warmup_num_steps {warmup.text} is longer than the schedule (total_num_steps {total.text}): "
            f"the learning rate ends at {reached:.0%} of its peak",
            help=f"3 to 10% of the run is usual: {max(1, round(length * 0.03))} to {max(1, round(length * 0.1))} steps",
            because=[total],
            numbers={"warmup_steps": steps, "total_steps": length, "peak_fraction": reached},
            severity=Severity.WARNING,
        )


def _no_count(document: DocumentContext, warmup: Setting, steps: float) -> Finding:
    checked = document.at_least("deepspeed", CHECKED)
    older = number_text(max(2.0, steps))
    what = {
        True: "DeepSpeed stops at start",
        False: f"DeepSpeed warms up over {older} steps instead",
        None: f"DeepSpeed {CHECKED} and newer stop at start, older ones warm up over {older} steps",
    }[checked]
    return document.finding(
        warmup,
        f"warmup_num_steps {warmup.text} is no positive whole number: {what}",
        help="write 1 or more; delete the scheduler section for a schedule without warm-up",
        numbers={"warmup_steps": steps},
        severity=None if checked else Severity.WARNING,
        confidence=Confidence.MEDIUM if checked is None else None,
    )


RULE = Rule(
    code="BL315",
    name="ds-warmup-steps-invalid",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("deepspeed",),
    applies="deepspeed >= 0.19.3 stops; older ones warm up over 2 steps",
    harm=7.0,
)
