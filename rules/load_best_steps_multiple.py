"""`load_best_model_at_end`, and `save_steps` is no multiple of `eval_steps`.

## What it costs

The run stops at start: "--load_best_model_at_end requires the saving steps to be a round multiple of the evaluation steps".

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
eval_strategy: steps
save_strategy: steps
eval_steps: 500
save_steps: 750
load_best_model_at_end: true
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
eval_strategy: steps
save_strategy: steps
eval_steps: 250
save_steps: 750
load_best_model_at_end: true
```

## Sources

- transformers 5.24.0 and 4.57.6 `training_args.py`: numbers below 1 are parts of the run; both or neither may be.
- `eval_steps` falls back to `logging_steps`, `save_steps` to 500.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINERS,
    Confidence,
    DocumentContext,
    Finding,
    Rule,
    Safety,
    Severity,
    is_on,
    number_of,
    number_text,
    written_in,
)

from ._flags import may_be_elsewhere

DEFAULT_SAVE_STEPS = 500.0
LARGE = 1_000_000
"""transformers compares two ratios after this multiplication."""


def check(document: DocumentContext) -> Iterator[Finding]:
    reading = document.reading
    evaluates = written_in(reading, "eval_strategy", "evaluation_strategy")
    saves = written_in(reading, "save_strategy")
    steps = evaluates is not None and evaluates.value == "steps" and (saves is None or saves.value == "steps")
    eval_steps, save_steps = written_in(reading, "eval_steps", "logging_steps"), written_in(reading, "save_steps")
    every, kept = number_of(eval_steps), number_of(save_steps) if save_steps else DEFAULT_SAVE_STEPS
    if not steps or eval_steps is None or every is None or kept is None or not is_on(written_in(reading, "load_best_model_at_end")):
        return
    if every <= 0 or not _refused(kept, every):
        return
    if (save_steps is None or saves is None or eval_steps.name != "eval_steps") and may_be_elsewhere(document):
        return
    said = f"save_steps {save_steps.text if save_steps else number_text(kept) + ' (not set)'}"
    mixed = (every < 1) != (kept < 1)
    better = max(1, round(kept / every)) * every
    yield document.finding(
        save_steps or eval_steps,
        f"{said} is no multiple of {eval_steps.name} {eval_steps.text}: with load_best_model_at_end the run stops at start",
        help="write both as steps or both as parts of the run" if mixed else f"save_steps: {number_text(better).replace(',', '')}",
        because=[eval_steps],
        fixes=document.set(save_steps, int(better), safety=Safety.UNSAFE) if save_steps and not mixed and better == int(better) else (),
        numbers={"save_steps": kept, "eval_steps": every},
    )


def _refused(kept: float, every: float) -> bool:
    if kept % every == 0:
        return False
    if every < 1 and kept < 1:
        return (kept * LARGE) % (every * LARGE) != 0
    return True


RULE = Rule(
    code="BL603",
    name="load-best-steps-multiple",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRAINERS,
    flags=True,
    words=("load_best_model_at_end",),
    harm=8.5,
    stops=True,
)
