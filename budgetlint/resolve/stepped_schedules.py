"""Schedules that are stepped at each small batch while the optimizer steps once for several.

Inside `accelerator.accumulate` a prepared optimizer and a prepared scheduler skip what is no boundary (accelerate 0.21 to 1.15
``optimizer.py`` step, ``scheduler.py`` step: `gradient_state.sync_gradients`); a scheduler that was not prepared does not. Told only where
the loop counts its steps under `sync_gradients` and ends at the number that the schedule was made for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.program.places import Place

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Trees

_MAKES = ("get_scheduler", "_schedule_with_warmup")


def stepped_schedules(followed: Followed, trees: Trees) -> Iterator[tuple[str, Place, Place]]:
    """The name of each, where it is stepped, and the ``with``."""
    for path in followed.modules:
        tree = trees.tree(path)
        functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)] if tree is not None else []
        for function in functions:
            yield from _of(function, path)


def _of(function: ast.FunctionDef, path: str) -> Iterator[tuple[str, Place, Place]]:
    nodes = list(ast.walk(function))
    made = dict(_made(nodes))
    for block in (one for one in nodes if isinstance(one, ast.With)):
        accelerator = _accumulates(block)
        if not accelerator or not made:
            continue
        for step in _steps(block):
            name = ast.unparse(step.func.value) if isinstance(step.func, ast.Attribute) else ""
            total = made.get(name)
            if total and not _is_prepared(name, nodes) and _counts_whole_steps(nodes, accelerator, total):
                yield name, Place(path, step.lineno, step), Place(path, block.lineno, block.items[0].context_expr)


def _made(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """The schedules that the function makes, with the number of steps as it is written."""
    for one in nodes:
        if not (isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and len(one.targets) == 1):
            continue
        called = ast.unparse(one.value.func).rpartition(".")[2]
        total = next((word.value for word in one.value.keywords if word.arg == "num_training_steps"), None)
        if called.endswith(_MAKES) and isinstance(total, ast.Name | ast.Attribute):
            yield ast.unparse(one.targets[0]), ast.unparse(total)


def _accumulates(block: ast.With) -> str:
    """``with accelerator.accumulate(model):``"""
    call = block.items[0].context_expr
    is_it = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "accumulate"
    return ast.unparse(call.func.value) if is_it and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""


def _steps(block: ast.With) -> Iterator[ast.Call]:
    """``x.step()`` that no condition is around."""
    for one in block.body:
        call = one.value if isinstance(one, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "step" and not call.args:
            yield call


def _is_prepared(name: str, nodes: list[ast.AST]) -> bool:
    """Is it given to ``prepare``, or set once more by what is not its making?"""
    calls = [one for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and "prepare" in one.func.attr]
    given = {ast.unparse(value.value if isinstance(value, ast.Starred) else value) for one in calls for value in one.args}
    if any(isinstance(value, ast.Starred) for one in calls for value in one.args):
        return True
    return name in given or sum(_binds(one, name) for one in nodes) != 1


def _binds(node: ast.AST, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(ast.unparse(part) == name for one in targets for part in ast.walk(one) if isinstance(part, ast.Name | ast.Attribute))


def _counts_whole_steps(nodes: list[ast.AST], accelerator: str, total: str) -> bool:
    """``if accelerator.sync_gradients: done += 1`` beside ``done < total`` (or ``>=``)."""
    counters = {
        ast.unparse(line.target)
        for one in nodes
        if isinstance(one, ast.If) and ast.unparse(one.test) == f"{accelerator}.sync_gradients"
        for line in one.body
        if isinstance(line, ast.AugAssign) and isinstance(line.op, ast.Add)
    }
    compared = [
        (ast.unparse(one.left), ast.unparse(one.comparators[0])) for one in nodes if isinstance(one, ast.Compare) and len(one.ops) == 1
    ]
    return any((counter, total) in compared for counter in counters)
