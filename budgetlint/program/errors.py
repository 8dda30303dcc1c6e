"""Errors that a program raises and catches: `raise`, `try`, and which handler an error comes to."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from budgetlint.program.assign import bind
from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives, choice, same
from budgetlint.program.ends import ANY_ERROR
from budgetlint.program.functions import own_nodes
from budgetlint.program.heap import Outcome
from budgetlint.program.objects import Class, Object
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.stops import is_certain, is_last, passes
from budgetlint.program.values import ABSENT, Choice, External, Items, Opaque, Value, Way
from budgetlint.program.wording import ends

_ALL = frozenset({"BaseException", "Exception"})


def raise_(it: Interpreter, node: ast.Raise, frame: Frame) -> Signal:
    if node.exc is None:
        return ("raise", it.caught[-1] if it.caught else External("RuntimeError"))
    error = it.evaluate(node.exc, frame)
    if is_certain(it, error) and passes(it, node, frame):
        return ("return", Opaque("an error is raised instead")) if is_last(node, frame) else GOES_ON
    return ("raise", error)


def try_(it: Interpreter, node: ast.Try, frame: Frame) -> Signal:
    if not node.finalbody:
        return it.settle(_handled(it, node, frame))
    keeps = any(isinstance(one, ast.Return | ast.Break | ast.Continue) for one in own_nodes(ast.Module(node.finalbody, [])))

    def last(end: Outcome) -> Signal:
        signal = it.run(node.finalbody, frame)
        return signal if signal[0] else (end.signal, end.value)

    return finally_(it, lambda: _handled(it, node, frame), last, eats=keeps)


def finally_(it: Interpreter, body: Callable[[], list[Outcome]], last: Callable[[Outcome], Signal], *, eats: bool = False) -> Signal:
    """What is done however the body ends, once for ends of the same kind.

    ``last`` says how it goes on then; ``eats``: it may end an error.
    """
    if eats:
        it.tries.append(frozenset())
    try:
        groups = _alike(body())
    finally:
        if eats:
            it.tries.pop()
    if not groups:
        return ("raise", ANY_ERROR)
    if len(groups) == 1:
        return _finished(it, groups[0], last)
    return it.settle([one for group in groups for one in it.way("", partial(_finished, it, group, last))])


def _alike(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    groups: list[list[Outcome]] = []
    for one in outcomes:
        for group in groups:
            if group[0].signal == one.signal and (one.signal != "raise" or same(group[0].value, one.value)):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _finished(it: Interpreter, group: list[Outcome], last: Callable[[Outcome], Signal]) -> Signal:
    it.heap.join(group)
    value = choice(Way(one.when, one.value) for one in group)
    return last(group[0]._replace(value=value))


# handlers


def _handled(it: Interpreter, node: ast.Try, frame: Frame) -> list[Outcome]:
    """How the body, its handlers and its `else` can end."""
    catching = bool(it.tries) or not all(ends(one.body[-1]) for one in node.handlers)
    if catching:
        it.tries.append(frozenset(name for one in node.handlers for name in _names(one)))
    try:
        outcomes = it.stretch(lambda: it.run(node.body, frame))
    finally:
        if catching:
            it.tries.pop()
    raised = [one for one in outcomes if one.signal == "raise"]
    found = _and_then(it, [one for one in outcomes if one.signal != "raise"], node.orelse, frame)
    return [*found, *_distributed(it, raised, node, frame, alone=not found)]


def _and_then(it: Interpreter, outcomes: list[Outcome], body: list[ast.stmt], frame: Frame) -> list[Outcome]:
    """`else`: after the ways that go on."""
    going = [one for one in outcomes if not one.signal]
    if not body or not going:
        return outcomes
    return [*(one for one in outcomes if one.signal), *it.way("", lambda: _joined(it, going, body, frame))]


def _joined(it: Interpreter, outcomes: list[Outcome], body: list[ast.stmt], frame: Frame) -> Signal:
    it.heap.join(outcomes)
    return it.run(body, frame)


def _distributed(it: Interpreter, raised: list[Outcome], node: ast.Try, frame: Frame, *, alone: bool) -> list[Outcome]:
    """Errors to the handlers that take them; what none takes goes on up."""
    taken: list[tuple[ast.ExceptHandler, list[Outcome]]] = []
    left = list(raised)
    for handler in node.handlers:
        wanted = it.evaluate(handler.type, frame) if handler.type is not None and left else None
        found = [(one, catches(wanted, one.value)) for one in left]
        mine = [one for one, takes in found if takes is not False]
        left = [one for one, takes in found if takes is not True]
        taken += [(handler, mine)] if mine else []
    when = "" if alone and len(taken) == 1 and not left else "after an error"
    ways = [one for handler, mine in taken for one in it.way(when, partial(_run, it, handler, mine, frame))]
    return [*ways, *(left if it.tries else [])]


def _run(it: Interpreter, handler: ast.ExceptHandler, errors: list[Outcome], frame: Frame) -> Signal:
    it.heap.join(errors)
    error = choice(Way(one.when, one.value) for one in errors)
    if handler.name:
        bind(it, frame, handler.name, _as_object(it, error, handler, frame))
    it.caught.append(error)
    try:
        signal = it.run(handler.body, frame)
    finally:
        it.caught.pop()
    if handler.name and not signal[0]:
        bind(it, frame, handler.name, ABSENT)
    return signal


def _as_object(it: Interpreter, error: Value, node: ast.AST, frame: Frame) -> Value:
    """``raise ValueError`` raises an object of it."""
    found = []
    for way in alternatives(error):
        one = way.value
        if isinstance(one, Class):
            one = it.call(one, Call((), {}, None, node, frame))
        elif not isinstance(one, Object):
            one = Object(one.name if isinstance(one, External) else "an error")
        found.append(Way(way.when, one))
    return choice(found)


def _names(handler: ast.ExceptHandler) -> Iterator[str]:
    if handler.type is None:
        yield ""
        return
    for one in ast.walk(handler.type):
        if isinstance(one, ast.Name | ast.Attribute):
            yield _word(one)


def _word(node: ast.Name | ast.Attribute) -> str:
    """The class's own name: ``IOError`` is another one of `OSError`."""
    word = node.id if isinstance(node, ast.Name) else node.attr
    cls = getattr(builtins, word, None)
    return cls.__name__ if isinstance(cls, type) else word


