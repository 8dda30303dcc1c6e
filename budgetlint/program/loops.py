"""Loops: over items that are known, one by one; else any number of times."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from budgetlint.program.assign import assign
from budgetlint.program.calling import Frame
from budgetlint.program.choices import alternatives, choice, origins_of, same
from budgetlint.program.comparisons import held
from budgetlint.program.generators import Body, body_of, drive
from budgetlint.program.heap import Outcome, perhaps_absent
from budgetlint.program.iterate import iterated, started
from budgetlint.program.logic import tested
from budgetlint.program.repeat import outcomes_of
from budgetlint.program.sifting import sifting
from budgetlint.program.state import UNROLLED, Interpreter, Signal
from budgetlint.program.stops import Rounds
from budgetlint.program.values import NONE, Choice, Items, Known, Map, Opaque, Value, Way
from budgetlint.program.wording import shown


def for_(it: Interpreter, node: ast.For | ast.AsyncFor, frame: Frame) -> Signal:
    sifting(it, node.target, node.iter, node.body, frame)
    whole = started(it, it.evaluate(node.iter, frame), node, frame)
    body = body_of(whole)
    if body is not None:
        return _ended(it, it.stretch(lambda: _driven(it, node, body, frame)))
    items, more = iterated(it, whole, node.iter, frame)
    if len(items) > UNROLLED:
        items, more = (), Opaque(f"an item of {shown(node.iter)}", whole)
    found = it.stretch(lambda: _rounds(it, node, items, more, whole, frame))
    return _ended(it, found)


def _ended(it: Interpreter, outcomes: list[Outcome]) -> Signal:
    """How the loop itself ends."""
    return it.settle([one._replace(signal="") if one.signal == "break" else one for one in outcomes])


def _driven(it: Interpreter, node: ast.For | ast.AsyncFor, body: Body, frame: Frame) -> Signal:
    """Over a generator: a round at each of its `yield`."""
    signal = drive(it, body, lambda one: _round(it, node, one, frame))
    return signal if signal[0] else it.run(node.orelse, frame)


def _rounds(
    it: Interpreter, node: ast.For | ast.AsyncFor, items: Sequence[Value], more: Value | None, whole: Value, frame: Frame
) -> Signal:
    """A round for each item that is known, then any number for the others. A list is gone over as it is at each round."""
    at = 0
    while at < len(items):
        signal = _item(it, node, items[at], frame)
        if signal[0]:
            return signal
        at += 1
        if isinstance(whole, Items) and whole.kind == "list" and whole.items is not items:
            items, more = whole.items[:UNROLLED], whole.more
            more = more if len(whole.items) <= UNROLLED else Opaque("more items than are followed", whole)
    if more is not None:
        why, package, origins = f"an item of {shown(node.iter)}", getattr(more, "package", ""), origins_of([more, whole])
        inner = choice(Way(way.when, Opaque(why, way.value, package, origins)) for way in alternatives(whole))
        signal = _any_number(it, node, inner, Rounds(f"{shown(node.iter)} has items"), frame)
        if signal[0]:
            return signal
    return it.run(node.orelse, frame)


def _item(it: Interpreter, node: ast.For | ast.AsyncFor, one: Value, frame: Frame) -> Signal:
    if not perhaps_absent(one):
        return _once(it, node, one, frame)
    return _any_number(it, node, one, f"an item of {shown(node.iter)}", frame)


def _any_number(it: Interpreter, node: ast.For | ast.AsyncFor, one: Value, when: str, frame: Frame) -> Signal:
    found = outcomes_of(it, lambda: _round(it, node, one, frame), when, node, frame.names)
    return it.settle([Outcome("", NONE, {}, f"not {when}"), *found])


def _round(it: Interpreter, node: ast.For | ast.AsyncFor, one: Value, frame: Frame) -> Signal:
    assign(it, node.target, one, frame)
    return it.run(node.body, frame)


def _once(it: Interpreter, node: ast.For | ast.AsyncFor, one: Value, frame: Frame) -> Signal:
    """One round: a `continue` ends it, all else that leaves leaves the loop."""
    found = it.stretch(lambda: _round(it, node, one, frame))
    return it.settle([one._replace(signal="") if one.signal == "continue" else one for one in found])


def while_(it: Interpreter, node: ast.While, frame: Frame) -> Signal:
    found = it.stretch(lambda: _while(it, node, frame))
    return _ended(it, found)


def _while(it: Interpreter, node: ast.While, frame: Frame) -> Signal:
    for _ in range(UNROLLED):
        known = held(it, tested(it, node.test, frame), node, frame)
        if known is False:
            return it.run(node.orelse, frame)
        if known is None:
            break
        found = it.stretch(lambda: it.run(node.body, frame))
        if isinstance(node.test, ast.Constant) and (len(found) != 1 or not _counts(found[0])):
            break
        signal = it.settle([one._replace(signal="") if one.signal == "continue" else one for one in found])
        if signal[0]:
            return signal
    return _on_and_on(it, node, frame)


def _counts(round: Outcome) -> bool:
    """Did a round change something that is known, so that a later one may end where this one did not? Others are all alike."""
    return any(isinstance(one.new, Known | Items | Map | Choice) and not same(one.old, one.new) for one in round.changes.values())


def _on_and_on(it: Interpreter, node: ast.While, frame: Frame) -> Signal:
    text = Rounds(shown(node.test))
    found = outcomes_of(it, lambda: _tested(it, node, frame), text, node, frame.names)
    if isinstance(node.test, ast.Constant):  # `while True` ends where something breaks it
        ended = [one for one in found if one.signal]
        return it.settle(ended or found)
    signal = it.settle([Outcome("", NONE, {}, f"not ({text})"), *found])
    return signal if signal[0] else it.run(node.orelse, frame)


def _tested(it: Interpreter, node: ast.While, frame: Frame) -> Signal:
    tested(it, node.test, frame)
    return it.run(node.body, frame)
