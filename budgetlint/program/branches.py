"""Conditions: the branch that holds, or both; `assert`."""

from __future__ import annotations

import ast

from budgetlint.program.calling import Frame
from budgetlint.program.comparisons import held
from budgetlint.program.logic import narrow, tested
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.stops import Decided, is_certain, refuse
from budgetlint.program.values import External
from budgetlint.program.wording import ends, negated, shown


def if_(it: Interpreter, node: ast.If, frame: Frame) -> Signal:
    known = held(it, tested(it, node.test, frame), node, frame)
    if known is None:
        it.untaken.setdefault(id(node), set()).update((True, False))
        text = shown(node.test)
        return it.fork(
            [
                (text, lambda: _narrowed(it, node.test, node.body, frame, holds=True)),
                (negated(text), lambda: _narrowed(it, node.test, node.orelse, frame, holds=False)),
            ]
        )
    it.untaken.setdefault(id(node), set()).add(not known)
    taken, other = (node.body, node.orelse) if known else (node.orelse, node.body)
    if taken and ends(taken[-1]) and not any(it.tries) and not it.conditions and not _is_main(node.test):
        refuse(it, node, frame)
        return it.run(other, frame)  # said, and read on: the run that was meant
    if taken and taken[-1] in it.past:
        refuse(it, node, frame, given=True)
        return it.run(other, frame)
    it.decided.append(Decided(node, known, frame))
    try:
        return it.run(taken, frame)
    finally:
        it.decided.pop()


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def assert_(it: Interpreter, node: ast.Assert, frame: Frame) -> Signal:
    known = held(it, tested(it, node.test, frame), node, frame)
    if known is None:
        it.may_fail("AssertionError")
        narrow(it, node.test, frame, holds=True)
    if known is not False:
        return GOES_ON
    if any(it.tries) or it.conditions:
        error = External("AssertionError")
        if node not in it.past:
            it.ended += [node] if is_certain(it, error) else []
            return ("raise", error)
        refuse(it, node, frame, given=True)
        return GOES_ON
    refuse(it, node, frame)
    return GOES_ON


def _narrowed(it: Interpreter, test: ast.expr, body: list[ast.stmt], frame: Frame, *, holds: bool) -> Signal:
    narrow(it, test, frame, holds=holds)
    return it.run(body, frame)
