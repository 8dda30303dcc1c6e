"""`eval_strategy: steps` without `eval_steps`: evaluation runs at every logging step.

`eval_steps` falls back to `logging_steps`, which is 10 in TRL and often 1 to 50 in configs. Told where `max_steps` makes that more than 50
evaluations, and where nothing says how long the run is, only below 5 steps or where nobody wrote `logging_steps` at all: a run that logs
every 25 steps may well mean to evaluate as often.

## What it costs

A whole pass over the evaluation data after each few optimizer steps: often more time than the training itself, and as many chances to
run out of memory in evaluation.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
logging_steps: 1
eval_strategy: steps
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
logging_steps: 10
eval_strategy: steps
eval_steps: 500
```

## Sources

- transformers 4.41.0 to 5.24.0 `training_args.py`: "using `logging_steps` to initialize `eval_steps`", also for 0.
- TRL 0.19.1, 0.24.0 `trainer/*_config.py` and 1.16.0 `trainer/base_config.py`: `logging_steps` 10; 0.12.0 leaves it at 500.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRAINERS,
    TRL_ARGUMENTS,
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
    trainer_of,
    written_by,
)

from ._moments import evaluation

UNSEEN = "hf_training_arguments"
"""Arguments of a program that is not here, which may set ``eval_steps`` by itself (BELLE's ``sft_train.py``)."""
OFTEN, UNWRITTEN = 5, 100
"""Fewer steps between evaluations are told of a run whose length nobody knows: as somebody wrote them, and as a default."""
MANY, USUAL = 50, 10
"""So many evaluations in a whole run may be meant; so many are advised."""


def check(run: RunContext) -> Iterator[Finding]:
    trainer, (evaluates, word) = trainer_of(run), evaluation(run)
    every = written_by(run, "eval_steps") if word == "steps" else None
    if trainer is None or evaluates is None or word != "steps" or (every is not None and number_of(every) != 0):
        return
    logs = written_by(run, "logging_steps")
    steps = number_of(logs) if logs else 10 if trainer.format in TRL_ARGUMENTS and run.at_least("trl", "0.19") else None
    limit = _limit(run)
    if steps is None or steps < 1 or not _costs(steps, limit, written=logs is not None):
        return
    better, unseen = _better(run, steps, limit), _of_unseen_program(trainer)
    yield run.finding(
        evaluates,
        f"{evaluates.name} steps without eval_steps: it takes logging_steps ({_said(logs, steps)}), so the run evaluates "
        f"on all of its evaluation data every {number_text(steps)} optimizer steps"
        + (", unless its program sets eval_steps itself" if unseen else ""),
        help=f"eval_steps: {better}, or what the run needs" if better else "a tenth of the run's steps, or eval_strategy: epoch",
        because=[logs] if logs else (),
        fixes=run.insert_after(evaluates, "eval_steps", better, safety=Safety.UNSAFE) if every is None and better else (),
        numbers={"eval_every_steps": steps},
        severity=Severity.INFO if unseen else None,
    )


def _of_unseen_program(trainer: Reading) -> bool:
    """Flags, or plain training arguments: the program behind them is not here."""
    return trainer.format == UNSEEN or trainer.document.is_command or is_own_script(trainer.settings)


def _limit(run: RunContext) -> float | None:
    """The optimizer steps of the run, where they are said."""
    limit = number_of(written_by(run, "max_steps")) or number_of(run.setting("max_steps"))
    return limit if limit is not None and limit > 0 else None


def _costs(steps: float, limit: float | None, *, written: bool) -> bool:
    return limit > MANY * steps if limit is not None else steps < (OFTEN if written else UNWRITTEN)


def _said(logs: Setting | None, steps: float) -> str:
    return logs.text if logs else f"not set: {number_text(steps)}"


def _better(run: RunContext, steps: float, limit: float | None) -> int:
    """As often as the run saves, which fits ``load_best_model_at_end`` too; else a tenth of the run. 0 where nothing tells."""
    saves = number_of(written_by(run, "save_steps"))
    if saves and saves >= 1 and saves > steps and (limit is None or saves <= limit / 2):
        return int(saves)
    return 0 if limit is None else max(1, round(limit / USUAL / steps)) * int(steps)


RULE = Rule(
    code="BL608",
    name="eval-steps-fallback",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*TRAINERS, *PYTHON),
    applies="logging_steps unset: TRL >= 0.19; else all versions",
    harm=11.2,
)
