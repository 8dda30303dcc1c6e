"""DeepSpeed's warm-up without `warmup_max_lr` goes up to 0.001, whatever rate the optimizer has.

`WarmupDecayLR` does so in every release, `WarmupLR` before 0.17.2; from then on it keeps the optimizer's rate. `"auto"` is filled in by the
Trainer, a missing key is not. Told only where the rate of the run is written and another.

## What it costs

The schedule writes the rate into each group of the optimizer at every step, so `lr` has no effect. For fine-tuning 0.001 is 50 to 2,000
times too much: the loss rises or the model forgets what it knew. No message.

## Failing

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 1,
 "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}},
 "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_num_steps": 10, "total_num_steps": 100}}}
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
num_train_epochs: 1
learning_rate: 1.0e-5
deepspeed: ds.json
```

## Passing

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 1,
 "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}},
 "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_max_lr": 1e-5, "warmup_num_steps": 10, "total_num_steps": 100}}}
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
num_train_epochs: 1
learning_rate: 1.0e-5
deepspeed: ds.json
```

## Sources

- DeepSpeed 0.14.0, 0.16.9, 0.17.1, 0.17.2, 0.19.8 `runtime/lr_schedules.py` `WarmupLR`, `WarmupDecayLR`: `warmup_max_lr`.
- transformers 5.24.0 `integrations/deepspeed.py` `trainer_config_process`: `fill_only` passes over a key that is missing.
- deepspeedai/DeepSpeed#7303: a rate of 5e-7 that trained at 0.001.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, stated, written_in

DEFAULT = 0.001


def check(run: RunContext) -> Iterator[Finding]:
    engine, rate = run.reading("deepspeed"), run.setting("learning_rate")
    kind = written_in(engine, "scheduler.type") if engine is not None else None
    if engine is None or kind is None or rate is None or "warmup_max_lr" not in rate.origin.note or not rate.overrode:
        return  # the settings know the release, and whose schedule it is
    lost = rate.overrode[0]
    if not stated(lost) or not lost.known:
        return
    when = "" if rate.known else " before DeepSpeed 0.17.2"
    yield run.finding(
        kind,
        f"{kind.text} without warmup_max_lr goes up to {DEFAULT}{when}: the learning rate of {lost.text} has no effect",
        help=f"scheduler.params.warmup_max_lr: {lost.text}",
        because=[lost],
        numbers={"learning_rate": lost.value, "warmup_max_lr": DEFAULT},
    )


RULE = Rule(
    code="BL336",
    name="ds-warmup-default-rate",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("deepspeed",),
    applies="WarmupDecayLR: all versions; WarmupLR: deepspeed < 0.17.2",
    harm=9.0,
)
