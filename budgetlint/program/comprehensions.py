"""Comprehensions: item by item where all are known, else once, for what is called in them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from budgetlint.program.assign import assign
from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import choice, key_of
from budgetlint.program.comparisons import held
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.iterate import iterated
from budgetlint.program.operators import MOST_ITEMS
from budgetlint.program.packages.iterators import lazy
from budgetlint.program.packages.sequences import set_of
from budgetlint.program.places import Origin
from budgetlint.program.repeat import repeated
from budgetlint.program.sifting import sifting
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.subscripts import there
from budgetlint.program.values import ABSENT, Items, Map, Names, Opaque, Value, Way


def generator_of(it: Interpreter, node: ast.GeneratorExp, frame: Frame) -> Value:
    """Its items are worked out when it is gone over; what it goes over is named now."""
    whole = it.evaluate(node.generators[0].iter, frame)

    def items(it: Interpreter, call: Call) -> Items:
        return _list(it, node, frame, whole)

    def others(it: Interpreter) -> None:
        repeated(it, lambda: ("", _list(it, node, frame, whole)), "", node)

    return lazy(items, [whole], None, others)


def list_of(it: Interpreter, node: ast.ListComp | ast.SetComp, frame: Frame) -> Value:
    return _list(it, node, frame, it.evaluate(node.generators[0].iter, frame))


def _list(it: Interpreter, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame, whole: Value) -> Items:
    made: list[Value] = []
    open_ended: list[Value] = []
    kind = "set" if isinstance(node, ast.SetComp) else "list"

    def add(inner: Frame, *, certain: bool) -> None:
        value = it.evaluate(node.elt, inner)
        if not certain:
            open_ended.append(Opaque("a filter decides which items there are", value))
        elif not open_ended:
            made.append(value)

    more = _over(it, node.generators, _inner(frame), add, whole)
    found = Items(made, "list", open_ended[0] if open_ended else more, (Origin("source", it.place(node, frame)),))
    return found if kind == "list" else set_of(made, found.more, kind, found)


def dict_of(it: Interpreter, node: ast.DictComp, frame: Frame) -> Value:
    made = Map(None, None, (Origin("source", it.place(node, frame)),))

    def add(inner: Frame, *, certain: bool) -> None:
        key, value = key_of(it.evaluate(node.key, inner)), it.evaluate(node.value, inner)
        if key is ABSENT:
            made.rest = Opaque("a key that is not known")
        else:
            made.items[key] = value if certain else choice([Way("", value), Way("", made.items.get(key, ABSENT))])

    sifting(it, node.generators[0].target, node.generators[0].iter, [node], frame)
    more = _over(it, node.generators, _inner(frame), add, it.evaluate(node.generators[0].iter, frame))
    if more is not None:
        made.rest = more
        made.items = {key: choice([Way("", value), Way("", more)]) for key, value in made.items.items()}
    return made


def _inner(frame: Frame) -> Frame:
    return Frame(Names(frame.names, frame.module, "comprehension"), frame.function)


def _over(
    it: Interpreter,
    generators: list[ast.comprehension],
    frame: Frame,
    add: Callable[..., None],
    whole: Value | None,
    *,
    certain: bool = True,
) -> Value | None:
    """Adds for each item; why there may be more. ``whole``: what the first goes over, where that is worked out already."""
    if not generators:
        add(frame, certain=certain)
        return None
    first, rest = generators[0], generators[1:]
    whole = it.evaluate(first.iter, frame) if whole is None else whole
    items, more = iterated(it, whole, first.iter, frame)
    if len(items) > MOST_ITEMS:
        items, more = (), Opaque("more items than are followed", whole)
    for one in items:
        surely = not perhaps_absent(one)
        assign(it, first.target, one if surely else there(one), frame)
        held = _held(it, first.ifs, frame)
        if held is False:
            continue
        inner = _over(it, rest, frame, add, None, certain=certain and held is True and surely)
        more = more if more is not None else inner
    if more is not None:
        _for_the_calls(it, first, rest, whole, frame)
    return more


def _held(it: Interpreter, conditions: list[ast.expr], frame: Frame) -> bool | None:
    found: list[bool | None] = []
    for one in conditions:
        found.append(held(it, it.evaluate(one, frame), one, frame))
        if found[-1] is False:
            return False
    return None if None in found else True


def _for_the_calls(it: Interpreter, first: ast.comprehension, rest: list[ast.comprehension], whole: Value, frame: Frame) -> None:
    """The items that are not known: what is called for one is followed, its value is of no use."""

    def once() -> Signal:
        assign(it, first.target, Opaque("an item of a comprehension", whole), frame)
        _held(it, first.ifs, frame)
        _over(it, rest, frame, lambda inner, certain: None, None, certain=False)
        return GOES_ON

    repeated(it, once, "it has items", first.iter, frame.names)