def catches(wanted: Value | None, error: Value) -> bool | None:
    """Whether a handler of this class, or of one of several, takes an error; None where nobody can tell.

    ``wanted`` is None for a bare `except`.
    """
    if wanted is None:
        return True
    if isinstance(error, Choice):
        found = {catches(wanted, way.value) for way in error.ways}
        return found.pop() if len(found) == 1 else None
    if isinstance(wanted, Items):
        several = [catches(one, error) for one in wanted.items]
        return True if True in several else None if None in several or wanted.more is not None else False
    line = _line(error)
    if isinstance(wanted, Class):
        return None if line is None else wanted in line
    if not isinstance(wanted, External):
        return None
    return _by_name(wanted.name.removeprefix("builtins."), line)


def _line(error: Value) -> Sequence[Value] | None:
    """The classes of an error, None where they are not told."""
    if isinstance(error, Object):
        own = error.cls.line if error.cls is not None else ()
        return (*own, External(error.kind)) if error.kind else own
    if isinstance(error, Class):
        return error.line
    return (error,) if isinstance(error, External) else None


def _by_name(wanted: str, line: Sequence[Value] | None) -> bool | None:
    if line is None:
        return True if wanted in _ALL else None
    names = [one.name.removeprefix("builtins.") for one in line if isinstance(one, External)]
    mine, their = _builtin(wanted), [_builtin(name) for name in names]
    if wanted in names or (mine is not None and any(one is not None and issubclass(one, mine) for one in their)):
        return True
    if mine is not None and None not in their and their:
        return False
    return True if wanted in _ALL and names != ["SystemExit"] else None


def _builtin(name: str) -> type[BaseException] | None:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None
