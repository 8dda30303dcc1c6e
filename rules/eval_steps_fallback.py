"""`eval_strategy: steps` without `eval_steps`: evaluation runs at every logging step.

`eval_steps` falls back to `logging_steps`, which is 10 in TRL and often 1 to 50 in configs. Silent where `max_steps` leaves only a few
evaluations.

## What it costs

A whole pass over the evaluation data after each few optimizer steps: often more time than the training itself, and as many chances to
run out of memory in evaluation.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
logging_steps: 10
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
OFTEN = 100
"""Fewer steps between evaluations are told."""
FEW = 10
"""So many evaluations in a whole run may be meant."""
DEFAULT_SAVE_STEPS = 500


def check(run: RunContext) -> Iterator[Finding]:
    trainer, (evaluates, word) = trainer_of(run), evaluation(run)
    every = written_by(run, "eval_steps") if word == "steps" else None
    if trainer is None or evaluates is None or word != "steps" or (every is not None and number_of(every) != 0):
        return
    logs = written_by(run, "logging_steps")
    steps = number_of(logs) if logs else 10 if trainer.format in TRL_ARGUMENTS and run.at_least("trl", "0.19") else None
    if steps is None or not 1 <= steps < OFTEN or _short(run, steps):
        return
    better, unseen = _better(run), _of_unseen_program(trainer)
    yield run.finding(
        evaluates,
        f"{evaluates.name} steps without eval_steps: it takes logging_steps ({_said(logs, steps)}), so the run evaluates "
        f"on all of its evaluation data every {number_text(steps)} optimizer steps"
        + (", unless its program sets eval_steps itself" if unseen else ""),
        help=f"eval_steps: {better}, or what the run needs",
        because=[logs] if logs else (),
        fixes=run.insert_after(evaluates, "eval_steps", better, safety=Safety.UNSAFE) if every is None else (),
        numbers={"eval_every_steps": steps},
        severity=Severity.INFO if unseen else None,
    )


def _of_unseen_program(trainer: Reading) -> bool:
    """Flags, or plain training arguments: the program behind them is not here."""
    return trainer.format == UNSEEN or trainer.document.is_command or is_own_script(trainer.settings)


def _short(run: RunContext, steps: float) -> bool:
    limit = number_of(written_by(run, "max_steps"))
    return limit is not None and 0 < limit <= FEW * steps


def _said(logs: Setting | None, steps: float) -> str:
    return logs.text if logs else f"not set: {number_text(steps)}"


def _better(run: RunContext) -> int:
    """As often as the run saves, which fits ``load_best_model_at_end`` too."""
    saves = number_of(written_by(run, "save_steps"))
    return int(saves) if saves and saves >= 1 else DEFAULT_SAVE_STEPS


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
