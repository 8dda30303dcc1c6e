"""accelerate's `mixed_precision` asks for one 16-bit dtype, and the DeepSpeed file switches the other one on.

## What it costs

The run stops at start: "`--mixed_precision` arg cannot be set to `bf16` when `fp16` is set in the DeepSpeed config file".

## Failing

```sh run.sh
accelerate launch --use_deepspeed --deepspeed_config_file ds.json --mixed_precision bf16 --num_processes 8 train.py \
  --model_name_or_path Qwen/Qwen2.5-1.5B --per_device_train_batch_size 4 --output_dir out
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}}
```

## Passing

```sh run.sh
accelerate launch --use_deepspeed --deepspeed_config_file ds.json --mixed_precision bf16 --num_processes 8 train.py \
  --model_name_or_path Qwen/Qwen2.5-1.5B --per_device_train_batch_size 4 --output_dir out
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": true}}
```

## When it is meant

`mixed_precision: no` leaves the dtype to the DeepSpeed file. A training file that says `bf16` or `fp16` itself overrides
accelerate's word; then ds-hf-precision-mismatch compares.

## Sources

- accelerate 0.30.0, 1.0.0 and 1.15.0 `utils/dataclasses.py` `DeepSpeedPlugin.set_mixed_precision`; fp8 rests on bf16 since 1.0.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Reading, Rule, RunContext, Setting, Severity, is_on, stated, written_in

_OTHER = {"fp16": "bf16", "bf16": "fp16", "fp8": "fp16"}


def check(run: RunContext) -> Iterator[Finding]:
    engine, trainer = run.reading("deepspeed"), run.run.trainer
    if engine is None or (trainer is not None and trainer.format in TRAINER_RUNS and stated(trainer.settings.get("autocast"))):
        return
    for launcher in run.documents("accelerate"):
        asked = _asked(launcher)
        switch = written_in(engine, f"{_OTHER[str(asked.value)]}.enabled") if asked else None
        if asked is not None and switch is not None and is_on(switch):
            yield run.finding(
                asked,
                f"mixed_precision {asked.text}, but {switch.name} is {switch.text} in the DeepSpeed file: accelerate stops at start",
                help=f"leave mixed_precision out, or switch {asked.value if asked.value != 'fp8' else 'bf16'} on in the DeepSpeed file",
                because=[switch],
            )


def _asked(launcher: Reading) -> Setting | None:
    """accelerate's own file refuses the key altogether beside a DeepSpeed file (accelerate-ds-file-inline-fields)."""
    asked, named = written_in(launcher, "mixed_precision"), written_in(launcher, "deepspeed_config.deepspeed_config_file")
    if asked is None or str(asked.value) not in _OTHER or (named is not None and not launcher.document.is_command):
        return None
    return asked


RULE = Rule(
    "BL215",
    "accelerate-ds-precision-conflict",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    words=("accelerate",),
    harm=6.5,
)
