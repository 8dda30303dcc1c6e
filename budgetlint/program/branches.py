"""Conditions: the branch that holds, or both; `assert`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from budgetlint.program.calling import Frame
from budgetlint.program.comparisons import held
from budgetlint.program.logic import narrow, tested
from budgetlint.program.noted import Refusal
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.values import Choice, External, Items, Known, Map, origins_of
from budgetlint.program.wording import ends, negated, shown

_MOST_REFUSALS = 20


def if_(it: Interpreter, node: ast.If, frame: Frame) -> Signal:
    known = held(it, tested(it, node.test, frame), node, frame)
    if known is None:
        text = shown(node.test)
        return it.fork(
            [
                (text, lambda: _narrowed(it, node.test, node.body, frame, holds=True)),
                (negated(text), lambda: _narrowed(it, node.test, node.orelse, frame, holds=False)),
            ]
        )
    taken, other = (node.body, node.orelse) if known else (node.orelse, node.body)
    if taken and ends(taken[-1]) and not any(it.tries) and not it.conditions and not _is_main(node.test):
        _refuse(it, node, frame)
        return it.run(other, frame)  # said, and read on: the run that was meant
    return it.run(taken, frame)


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _refuse(it: Interpreter, node: ast.If | ast.Assert, frame: Frame) -> None:
    if len(it.refusals) < _MOST_REFUSALS:
        asked = [it.evaluate(one, frame) for one in _asked(node.test)]
        sure = all(one.origins for one in asked if isinstance(one, Known | Items | Map | Choice))
        it.refusals.append(Refusal(it.place(node, frame), shown(node.test), origins_of(asked), sure=sure, after=len(it.sinks)))


def _asked(node: ast.AST) -> Iterator[ast.expr]:
    """What a condition asks for: names, attributes, items, ``x.get(key)``; of another method what it is a method of."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        yield node
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get":
            yield node
            return
        yield from _asked(node.func.value)
        for one in (*node.args, *node.keywords):
            yield from _asked(one)
    else:
        for one in ast.iter_child_nodes(node):
            yield from _asked(one)


def assert_(it: Interpreter, node: ast.Assert, frame: Frame) -> Signal:
    known = held(it, tested(it, node.test, frame), node, frame)
    if known is None:
        it.may_fail("AssertionError")
        narrow(it, node.test, frame, holds=True)
    if known is not False:
        return GOES_ON
    if any(it.tries) or it.conditions:
        return ("raise", External("AssertionError"))
    _refuse(it, node, frame)
    return GOES_ON


def _narrowed(it: Interpreter, test: ast.expr, body: list[ast.stmt], frame: Frame, *, holds: bool) -> Signal:
    narrow(it, test, frame, holds=holds)
    return it.run(body, frame)
