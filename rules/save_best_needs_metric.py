"""`save_strategy: best` without a metric that says what is best.

The Trainer takes the loss by itself only with `load_best_model_at_end`, or under a schedule that follows the evaluation
(`reduce_lr_on_plateau`, `greedy`).

## What it costs

The run stops when the trainer is built, after the model has been loaded; axolotl (from 0.16) stops at start.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
eval_strategy: epoch
save_strategy: best
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
eval_strategy: epoch
save_strategy: best
metric_for_best_model: eval_loss
```

## Sources

- transformers 4.57.6 and 5.24.0 `trainer.py`: "`args.metric_for_best_model` must be provided"; `training_args.py`: when it becomes "loss".
  `best` exists from 4.47 on.
- axolotl 0.16.1 and 0.19.0 `utils/schemas/config.py` `check_save_strategy_best_requires_metric`: not even with
  `load_best_model_at_end`, which 0.8.0 hands on only beside `save_steps`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import PYTHON, TRAINERS_AND_AXOLOTL, Confidence, Finding, Rule, RunContext, Safety, Severity, trainer_of, written_by

from ._moments import saving, taken_by_itself


def check(run: RunContext) -> Iterator[Finding]:
    trainer, (saves, word) = trainer_of(run, TRAINERS_AND_AXOLOTL), saving(run)
    if trainer is None or saves is None or word != "best" or written_by(run, "metric_for_best_model") is not None:
        return
    stops = "axolotl stops when it reads the file" if trainer.format == "axolotl" else "the run stops when the trainer is built"
    if trainer.format == "axolotl" or not taken_by_itself(run):
        yield run.finding(
            saves,
            f"{saves.name} {saves.text} without metric_for_best_model: {stops}",
            help="metric_for_best_model: eval_loss",
            fixes=run.insert_after(saves, "metric_for_best_model", "eval_loss", safety=Safety.SAFE),
        )


RULE = Rule(
    code="BL621",
    name="save-best-needs-metric",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=(*TRAINERS_AND_AXOLOTL, *PYTHON),
    applies="transformers >= 4.47, which knows best",
    words=("save_strategy",),
    harm=3.0,
    stops=True,
)
