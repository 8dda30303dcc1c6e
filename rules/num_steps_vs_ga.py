"""Gradient accumulation is said twice: as `num_steps` of `accelerator_config` and as `gradient_accumulation_steps`.

## What it costs

The run stops at start: "The `AcceleratorConfig`'s `num_steps` is set but `gradient_accumulation_steps` is greater than 1".

## Failing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 2
num_train_epochs: 1
save_strategy: epoch
learning_rate: 0.00002
accelerator_config:
  gradient_accumulation_kwargs:
    num_steps: 4
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 4
num_train_epochs: 1
save_strategy: epoch
learning_rate: 0.00002
```

## Sources

- transformers 5.24.0, 4.57.6 and 4.41.0 `trainer.py` `create_accelerator_and_postprocess`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, DocumentContext, Finding, Rule, Safety, Severity, number_of, written_in

KEY = "accelerator_config.gradient_accumulation_kwargs.num_steps"


def check(document: DocumentContext) -> Iterator[Finding]:
    inner, outer = written_in(document.reading, KEY), written_in(document.reading, "gradient_accumulation_steps")
    steps = number_of(outer)
    if inner is None or outer is None or steps is None or steps <= 1:
        return
    yield document.finding(
        inner,
        f"num_steps {inner.text} beside gradient_accumulation_steps {outer.text}: the Trainer stops at start",
        help="say it once, as gradient_accumulation_steps",
        because=[outer],
        fixes=document.delete(inner, safety=Safety.UNSAFE),
        numbers={"steps": int(steps)},
    )


RULE = Rule(
    "BL526",
    "num-steps-vs-ga",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=TRAINING_ARGUMENTS,
    flags=True,
    words=("num_steps",),
    harm=3.0,
)
