"""The warm-up is longer than the run.

Told only where both are written as numbers of steps. A warm-up of exactly the run's length may be one stage of several, and is not told.

## What it costs

The learning rate never reaches the value that is configured, and no decay follows.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 0.0001
logging_steps: 10
max_steps: 200
warmup_steps: 500
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 0.0001
logging_steps: 10
max_steps: 200
warmup_steps: 20
```

## Sources

- transformers 5.24.0 `optimization.py`: the rate is `step / warmup_steps` of its peak during the warm-up.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._training import as_written, number, stated


def check(run: RunContext) -> Iterator[Finding]:
    steps, warmup, rate = run.setting("max_steps"), run.setting("warmup_steps"), run.setting("learning_rate")
    if steps is None or warmup is None or not stated(steps) or not stated(warmup) or steps.value < 1 or warmup.value <= steps.value:
        return
    reached = steps.value / warmup.value
    peak = f"{reached * rate.value:.2g} instead of {number(rate.value)}" if rate and rate.known else f"{reached:.0%} of its value"
    yield run.finding(
        warmup,
        f"'{as_written(warmup)}' is longer than the run ('{as_written(steps)}'): the learning rate ends at {peak}",
        help=f"3 to 10% of the run is usual: {max(1, round(steps.value * 0.03))} to {max(1, round(steps.value * 0.1))} steps",
        because=[steps],
        numbers={"warmup_steps": warmup.value, "max_steps": steps.value, "peak_fraction": reached},
    )


RULE = Rule(
    code="BL307",
    name="warmup-longer-than-run",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("max_steps", "warmup_steps"),
    harm=9.0,
)
