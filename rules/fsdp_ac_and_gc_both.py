"""FSDP's activation checkpointing and the trainer's own are both on.

## What it costs

The Trainer stops at start: the two "can't be set to True simultaneously".

## Failing

```yaml train.yaml
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
save_strategy: epoch
gradient_checkpointing: true
fsdp: full_shard auto_wrap
fsdp_config:
  activation_checkpointing: true
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
save_strategy: epoch
gradient_checkpointing: false
fsdp: full_shard auto_wrap
fsdp_config:
  activation_checkpointing: true
```

## Sources

- transformers 5.24.0 and 4.57.6 `trainer.py` `create_accelerator_and_postprocess`. FSDP's own avoids gathering the
  parameters a second time (huggingface/transformers#30404).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINERS, Confidence, Finding, Reading, Rule, RunContext, Safety, Setting, Severity, is_on, written_in

KEYS = ("fsdp_config.fsdp_activation_checkpointing", "fsdp_config.activation_checkpointing")


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    own = written_in(trainer, "activation_checkpointing", "gradient_checkpointing") if trainer and trainer.format in TRAINERS else None
    theirs = next((found for found in map(_of_fsdp, run.run.readings) if is_on(found)), None)
    if own is None or theirs is None or not is_on(own):
        return
    yield run.finding(
        own,
        f"{own.name} {own.text} beside FSDP's {theirs.name.rpartition('.')[2]} {theirs.text}: the Trainer stops at start",
        help=f"{own.name}: false",
        because=[theirs],
        fixes=run.set(own, False, safety=Safety.UNSAFE),
    )


def _of_fsdp(reading: Reading) -> Setting | None:
    """Only where FSDP is on: by the trainer's ``fsdp``, or as accelerate's ``distributed_type``."""
    switch = written_in(reading, "distributed_type" if reading.format == "accelerate" else "fsdp")
    if switch is None or not switch.known:
        return None
    on = str(switch.value).upper() == "FSDP" if reading.format == "accelerate" else str(switch.value).lower() not in ("", "false")
    return written_in(reading, *KEYS) if on else None


RULE = Rule(
    code="BL803",
    name="fsdp-ac-and-gc-both",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRAINERS,
    harm=9.0,
    stops=True,
)
