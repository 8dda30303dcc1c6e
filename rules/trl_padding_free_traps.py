"""TRL's `padding_free` where it stops the run or does nothing.

Without packing, TRL 1.0 and newer demands `max_length: null` (its default is 1024), because a flattened batch is not cut. With one
sequence per batch there is no padding to save. DPO has it no more since TRL 0.29.

## What it costs

SFT stops at start: "When `padding_free=True` without packing, `max_length` is not enforced". DPO pads on, with a warning.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
attn_implementation: flash_attention_2
padding_free: true
max_length: 4096
```

```text requirements.txt
trl==1.16.0
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
attn_implementation: flash_attention_2
padding_free: true
packing: true
max_length: 4096
```

```text requirements.txt
trl==1.16.0
```

## When it is meant

Data that is cut beforehand, with `max_length: null`.

## Sources

- TRL 1.0.0, 1.2.0, 1.6.0, 1.10.0 and 1.16.0 `trainer/sft_trainer.py` raise; 0.24.0, 0.28.0 and 0.29.0 cut the samples first.
- TRL 0.29.0 to 1.16.0 `trainer/dpo_trainer.py`: "temporarily unavailable"; 0.28.0 flattens.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRL_ARGUMENTS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    is_on,
    number_of,
    trainer_of,
    written_by,
)

from ._unsloth import is_unsloth

STOPS_SINCE, DPO_UNTIL = "1.0.0", "0.29.0"


def check(run: RunContext) -> Iterator[Finding]:
    free, task = written_by(run, "padding_free"), run.value("task", "sft")
    if trainer_of(run, TRL_ARGUMENTS) is None or free is None or not is_on(free) or is_unsloth(run):
        return
    if task == "dpo" and run.at_least("trl", DPO_UNTIL):
        yield _told(run, free, "TRL's DPO has no padding-free batches since 0.29 and pads on", "padding_free: false")
    elif task == "sft" and not is_on(written_by(run, "packing")):
        yield from _unpacked(run, free)


def _unpacked(run: RunContext, free: Setting) -> Iterator[Finding]:
    length, batch, newer = run.setting("seq_len"), written_by(run, "per_device_train_batch_size"), run.at_least("trl", STOPS_SINCE)
    if newer is not False and length is not None and length.known and not _pictures(run):
        cut = f"max_length {length.text}" if not length.is_default else f"max_length, {length.value:,} by default"
        since = "" if newer else f" from TRL {STOPS_SINCE} on,"
        yield run.finding(
            free,
            f"padding_free {free.text} without packing:{since} {cut} is not enforced, so the run stops at start",
            help="packing: true beside it, or max_length: null for data that is cut already",
            because=[length],
            numbers={"max_tokens": length.value},
            severity=None if newer else Severity.INFO,
            confidence=None if newer else Confidence.MEDIUM,
        )
    elif batch is not None and number_of(batch) == 1:
        yield _told(run, free, "a batch of one sequence has no padding to save", "a batch of 2 or more, or padding_free: false")


def _pictures(run: RunContext) -> bool:
    """Vision data goes another way; only the data itself tells, or a name."""
    name = f"{run.value('model', '')}".lower()
    return any(word in name for word in ("vl", "vision", "llava", "gemma-3"))


def _told(run: RunContext, free: Setting, cost: str, cure: str) -> Finding:
    return run.finding(free, f"padding_free {free.text} has no effect: {cost}", help=cure, severity=Severity.WARNING)


RULE = Rule(
    "BL716",
    "trl-padding-free-traps",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    applies="the stop: TRL >= 1.0; DPO: TRL >= 0.29",
    words=("padding_free",),
    harm=5.0,
)
