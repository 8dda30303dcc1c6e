"""Where a program surely stops: which conditions of its own bring it to an error, and whether every training lies behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from budgetlint.program.choices import origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.evaluating import is_evaluating
from budgetlint.program.noted import Refusal
from budgetlint.program.objects import Class, Object
from budgetlint.program.registries import is_registry
from budgetlint.program.sinks import Condition, Sink
from budgetlint.program.values import Choice, External, Items, Known, Map, Value
from budgetlint.program.wording import ends, negated, shown

if TYPE_CHECKING:
    from budgetlint.program.calling import Frame
    from budgetlint.program.heap import Region

    # it is asked of the interpreter on its way, which keeps what it says
    from budgetlint.program.state import Interpreter

MOST_PASSED = 3
"""Errors, one behind the other, that a program is read on past to see whether it would train."""
_MOST_REFUSALS = 20
_TRAINS = frozenset({"backward", "foreign_trainer", "trainer"})
_READIES = frozenset({"arguments", "optimizer"})
_MEANT = frozenset({"GeneratorExit", "KeyboardInterrupt", "StopAsyncIteration", "StopIteration", "SystemExit"})
_GIVEN = frozenset({"flag", "config", "declared"})


class Rounds(Condition):
    """The condition of a loop's body: that there is a round."""

    __slots__ = ()


class Decided(NamedTuple):
    """A condition that is known, and the branch of it that is followed."""

    node: ast.If
    holds: bool
    frame: Frame


class Passed:
    """A stop that was read on past. ``regions``: those that ways had left before it came to that; a training outside of one of these, or
    outside of the loops around, may be reached another way (``skipped``). ``asked``: of `Interpreter.past`."""

    __slots__ = ("asked", "conditions", "refusal", "regions", "skipped")

    def __init__(self, refusal: Refusal, conditions: Sequence[str], regions: Sequence[Region], *, asked: bool) -> None:
        self.refusal, self.conditions, self.regions, self.asked = refusal, tuple(conditions), tuple(regions), asked
        self.skipped = False

    def meet(self, conditions: Sequence[str], regions: Sequence[Region]) -> None:
        """A training is met."""
        inside = len(conditions) >= len(self.conditions) and all(a is b for a, b in zip(self.conditions, conditions, strict=False))
        open_now = set(map(id, regions))
        self.skipped = self.skipped or not inside or any(id(one) not in open_now for one in self.regions)


def met(it: Interpreter, kind: str) -> None:
    """A call that trains is met: which stops lie before it however the program goes?"""
    if it.passed and kind in _TRAINS:
        for one in it.passed:
            one.meet(it.conditions, it.heap.regions)


def is_certain(it: Interpreter, error: Value) -> bool:
    """Does the program come to this for certain, once it is in the loops around, and does no handler take it?"""
    name = _name(error)
    return name not in _MEANT and all(isinstance(one, Rounds) for one in it.conditions) and not it.may_be_caught(name)


def _name(error: Value) -> str:
    name = error.name if isinstance(error, External | Class) else error.kind if isinstance(error, Object) and error.cls is None else ""
    return name.removeprefix("builtins.")


def refuse(it: Interpreter, node: ast.If | ast.Assert, frame: Frame, *, given: bool = False) -> None:
    """A condition that holds ends the program. ``given``: it has to hang on what somebody gives."""
    _note(it, node, shown(node.test), [(node.test, frame)], frame, given=given)


def passes(it: Interpreter, node: ast.Raise, frame: Frame) -> bool:
    """Is an error read on past? Then it is written down, with the conditions that brought the program to it."""
    if node not in it.past:
        it.ended.append(node)
        return False
    guards = list(_guards(_body(frame), node))
    around = it.decided[::-1]
    mine = [(one.node.test, one.frame) for one in around]
    if guards:
        text = negated(shown(guards[-1].test))
    elif around:
        text = shown(around[0].node.test) if around[0].holds else negated(shown(around[0].node.test))
    else:
        text = ""
    _note(it, node, text, [*((one.test, frame) for one in reversed(guards)), *mine], frame, given=True)
    return True


def _note(it: Interpreter, node: ast.stmt, text: str, tests: Iterable[tuple[ast.expr, Frame]], frame: Frame, *, given: bool) -> None:
    if it.conditions:  # an earlier round of the loop came to the same
        it.refusals = [one for one in it.refusals if one.place.node is not node]
    if len(it.refusals) >= _MOST_REFUSALS:
        return
    asked = [value for test, of in tests for value in values_asked(it, test, of)]
    is_whole = not any(is_registry(it, one) for one in asked)
    if not is_whole and not given:
        return
    because = origins_of(asked)
    sure = all(one.origins for one in asked if isinstance(one, Known | Items | Map | Choice))
    sure = sure and is_whole and (not given or any(one.kind in _GIVEN for one in because))
    note(it, Refusal(it.place(node, frame), text, because, sure=sure, after=len(it.sinks)), asked=given)


def note(it: Interpreter, refusal: Refusal, *, asked: bool) -> None:
    """The program stops here, and is read on past it; a training that ways reach which left before is not stopped."""
    it.refusals.append(refusal)
    it.passed.append(Passed(refusal, it.conditions, [one for one in it.heap.regions if one.left], asked=asked))


def values_asked(it: Interpreter, test: ast.expr, frame: Frame) -> Iterator[Value]:
    """What a condition asks for, as it is now."""
    for one in _asked(test):
        try:
            yield it.evaluate(one, frame)
        except Dead:
            continue


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


def _body(frame: Frame) -> list[ast.stmt]:
    body = frame.function.node.body if frame.function is not None else []
    return body if isinstance(body, list) else []


def is_last(node: ast.stmt, frame: Frame) -> bool:
    """Is it what a function ends with?"""
    body = _body(frame)
    return bool(body) and body[-1] is node


def _guards(body: Sequence[ast.stmt], node: ast.stmt) -> Iterator[ast.If]:
    """``if kind == "a": return one``, before the error in its block."""
    if node in body:
        for one in body[: body.index(node)]:
            if isinstance(one, ast.If) and (isinstance(one.body[-1], ast.Return) or ends(one.body[-1])):
                yield from _chain(one)


def _chain(node: ast.If) -> Iterator[ast.If]:
    yield node
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        yield from _chain(node.orelse[0])


# whether it would train


def trains(sinks: Iterable[Sink]) -> bool:
    """Does the program come to a training?"""
    found = [one for one in sinks if not is_evaluating(one)]
    kinds = {one.kind for one in found}
    only_asked = "evaluates" in kinds and not kinds & {"trains", "uses"}
    return bool(kinds & (_TRAINS - {"trainer"})) or ("trainer" in kinds and not only_asked)


def is_meant(sinks: Sequence[Sink], passed: Iterable[Passed]) -> bool:
    """Would it train, but for stops that it surely comes to? Or does it ready itself for that, and what it would train with is not known
    behind such a stop."""
    found = [one for one in passed if one.asked and not one.skipped]
    if not found or not all(one.refusal.sure for one in found):
        return False
    return trains(sinks) or (readies(sinks) and not any(one.conditions or one.regions for one in found))


def readies(sinks: Iterable[Sink]) -> bool:
    """Does it make what nobody makes who does not train?"""
    return any(one.kind in _READIES and not is_evaluating(one) for one in sinks)


def told(it: Interpreter) -> tuple[Refusal, ...]:
    """The stops without those that a training can be reached around of."""
    around = {id(one.refusal) for one in it.passed if one.skipped}
    return tuple(one for one in it.refusals if id(one) not in around)
