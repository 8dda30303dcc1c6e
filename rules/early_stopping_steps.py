"""Early stopping without the evaluations that it counts.

axolotl's `early_stopping_patience` wants `save_steps` and `eval_steps`, the first a multiple of the second; `saves_per_epoch` and
`evals_per_epoch` do not count. LLaMA-Factory's `early_stopping_steps` wants evaluation on and a metric, which
`load_best_model_at_end` sets by itself.

## What it costs

axolotl stops at start, LLaMA-Factory when training begins, after the model has been loaded and the data prepared.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: data.jsonl
    type: alpaca
micro_batch_size: 2
num_epochs: 3
val_set_size: 0.1
evals_per_epoch: 4
saves_per_epoch: 2
early_stopping_patience: 3
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: data.jsonl
    type: alpaca
micro_batch_size: 2
num_epochs: 3
val_set_size: 0.1
eval_steps: 50
save_steps: 100
early_stopping_patience: 3
```

## Sources

- axolotl 0.8.0 and 0.19.0 `utils/schemas/validation.py` `check_early_stopping`; `cli/config.py`: the check comes before
  `normalize_config`, which makes steps of `evals_per_epoch`.
- LLaMA-Factory 0.9.3 and 0.9.5 `train/tuner.py`; transformers 5.24.0 `trainer_callback.py` `EarlyStoppingCallback.on_train_begin`: two
  assertions.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Setting, Severity, number_of, trainer_of, written_by

from ._llamafactory import takes_hparams
from ._moments import evaluation, taken_by_itself


def check(run: RunContext) -> Iterator[Finding]:
    if takes_hparams(run):
        yield from _llamafactory(run)
    elif trainer_of(run, ("axolotl",)) is not None:
        yield from _axolotl(run)


def _axolotl(run: RunContext) -> Iterator[Finding]:
    patience, saves, evaluates = written_by(run, "early_stopping_patience"), written_by(run, "save_steps"), written_by(run, "eval_steps")
    kept, every = _steps(saves), _steps(evaluates)
    if patience is None or not number_of(patience) or kept is None or every is None:
        return
    missing = " and ".join(name for name, steps in (("save_steps", kept), ("eval_steps", every)) if not steps)
    if missing:
        yield _finding(
            run, patience, f"{missing} not set: axolotl stops at start", "set save_steps and eval_steps, one a multiple of the other"
        )
    elif kept % every and saves is not None and evaluates is not None:
        what = f"save_steps {saves.text} is no multiple of eval_steps {evaluates.text}: axolotl stops at start"
        yield _finding(run, patience, what, f"save_steps: a multiple of {evaluates.text}", [saves, evaluates])


def _steps(setting: Setting | None) -> float | None:
    """0 where nothing is set, None where it is not known."""
    return 0 if setting is None else number_of(setting)


def _llamafactory(run: RunContext) -> Iterator[Finding]:
    patience, (strategy, word) = written_by(run, "early_stopping_steps"), evaluation(run)
    if patience is None:
        return
    because = [strategy] if strategy else []
    if word == "no":
        what = "no evaluation (eval_strategy): the run stops when training begins"
        yield _finding(run, patience, what, "eval_strategy: steps or epoch", because)
    elif written_by(run, "metric_for_best_model") is None and not taken_by_itself(run):
        what = "neither metric_for_best_model nor load_best_model_at_end: the run stops when training begins"
        yield _finding(run, patience, what, "load_best_model_at_end: true", because)


def _finding(run: RunContext, at: Setting, what: str, help: str, because: list[Setting] | None = None) -> Finding:
    return run.finding(at, f"{at.name} {at.text} with {what}", help=help, because=because or [], fixes=run.advice(help))


RULE = Rule(
    code="BL622",
    name="early-stopping-steps",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    formats=("llamafactory", "axolotl"),
    words=("early_stopping_patience", "early_stopping_steps"),
    harm=2.5,
)
