"""What a program makes to evaluate with: the optimizer of a probe, the loader of a test set. None of it is what trains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from budgetlint.base.expression import expression
from budgetlint.program.sinks import Sink

_EVALUATES = expression(r"(?:^|_)(?:eval\w*|valid\w*|test|testing|probe|probing|predict|infer\w*|zero_?shot|few_?shot|knn)(?:_|$)")
_HOOKS = frozenset({"configure_optimizers", "training_step"})
"""Where Lightning asks a module for its optimizers (lightning 2.0 to 2.6 ``pytorch/core/module.py``)."""


def is_evaluating(one: Sink) -> bool:
    """Was it made in a function that says it evaluates?"""
    return any(_EVALUATES.search(name.lower()) for name in one.callers if name not in _HOOKS)


def training(sinks: Sequence[Sink], kind: str) -> tuple[list[Sink], bool]:
    """The sinks of a kind that may be of the training, and whether others were left out; all, where a program does nothing but what
    such functions do."""
    made = [one for one in sinks if one.kind == kind]
    if _only_evaluates(sinks):
        return made, False
    kept = [one for one in made if not is_evaluating(one)]
    return kept, len(kept) < len(made)


def _only_evaluates(sinks: Iterable[Sink]) -> bool:
    """A probe is all that is trained."""
    trains = [one for one in sinks if one.kind in {"backward", "foreign_trainer", "deepspeed", "trainer"}]
    return all(map(is_evaluating, trains))
