"""When a run evaluates and saves: the strategy words of the training arguments, and a number of steps beside them."""

from __future__ import annotations

from budgetlint.rule import RunContext, Setting, is_on, written_by

EVALUATES = ("eval_strategy", "evaluation_strategy")
_DEFAULTS = {EVALUATES: "no", ("save_strategy",): "steps", ("logging_strategy",): "steps"}
"""transformers 4.41.0 to 5.24.0 ``training_args.py``."""


def strategy(run: RunContext, *keys: str) -> tuple[Setting | None, str]:
    """The setting and its word; an empty word where nothing here can know it. A bare ``no`` is false to YAML."""
    setting = written_by(run, *keys)
    if setting is None:
        return None, _DEFAULTS[keys]
    word = str(setting.value).lower() if setting.known else ""
    return setting, {"false": "no"}.get(word, word)


def evaluation(run: RunContext) -> tuple[Setting | None, str]:
    return strategy(run, *EVALUATES)


def saving(run: RunContext) -> tuple[Setting | None, str]:
    return strategy(run, "save_strategy")


def logging(run: RunContext) -> tuple[Setting | None, str]:
    return strategy(run, "logging_strategy")


def taken_by_itself(run: RunContext) -> bool:
    """The Trainer takes the loss for ``metric_for_best_model`` (transformers 4.57.6 and 5.24.0 ``training_args.py``)."""
    return is_on(written_by(run, "load_best_model_at_end")) or run.value("lr_scheduler") in ("reduce_lr_on_plateau", "greedy")
