"""`mixed_precision` of the accelerate file and `fp16`/`bf16` of the trainer name different dtypes.

The trainer wins; accelerate's value counts only when the trainer has both off. `mixed_precision: no` beside `bf16: true` is common
and harmless, and not told.

## What it costs

The run computes in another dtype than the launch file says, without a message: a memory plan or a loss curve is explained by the
wrong one. A program with a loop of its own that starts from the same file does compute in it, so the fix is unsafe.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
```

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
mixed_precision: fp16
num_processes: 2
```

```budget
config train.yaml
config accelerate.yaml
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
```

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
mixed_precision: bf16
num_processes: 2
```

```budget
config train.yaml
config accelerate.yaml
```

## Sources

- transformers 5.24.0 `training_args.py` `__post_init__`, step 5; the same order in 4.57.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Safety, Setting, Severity, as_written

_HALVES = ("fp16", "bf16")


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    if trainer is None or trainer.format not in TRAINER_RUNS:
        return
    said = [one.settings.get("autocast") for one in run.run.readings if one.format == "accelerate"]  # the command, then its file
    theirs, ours = _half(next((one for one in said if one is not None), None)), _half(trainer.settings.get("autocast"))
    if theirs is None or ours is None or theirs.value == ours.value:
        return
    yield run.finding(
        theirs,
        f"'{as_written(theirs)}' has no effect: the trainer says '{as_written(ours)}' and wins, so the run computes in {ours.value}",
        help=f"write mixed_precision: {ours.value} here, or change the trainer's file",
        because=[ours],
        fixes=run.set(theirs, str(ours.value), f"mixed_precision: {ours.value}", safety=Safety.UNSAFE),
    )


def _half(setting: Setting | None) -> Setting | None:
    """A 16-bit dtype that the file names outright (not ``bf16: auto``)."""
    return setting if setting is not None and setting.known and setting.value in _HALVES and setting.text != "auto" else None


RULE = Rule(
    code="BL210",
    name="accelerate-mp-vs-trainer",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("accelerate",),
    harm=9.0,
)
