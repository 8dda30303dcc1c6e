"""The accelerate file's DeepSpeed section and the trainer give different numbers for accumulation or clipping.

accelerate makes a DeepSpeed configuration out of its section, and the Trainer compares it with its own arguments as it does with a
DeepSpeed file. A section that leaves the field out agrees with everything.

## What it costs

The run stops at start: "Please correct the following DeepSpeed config values that mismatch TrainingArguments values".

## Failing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
num_processes: 8
deepspeed_config:
  gradient_accumulation_steps: 4
  zero_stage: 2
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
```

```budget
config train.yaml
config accelerate.yaml
```

## Passing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
num_processes: 8
deepspeed_config:
  zero_stage: 2
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
```

```budget
config train.yaml
config accelerate.yaml
```

## Sources

- accelerate 1.15.0 `utils/dataclasses.py` `DeepSpeedPlugin.__post_init__`: ACCELERATE_GRADIENT_ACCUMULATION_STEPS or "auto".
- transformers 5.24.0 and 4.57.6: `propagate_args_to_deepspeed`, `trainer_config_process`, `trainer_config_finalize`.
- hiyouga/LLaMA-Factory#201: "ds gradient_accumulation_steps=4 vs hf gradient_accumulation_steps".
- A loop of your own with `Accelerator(gradient_accumulation_steps=8)` runs on with DeepSpeed's number (accelerate 1.15.0
  `accelerator.py` `_prepare_deepspeed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.rule import (
    TRAINING_ARGUMENTS,
    Confidence,
    Finding,
    Reading,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    is_own_script,
    number_of,
    number_text,
    written_in,
)

PAIRS = (("gradient_accumulation_steps", "gradient_accumulation_steps", "steps"), ("gradient_clipping", "max_grad_norm", "norm"))
"""accelerate's field, TrainingArguments' field, and what both count."""
DEFAULT = 1.0
"""Of either field, from transformers 4.36 to 5.24."""


def check(run: RunContext) -> Iterator[Finding]:
    trainer, file = run.run.trainer, _of_launcher(run, "deepspeed_config_file")
    if trainer is None or trainer.format not in TRAINING_ARGUMENTS or is_own_script(trainer.settings):
        return
    if not _is_deepspeed(run) or (file is not None and file.value != "none") or _of_trainer(run, "deepspeed") is not None:
        return
    for theirs, field, unit in PAIRS:
        yield from _compare(run, trainer, theirs, field, unit)


def _compare(run: RunContext, trainer: Reading, theirs: str, field: str, unit: str) -> Iterator[Finding]:
    left, right = _of_launcher(run, theirs), _of_trainer(run, field)
    there, here = number_of(left), number_of(right) if right else DEFAULT
    if left is None or there is None or here is None or there == here or (theirs == "gradient_clipping" and not there):
        return
    sure = right is not None or trainer.document.is_command
    said = f"says {field} {right.text}" if right else f"leaves {field} out, which makes it {number_text(DEFAULT)}"
    yield run.finding(
        left,
        f"{theirs} is {left.text} here, but the trainer {said}: the Trainer stops at start",
        help=f"delete it here, or write {number_text(here)}",
        because=[right] if right else (),
        fixes=run.delete(left, safety=Safety.UNSAFE),
        numbers={f"launcher_{unit}": there, f"trainer_{unit}": here},
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


def _is_deepspeed(run: RunContext) -> bool:
    kinds = (written_in(one, "distributed_type", "use_deepspeed") for one in run.documents("accelerate"))
    return any(kind is not None and str(kind.value).upper() in ("DEEPSPEED", "TRUE") for kind in kinds)


def _of_launcher(run: RunContext, name: str) -> Setting | None:
    """A flag of ``accelerate launch`` beats the field of its file."""
    return _first(run.documents("accelerate"), name, f"deepspeed_config.{name}")


def _of_trainer(run: RunContext, name: str) -> Setting | None:
    return _first((one for one in run.run.readings if one.format in TRAINING_ARGUMENTS), name)


def _first(readings: Iterable[Reading], *names: str) -> Setting | None:
    ordered = sorted(readings, key=lambda one: not one.document.is_command)
    return next((found for one in ordered if (found := written_in(one, *names)) is not None), None)


RULE = Rule(
    "BL513",
    "accelerate-ds-ga-mismatch",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("accelerate",),
    harm=11.0,
)
