"""Warm-up steps and a warm-up ratio, of which one has no effect.

## What it costs

axolotl stops when the file is read. transformers before 5.0 follows the steps, 5.0 to 5.14 the ratio, and 5.15 no longer knows the
ratio (told by `hf-args-removed-v5`).

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
warmup_steps: 100
warmup_ratio: 0.1
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
warmup_steps: 100
```

## Sources

- transformers 4.57.6 `training_args.py` `get_warmup_steps`; 5.0.0 `__post_init__`: `self.warmup_steps = self.warmup_ratio`.
- axolotl 0.8.0 to 0.19.0 `check_warmup`: "warmup_steps and warmup_ratio are mutually exclusive".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    as_written,
    stated,
    trainer_of,
)

RATIO_WINS, RATIO_GONE = "5.0.0", "5.15.0"


def check(run: RunContext) -> Iterator[Finding]:
    steps, ratio, trainer = run.setting("warmup_steps"), run.setting("warmup_ratio"), trainer_of(run, TRAINERS_AND_AXOLOTL)
    if trainer is None or steps is None or ratio is None or not stated(steps) or not stated(ratio) or min(steps.value, ratio.value) <= 0:
        return
    if trainer.format == "axolotl":
        yield _finding(run, ratio, steps, "axolotl stops when it reads the file", severity=Severity.ERROR)
    elif run.at_least("transformers", RATIO_GONE):
        return
    elif run.at_least("transformers", RATIO_WINS) is False:
        yield _finding(run, ratio, steps, "the ratio has no effect", fixes=run.delete(ratio, safety=Safety.SAFE))
    elif run.at_least("transformers", RATIO_WINS):
        yield _finding(run, steps, ratio, "the steps have no effect", fixes=run.delete(steps, safety=Safety.SAFE))
    else:
        yield _finding(run, ratio, steps, "transformers before 5.0 follows the steps, 5.0 to 5.14 the ratio", confidence=Confidence.MEDIUM)


def _finding(run: RunContext, at: Setting, other: Setting, what: str, **more: Any) -> Finding:
    said = f"'{as_written(at)}' beside '{as_written(other)}': {what}"
    return run.finding(at, said, help="keep one of them", because=[other], **more)


RULE = Rule(
    code="BL320",
    name="warmup-both-set",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    needs=("warmup_steps", "warmup_ratio"),
    applies="transformers < 5.15; axolotl: all versions",
    harm=7.0,
)
