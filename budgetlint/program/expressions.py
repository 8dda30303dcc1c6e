"""What each expression is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from budgetlint.program.assign import bind
from budgetlint.program.calling import Frame
from budgetlint.program.calls import called
from budgetlint.program.choices import key_of
from budgetlint.program.comparisons import compare
from budgetlint.program.comprehensions import dict_of, generator_of, list_of
from budgetlint.program.ends import Dead
from budgetlint.program.formatted import joined
from budgetlint.program.functions import defined
from budgetlint.program.generators import yield_, yield_from
from budgetlint.program.imports import lookup
from budgetlint.program.iterate import iterated
from budgetlint.program.logic import conditional, either, single
from budgetlint.program.misfits import lacking, lacks_attribute, lacks_key
from budgetlint.program.objects import Object
from budgetlint.program.operators import MOST_ITEMS, operated
from budgetlint.program.packages.sequences import set_of
from budgetlint.program.places import Origin
from budgetlint.program.pour import pour
from budgetlint.program.reads import taken
from budgetlint.program.schedules import times_processes
from budgetlint.program.state import Interpreter
from budgetlint.program.subscripts import item
from budgetlint.program.value_errors import not_in_table, worked_out
from budgetlint.program.values import ABSENT, NONE, Choice, Items, Known, Map, Opaque, Value
from budgetlint.program.wording import shown
from budgetlint.program.words_asked import looked_up


def _constant(it: Interpreter, node: ast.Constant, frame: Frame) -> Value:
    return Known(node.value, (Origin("source", it.place(node, frame)),))


def _name(it: Interpreter, node: ast.Name, frame: Frame) -> Value:
    found = lookup(it, node.id, frame.names)
    return found if node not in it.takes else taken(it, node, found)


def _attribute(it: Interpreter, node: ast.Attribute, frame: Frame) -> Value:
    base, place = it.evaluate(node.value, frame), it.place(node, frame)
    if isinstance(base, Map) and lacks_attribute(it, base, node.attr):
        return lacking(it, base, node.attr, place, "AttributeError")
    return it.attribute(base, node.attr, place)


def _sequence(kind: str) -> Callable[[Interpreter, ast.List | ast.Tuple | ast.Set, Frame], Value]:
    def made(it: Interpreter, node: ast.List | ast.Tuple | ast.Set, frame: Frame) -> Value:
        items, more = _elements(it, node.elts, frame)
        found = Items(items, kind, more, (Origin("source", it.place(node, frame)),))
        return found if kind != "set" else set_of(items, more, kind, found)

    return made


def _elements(it: Interpreter, nodes: list[ast.expr], frame: Frame) -> tuple[list[Value], Value | None]:
    items: list[Value] = []
    more: Value | None = None
    for one in nodes:
        if isinstance(one, ast.Starred):
            found, rest = iterated(it, it.evaluate(one.value, frame), one, frame)
            items += found if more is None else ()
            more = more if more is not None else rest
            if len(items) > MOST_ITEMS:
                items, more = items[:MOST_ITEMS], Opaque("more items than are followed")
        elif more is None:
            items.append(it.evaluate(one, frame))
        else:
            it.evaluate(one, frame)  # where it stands is not known
    return items, more


def _dict(it: Interpreter, node: ast.Dict, frame: Frame) -> Value:
    made = Map(None, None, (Origin("source", it.place(node, frame)),))
    poured = False
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            pour(it, it.evaluate(value, frame), made)
            poured = True
            continue
        name, found = key_of(it.evaluate(key, frame)), it.evaluate(value, frame)
        if name is ABSENT:
            for other in list(made.items):
                it.heap.write(made, other, Opaque("perhaps set by a key that is not known"))
            it.heap.write(made, None, Opaque(f"a key that is not known: {shown(key)}"), "rest")
        elif poured:  # what was poured is a change, which a way that is left takes back and does again
            it.heap.write(made, name, found)
        else:
            made.items[name] = found
    return made


def _binary(it: Interpreter, node: ast.BinOp, frame: Frame) -> Value:
    left, right = it.evaluate(node.left, frame), it.evaluate(node.right, frame)
    if _has_own(left):
        return it.each(left, lambda one: operated(it, node, one, right, frame))
    try:
        return times_processes(node, left, right, operated(it, node, left, right, frame))
    except Dead as end:
        return worked_out(it, node, left, right, frame, end)


def _has_own(value: Value) -> bool:
    return isinstance(value, Choice) and any(isinstance(way.value, Object) for way in value.ways)


def _subscript(it: Interpreter, node: ast.Subscript, frame: Frame) -> Value:
    base, asked = it.evaluate(node.value, frame), it.evaluate(node.slice, frame)
    if isinstance(base, Map) and isinstance(asked, Known) and lacks_key(it, base, asked):
        unlisted = not_in_table(it, base, asked, node, frame)
        return unlisted if unlisted is not None else lacking(it, base, str(asked.value), it.place(node, frame), "KeyError")
    if isinstance(base, Map):
        looked_up(it, asked, base, it.place(node, frame))
    return item(it, base, asked, node, frame)


def _slice(it: Interpreter, node: ast.Slice, frame: Frame) -> Value:
    ends = [it.evaluate(one, frame) if one is not None else NONE for one in (node.lower, node.upper, node.step)]
    plain = [one.value for one in ends if isinstance(one, Known) and (one.value is None or isinstance(one.value, int))]
    if len(plain) < len(ends):
        return Opaque("a slice that is not known")
    made = Object("slice")
    made.data = slice(*plain)
    return made


def _lambda(it: Interpreter, node: ast.Lambda, frame: Frame) -> Value:
    return defined(it, node, frame)


def _named(it: Interpreter, node: ast.NamedExpr, frame: Frame) -> Value:
    value = it.evaluate(node.value, frame)
    names = frame.names
    while names.kind == "comprehension" and names.above is not None:
        names = names.above
    bind(it, Frame(names), node.target.id, value)
    return value


def _inner(it: Interpreter, node: ast.Await | ast.Starred, frame: Frame) -> Value:
    return it.evaluate(node.value, frame)


def _joined(it: Interpreter, node: ast.JoinedStr, frame: Frame) -> Value:
    return joined(it, node, frame)


EXPRESSIONS: Mapping[type[ast.AST], Callable[..., Value]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.Tuple: _sequence("tuple"), ast.List: _sequence("list"),
    ast.Set: _sequence("set"), ast.Dict: _dict, ast.BoolOp: either, ast.IfExp: conditional, ast.Compare: compare, ast.UnaryOp: single,
    ast.BinOp: _binary, ast.Subscript: _subscript, ast.Slice: _slice, ast.Lambda: _lambda, ast.NamedExpr: _named, ast.Await: _inner,
    ast.Starred: _inner, ast.Yield: yield_, ast.YieldFrom: yield_from, ast.JoinedStr: _joined, ast.Call: called,
    ast.ListComp: list_of, ast.SetComp: list_of, ast.GeneratorExp: generator_of, ast.DictComp: dict_of,
}  # fmt: skip
