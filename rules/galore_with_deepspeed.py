"""GaLore or APOLLO with DeepSpeed, which LLaMA-Factory and axolotl refuse.

The plain Trainer lets them through as an untested optimizer of ZeRO and is not told.

## What it costs

The run stops when the arguments are read: "GaLore and APOLLO are incompatible with DeepSpeed yet".

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: full
template: qwen
cutoff_len: 2048
per_device_train_batch_size: 1
use_galore: true
deepspeed: examples/deepspeed/ds_z2_config.json
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: full
template: qwen
cutoff_len: 2048
per_device_train_batch_size: 1
use_galore: true
```

## Sources

- llamafactory 0.9.4 `hparams/parser.py`: `training_args.deepspeed is not None and (use_galore or use_apollo)`.
- axolotl 0.18.0 `utils/schemas/validation.py` `check_qgalore`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Setting, Severity, as_written, is_on, trainer_of, written_by


def check(run: RunContext) -> Iterator[Finding]:
    trainer, engine = trainer_of(run, ("llamafactory", "axolotl")), written_by(run, "deepspeed")
    if trainer is None or engine is None or not engine.value:
        return
    low_rank = _own(run) if trainer.format == "llamafactory" else _quantised(run)
    if low_rank is not None:
        name = "LLaMA-Factory" if trainer.format == "llamafactory" else "axolotl"
        yield run.finding(
            low_rank,
            f"'{as_written(low_rank)}' with DeepSpeed: {name} stops when it reads the arguments",
            help="train without DeepSpeed (the states are small), or with adamw_torch",
            because=[engine],
        )


def _own(run: RunContext) -> Setting | None:
    return next((switch for switch in (written_by(run, "use_galore"), written_by(run, "use_apollo")) if is_on(switch)), None)


def _quantised(run: RunContext) -> Setting | None:
    setting = run.setting("optimizer")
    return setting if setting is not None and setting.text == "q_galore_adamw8bit" else None


RULE = Rule(
    code="BL326",
    name="galore-with-deepspeed",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    words=("deepspeed",),
    harm=4.5,
    stops=True,
)
