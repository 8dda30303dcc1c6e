"""Packing that loses which tokens the loss is taken of.

TRL 0.17 to 0.19 pack the token ids alone: the mask of completions, or of the assistant's turns, is left behind, and the loss is taken of
every token, prompts included.

## What it costs

The run trains on prompts too, as if `completion_only_loss` or `assistant_only_loss` were false, and nothing says so.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
max_length: 2048
packing: true
assistant_only_loss: true
```

```text requirements.txt
trl==0.19.0
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
max_length: 2048
packing: true
assistant_only_loss: true
```

```text requirements.txt
trl==0.20.0
```

## Sources

- TRL 0.17.0, 0.18.0 and 0.19.0 `trainer/sft_trainer.py` _prepare_dataset: `select_columns("input_ids")` before `pack_dataset`; 0.20.0 keeps
  `completion_mask` and `assistant_masks`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Severity, is_on, trainer_of, written_by

FIRST, MENDED = "0.17.0", "0.20.0"


def check(run: RunContext) -> Iterator[Finding]:
    stack = run.run.stack
    if trainer_of(run, TRL_ARGUMENTS) is None or not stack.at_least("trl", FIRST) or stack.at_least("trl", MENDED) is not False:
        return
    packing, mask = written_by(run, "packing"), written_by(run, "assistant_only_loss", "completion_only_loss")
    if packing is None or mask is None or not is_on(packing) or not is_on(mask):
        return
    yield run.finding(
        mask,
        f"{mask.name} with packing: TRL before {MENDED} packs the token ids without the mask, so the loss is taken of prompts too",
        help=f"packing: false, or TRL {MENDED} or newer",
        because=[packing],
    )


RULE = Rule(
    code="BL723",
    name="packing-drops-loss-mask",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=TRL_ARGUMENTS,
    words=("assistant_only_loss", "completion_only_loss"),
    applies="TRL 0.17 to 0.19",
    harm=9.0,
)
