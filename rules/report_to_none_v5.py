"""The run is named for a tracker, but transformers 5 reports to none by default.

Up to 4.57 `report_to` was "all": every tracker that is installed. From 5.0 on it is "none". Told only where the version is known and
another key shows that a tracker is meant (`run_name`, `logging_dir`, `wandb_project`).

## What it costs

The run leaves no curves: its metrics stand on the terminal only.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
run_name: sft-7b
```

```text requirements.txt
transformers==5.10.2
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
run_name: sft-7b
report_to: wandb
```

```text requirements.txt
transformers==5.10.2
```

## Sources

- transformers 4.57.6 `training_args.py`: `report_to` None becomes "all"; 5.0.0, 5.10.2 and 5.24.0: "none".
- TRL 1.16.0 `trainer/base_config.py` and LLaMA-Factory 0.9.5 leave it as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINERS, Confidence, Finding, Fix, Rule, RunContext, Safety, Setting, Severity, is_on, trainer_of, written_by

MEANT = {"wandb_project": "wandb", "wandb_entity": "wandb", "trackio_space_id": "trackio", "logging_dir": "tensorboard", "run_name": ""}
"""Keys that only a tracker reads, with its name."""


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run) is None or not run.at_least("transformers", "5.0") or written_by(run, "report_to") is not None:
        return
    meant = next((one for key in MEANT if (one := written_by(run, key)) is not None), None)
    if meant is not None and not is_on(written_by(run, "use_swanlab")):
        tracker = MEANT[meant.name]
        yield run.finding(
            meant,
            f"{meant.name} {meant.text} has no effect: report_to is not set, which means none since transformers 5.0",
            help=f"report_to: {tracker or 'wandb, or the tracker that is meant'}",
            fixes=_fix(run, meant, tracker),
        )


def _fix(run: RunContext, meant: Setting, tracker: str) -> tuple[Fix, ...]:
    return run.insert_after(meant, "report_to", tracker, safety=Safety.UNSAFE) if tracker else run.advice("set report_to")


RULE = Rule(
    code="BL619",
    name="report-to-none-v5",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRAINERS,
    applies="transformers >= 5.0",
    words=tuple(MEANT),
    harm=4.0,
)
