"""Where a program calls itself too deep to be followed: what the rest of it could have changed is not known."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from budgetlint.program.calling import Call
from budgetlint.program.objects import Function, Object
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Choice, Items, Map, Names, Opaque, Open, Value

_MOST_FUNCTIONS = 50
_NAMES, _SHARED = "names in it", "names of others"


def is_blind(function: Function, call: Call) -> bool:
    """Is it asked with nothing but what is not known? In itself, with the same again, it shows nothing that it has not shown."""
    given = call.given()
    return bool(given) and function.bound is None and all(isinstance(one, Opaque | Open) for one in given)


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
    for name in _names_in(function.node):
        it.steps += 1
        value = _outside(function.names, name)
        if value is not None:
            yield name, value


def _names_in(node: ast.AST) -> tuple[str, ...]:
    """All names of a body, looked for once and kept on the tree."""
    found: tuple[str, ...] | None = node.__dict__.get(_NAMES)
    if found is None:
        found = node.__dict__[_NAMES] = tuple(dict.fromkeys(one.id for one in ast.walk(node) if isinstance(one, ast.Name)))
    return found


def _outside(names: Names | None, name: str) -> Value | None:
    while names is not None:
        if name in names.bound and names.kind != "class":
            return names.bound[name]
        names = names.above
    return None


def _shared_in(node: ast.AST) -> tuple[tuple[str, bool], ...]:
    """The names that a body declares to be of others, and whether they are the module's; kept as well."""
    found: tuple[tuple[str, bool], ...] | None = node.__dict__.get(_SHARED)
    if found is None:
        declared = (one for one in ast.walk(node) if isinstance(one, ast.Global | ast.Nonlocal))
        found = node.__dict__[_SHARED] = tuple((name, isinstance(one, ast.Global)) for one in declared for name in one.names)
    return found


def _forget(it: Interpreter, function: Function, why: str, call: Call) -> None:
    """What a body sets of the names of others, and what it can change through them."""
    for name, is_global in _shared_in(function.node):
        home: Names | None = function.names
        while home is not None and (name not in home.bound or (is_global and home.above is not None)):
            home = home.above
        if home is not None:
            it.heap.write(home, name, Opaque(why, origins=home.bound[name].origins))
    for _, value in _named(it, function):
        if isinstance(value, Items | Map | Object | Choice):
            it.disturb(value, why, it.place(call.node, call.frame))
