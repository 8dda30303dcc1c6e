"""TRL's `loss_type: chunked_nll` together with `use_liger_kernel`.

Both replace the loss: one in chunks of tokens, the other in a fused kernel.

## What it costs

The run stops when the trainer is made: "`loss_type='chunked_nll'` is not compatible with `use_liger_kernel=True`". TRL 1.15 made the two
agree.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: data
loss_type: chunked_nll
use_liger_kernel: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

```budget
device 1x a100-80gb
stack trl@1.14
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: data
use_liger_kernel: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

```budget
device 1x a100-80gb
stack trl@1.14
```

## Sources

- TRL 1.4.0 (the first that has the loss), 1.6.0, 1.10.0 and 1.14.2 `trainer/sft_trainer.py`; 1.15.0 has no such check.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Safety, Severity, is_on, written_by


def check(run: RunContext) -> Iterator[Finding]:
    loss, liger, newest = written_by(run, "loss_type"), written_by(run, "use_liger_kernel"), run.at_least("trl", "1.15.0")
    if loss is None or loss.value != "chunked_nll" or liger is None or not is_on(liger) or newest is True:
        return
    yield run.finding(
        loss,
        f"loss_type chunked_nll with '{liger.name.rpartition('.')[2]}: {liger.text}': TRL {'' if newest is False else '1.4 to 1.14 '}stops "
        "when the trainer is made",
        help="leave loss_type unset, which Liger's fused loss then computes, or remove use_liger_kernel",
        because=[liger],
        fixes=run.delete(loss, safety=Safety.UNSAFE),
        severity=Severity.ERROR if newest is False else Severity.WARNING,
        confidence=Confidence.HIGH if newest is False else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL424",
    name="chunked-nll-and-liger",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRL_ARGUMENTS,
    applies="trl >= 1.4.0, < 1.15.0",
    words=("loss_type",),
    harm=2.5,
)
