"""The metric by which a Trainer picks its best checkpoint, beside those that the program's own `compute_metrics` gives.

Told only where the function is the program's, and gives nothing but dicts whose keys stand in its text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.base.suggest import near_names
from budgetlint.program.functions import own_nodes
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.places import Place
from budgetlint.program.values import Items, Known, Map, Value
from budgetlint.resolve.program_places import at
from budgetlint.settings.program import MetricNotMade

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files
    from budgetlint.program.sinks import Sink

_TRAINERS = frozenset({"transformers.Trainer", "transformers.Seq2SeqTrainer"})
_OWN = frozenset({"loss", "runtime", "samples_per_second", "steps_per_second", "model_preparation_time", "epoch"})
"""What `evaluate` adds itself (transformers 4.57.6 ``trainer.py`` evaluation_loop, ``trainer_utils.py`` speed_metrics)."""
_PREFIX = "eval_"


def metrics_not_made(followed: Followed, files: Files) -> tuple[MetricNotMade, ...]:
    return tuple(_of(followed, files))


def _of(followed: Followed, files: Files) -> Iterator[MetricNotMade]:
    if any(one.is_of_all for one in followed.doubts):
        return
    for trainer in (one for one in followed.sinks if one.kind == "trainer"):
        arguments, function = trainer.get("args"), trainer.get("compute_metrics")
        if trainer.name not in _TRAINERS or trainer.base or trainer.rest is not None or not isinstance(function, Function):
            continue
        asked = arguments.attributes.get("metric_for_best_model") if isinstance(arguments, Object) else None
        names = _names(function)
        if names is None or not isinstance(asked, Known) or not isinstance(asked.value, str) or not _evaluates(arguments):
            continue
        name = asked.value.removeprefix(_PREFIX)
        made = {one.removeprefix(_PREFIX) for one in names}
        if name not in made | _OWN and not _is_of_several(name, made | _OWN, trainer) and asked.origins:
            where = at(asked.origins[0].place, files)
            near = next(iter(near_names(name, sorted(made), alike=0.7)), "")
            yield MetricNotMade(name, where, tuple(sorted(made)), at(Place(function.names.module.path, function.node.lineno), files), near)


def _evaluates(arguments: Value | None) -> bool:
    """Does it evaluate while it trains, for sure?"""
    held = arguments.attributes if isinstance(arguments, Object) else {}
    found = [one for name in ("eval_strategy", "evaluation_strategy") if (one := held.get(name)) is not None]
    return any(isinstance(one, Known) and one.value in ("steps", "epoch") for one in found)


def _is_of_several(name: str, made: set[str], trainer: Sink) -> bool:
    """Of several sets, each metric has the set's name before its own."""
    rows = trainer.get("eval_dataset")
    return isinstance(rows, Map | Items) or any(name.endswith(f"_{one}") for one in made)


def _names(function: Function) -> set[str] | None:
    """The keys of what it gives; None where that is not all in its text."""
    if function.decorated is not None or isinstance(function.bound, Class) or not isinstance(function.node, ast.FunctionDef):
        return None
    nodes = list(own_nodes(function.node))
    given = [one.value for one in nodes if isinstance(one, ast.Return)]
    if not given or any(isinstance(one, ast.Yield | ast.YieldFrom) for one in nodes):
        return None
    found: set[str] = set()
    for value in given:
        keys = value.keys if isinstance(value, ast.Dict) else [None]
        texts = [one.value for one in keys if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if len(texts) < len(keys):
            return None
        found.update(texts)
    return found
