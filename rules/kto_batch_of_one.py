"""KTO with one example for each device.

KTO's loss has a KL term that is estimated within the batch of a device: each prompt is paired with the answer of another one. With one
example there is no other. Accumulated batches do not help: they are looked at one by one.

## What it costs

The trainer stops when it is made: after the model and its reference have been loaded.

## Failing

```yaml kto.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/kto-mix-14k
desirable_weight: 1.0
per_device_train_batch_size: 1
gradient_accumulation_steps: 16
learning_rate: 0.000001
num_train_epochs: 1
```

## Passing

```yaml kto.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/kto-mix-14k
desirable_weight: 1.0
per_device_train_batch_size: 4
gradient_accumulation_steps: 4
learning_rate: 0.000001
num_train_epochs: 1
```

## Sources

- TRL 0.12.0, 0.19.0, 0.24.0 and 1.16.0 `trainer/kto_trainer.py` (0.27.0 `experimental/kto/`): "Actual (not effective) batch size must be
  > 1", but for `loss_type: apo_zero_unpaired`, which has no KL term. Before 0.12 the whole batch is counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Severity, number_of, trainer_of, written_by

WITHOUT_KL = "apo_zero_unpaired"


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, TRL_ARGUMENTS) is None or run.value("task") != "kto" or run.run.stack.at_least("trl", "0.12.0") is False:
        return
    batch, loss = written_by(run, "per_device_train_batch_size"), written_by(run, "loss_type")
    size = number_of(batch)
    if batch is None or size is None or size > 1 or (loss is not None and (not loss.known or loss.value == WITHOUT_KL)):
        return
    yield run.finding(
        batch,
        f"per_device_train_batch_size {batch.text}: KTO estimates its KL term within the batch of a device, so the trainer stops below 2",
        help=f"per_device_train_batch_size: 2 or more, with less accumulation; or loss_type: {WITHOUT_KL}, which has no KL term",
        numbers={"batch_examples": size},
    )


RULE = Rule(
    code="BL636",
    name="kto-batch-of-one",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=TRL_ARGUMENTS,
    words=("per_device_train_batch_size",),
    applies="TRL >= 0.12.0",
    harm=7.0,
    stops=True,
)
