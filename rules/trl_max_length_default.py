"""TRL cuts every sample at 1,024 tokens, because `max_length` is not set.

Told where the cut takes what the run trains on: with the loss on the answers only, the answer stands at the end of the sample; with
packing, 1,024 is also the length of the packed rows.

## What it costs

Long answers lose their end, and with it the token that says stop. A sample whose prompt alone is longer contributes no loss at all.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
assistant_only_loss: true
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
assistant_only_loss: true
max_length: 4096
```

```text requirements.txt
trl==1.16.0
```

## When it is meant

Data that is short.

## Sources

- TRL 0.12.0 (`max_seq_length`: the smaller of 1024 and the tokenizer's limit), 0.19.1, 0.24.0, 1.0.0 and 1.16.0 `trainer/sft_config.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRL_ARGUMENTS,
    Confidence,
    Finding,
    OriginKind,
    Rule,
    RunContext,
    Setting,
    Severity,
    is_on,
    last_key,
    trainer_of,
    written_by,
)

CUT = 1024
_LATE = ("assistant_only_loss", "completion_only_loss", "packing")


def check(run: RunContext) -> Iterator[Finding]:
    length, late = run.setting("seq_len"), _late(run)
    if trainer_of(run, TRL_ARGUMENTS) is None or late is None or run.value("task") != "sft" or length is None:
        return
    positions = run.plan.arch.max_positions if run.plan is not None else None
    if length.origin.kind is not OriginKind.DEFAULT or length.value != CUT or not positions or positions <= CUT:
        return
    rows = "packed rows are" if last_key(late) == "packing" else "every sample is cut at"
    yield run.finding(
        late,
        f"{last_key(late)} {late.text} without max_length: {rows} {CUT:,} tokens, TRL's default, of the {positions:,} that the model takes",
        help="write max_length",
        numbers={"default_tokens": CUT, "max_positions": positions},
    )


def _late(run: RunContext) -> Setting | None:
    return next((found for found in (written_by(run, key) for key in _LATE) if is_on(found)), None)


RULE = Rule(
    "BL706",
    "trl-max-length-default",
    Severity.INFO,
    Confidence.MEDIUM,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("seq_len",),
    words=TRL_ARGUMENTS,
    harm=11.0,
)
