"""Trainings of a program one after another, all alike: ``for seed in (1, 2, 3): train(seed)``. What one needs, each of them needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from budgetlint.resolve.program_ways import seen_of

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Trees
    from budgetlint.program.places import Place
    from budgetlint.program.sinks import Sink
    from budgetlint.resolve.program_ways import Made


def are_rounds(made: Sequence[Made], trainers: Sequence[Sink | None], followed: Followed, trees: Trees) -> bool:
    """Is nothing read of one that is not read of the others, and does nothing of one stay on the device when the next begins: does each
    train in a call of one function, which ends before the next call?"""
    if any(one is None for one in trainers) or len({seen_of(one[0]) for one in made}) != 1:
        return False
    places = [place for one in trainers for place in _trains(followed, one)]
    alike = {(one.path, one.line) for one in places}
    return len(places) == len(trainers) and len(alike) == 1 and _ends_with_its_call(places[0], trees)


def _trains(followed: Followed, trainer: Sink | None) -> Iterator[Place]:
    from budgetlint.program.objects import Object

    for one in followed.sinks:
        if one.kind == "trains" and isinstance(one.receiver, Object) and one.receiver.made is trainer:
            yield one.place


def _ends_with_its_call(place: Place, trees: Trees) -> bool:
    """``trainer.train()`` in a function that has no loop around it, and gives neither the trainer nor a part of it back."""
    tree = trees.tree(place.path)
    around = [one for one in ast.walk(tree) if _holds(one, place.line)] if tree is not None else []
    at = next((at for at in range(len(around) - 1, -1, -1) if isinstance(around[at], ast.FunctionDef)), None)
    if at is None or any(isinstance(one, ast.For | ast.While | ast.AsyncFor | ast.ClassDef) for one in around[at:]):
        return False
    function = around[at]
    names = {one.func.value.id for one in ast.walk(function) if _is_call(one, place.line)}  # type: ignore[attr-defined]
    kept = [one.value for one in ast.walk(function) if isinstance(one, ast.Return | ast.Yield) and one.value is not None]
    return bool(names) and not any(isinstance(one, ast.Name) and one.id in names for value in kept for one in ast.walk(value))


def _holds(node: ast.AST, line: int) -> bool:
    return isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)


def _is_call(node: ast.AST, line: int) -> bool:
    """``trainer.train(…)`` of a plain name, at this line."""
    function = node.func if isinstance(node, ast.Call) and node.lineno == line else None
    return isinstance(function, ast.Attribute) and function.attr == "train" and isinstance(function.value, ast.Name)
