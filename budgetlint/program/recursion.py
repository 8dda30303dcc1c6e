"""Where a program calls itself too deep to be followed: what the rest of it could have changed is not known."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from budgetlint.program.calling import Call
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Choice, Function, Items, Map, Names, Object, Opaque, Value

_MOST_FUNCTIONS = 50


def cut(it: Interpreter, function: Function, call: Call) -> Value:
    """A call that is not followed any deeper."""
    why, place = f"{function.name} calls itself too often", it.place(call.node, call.frame)
    for one in (*call.given(), *([function.bound] if function.bound is not None else [])):
        it.disturb(one, why, place)
    for one in _circle(it, function):
        _forget(it, one, why, call)
    return Opaque(why)


def _circle(it: Interpreter, function: Function) -> Iterator[Function]:
    """The functions that are called again and again, and those that they call by name."""
    first = next((at for at, one in enumerate(it.stack) if one.node is function.node), len(it.stack))
    waiting = [function, *it.stack[first:]]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_FUNCTIONS:
        one = waiting.pop(0)
        if id(one.node) not in seen:
            seen.add(id(one.node))
            yield one
            waiting += [value for _, value in _named(it, one) if isinstance(value, Function)]


def _named(it: Interpreter, function: Function) -> Iterator[tuple[str, Value]]:
    """What the names of a body are outside of it, as far as that is bound there."""
    for node in ast.walk(function.node):
        it.steps += 1
        if isinstance(node, ast.Name):
            value = _outside(function.names, node.id)
            if value is not None:
                yield node.id, value


def _outside(names: Names | None, name: str) -> Value | None:
    while names is not None:
        if name in names.bound and names.kind != "class":
            return names.bound[name]
        names = names.above
    return None


def _forget(it: Interpreter, function: Function, why: str, call: Call) -> None:
    """What a body sets of the names of others, and what it can change through them."""
    for node in ast.walk(function.node):
        for name in node.names if isinstance(node, ast.Global | ast.Nonlocal) else ():
            home: Names | None = function.names
            while home is not None and (name not in home.bound or (isinstance(node, ast.Global) and home.above is not None)):
                home = home.above
            if home is not None:
                it.heap.write(home, name, Opaque(why, origins=home.bound[name].origins))
    for _, value in _named(it, function):
        if isinstance(value, Items | Map | Object | Choice):
            it.disturb(value, why, it.place(call.node, call.frame))
