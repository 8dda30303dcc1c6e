"""Loops that go over a config and take what something else names: ``for k, v in raw.items(): if hasattr(c, k): setattr(c, k, v)``.

Going over a mapping may be reading all of it. It is not where each value has a name and the body takes the value only where it asks for it:
an entry is read in the round in which its value is taken, and one that is only copied to where its key leads is read where that is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from budgetlint.program.calling import Frame
from budgetlint.program.state import Interpreter

USED, COPIED = "used", "copied"
_SIFT, _ALONE = "sift", "alone"
_WRAPPERS = frozenset({"list", "sorted", "tuple", "reversed"})
_LOOKED_AT = frozenset({"isinstance", "type", "print", "len", "repr"})
_LOGGED = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "log"})
_BY_NAME = frozenset({"hasattr", "getattr", "setattr"})
_ASKED = frozenset({"get", "pop", "setdefault"})
_PARTS = frozenset({"startswith", "endswith", "lower", "upper", "strip", "replace"})
_ENTRIES = frozenset({"items", "keys", "get", "pop"})
_LOADS = frozenset({"safe_load", "load", "full_load", "loads"})


class Sift(NamedTuple):
    """``over``: the call or name that gives the entries; ``raw`` what they are of; ``names``: where the body takes a value, and how."""

    over: ast.expr
    raw: ast.expr
    names: dict[ast.Name, str]


def sifting(it: Interpreter, target: ast.expr, whole: ast.expr, body: Iterable[ast.AST], frame: Frame) -> bool:
    """Whether a loop or comprehension takes each entry by its name; told before what it goes over is evaluated."""
    if _SIFT not in whole.__dict__:
        whole.__dict__[_SIFT] = _sift(target, whole, list(body))
    found: Sift | None = whole.__dict__[_SIFT]
    if found is None:
        return False
    it.takes.update(found.names)
    it.sifts[found.over] = _is_alone(found, frame)
    return True


def _sift(target: ast.expr, whole: ast.expr, body: list[ast.AST]) -> Sift | None:
    parents = {child: node for one in body for node in ast.walk(one) for child in ast.iter_child_nodes(node)}
    if any(isinstance(node, ast.FunctionDef | ast.Lambda | ast.AsyncFunctionDef) for one in body for node in ast.walk(one)):
        return None
    names = [one for part in body for one in ast.walk(part) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]

    def by_name(key: str) -> bool:
        return all(_is_by_name(one, key, parents) for one in names if one.id == key)

    call = _call(whole, "items")
    match target:
        case ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]) if call is not None and key != value and by_name(key):
            uses = {one: how for one in names if one.id == value and (how := _how(one, key, parents))}
            return Sift(call, _of(call), uses) if uses else None
        case ast.Name(id=key):
            over = _call(whole, "keys") or whole
            raw = _of(over)
            if isinstance(raw, ast.Name) and by_name(key) and any(_asks(one, key, parents) for one in names if one.id == raw.id):
                return Sift(over, raw, {})
    return None


def _asks(raw: ast.Name, key: str, parents: dict[ast.AST, ast.AST]) -> bool:
    """``raw[key]``"""
    above = parents.get(raw)
    return isinstance(above, ast.Subscript) and above.value is raw and isinstance(above.slice, ast.Name) and above.slice.id == key


def _of(over: ast.expr) -> ast.expr:
    return over.func.value if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) else over


def _call(whole: ast.expr, method: str) -> ast.Call | None:
    """``raw.items()``, also in an order."""
    match whole:
        case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]) if name == method:
            return whole
        case ast.Call(func=ast.Name(id=name), args=[ast.Call() as inner]) if name in _WRAPPERS:
            return _call(inner, method)
    return None


def _above(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What a node stands in, from the inside, each with the part of it that holds the node."""
    while node in parents:
        yield parents[node], node
        node = parents[node]


def _is_told(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Does it only become a part of what is printed, logged or raised?"""
    for above, inner in _above(node, parents):
        if isinstance(above, ast.Raise):
            return True
        if isinstance(above, ast.Call):
            logs = isinstance(above.func, ast.Attribute) and above.func.attr in _LOGGED
            return inner is not above.func and (logs or _called(above) == "print")
        if not isinstance(above, ast.JoinedStr | ast.FormattedValue | ast.BinOp | ast.Tuple):
            return False
    return False


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _is_by_name(node: ast.Name, key: str, parents: dict[ast.AST, ast.AST]) -> bool:
    """Does a key only lead to something of its name? Else it is a value by itself."""
    above = parents.get(node)
    match above:
        case ast.Compare():
            return True
        case ast.Call(func=ast.Name(id=name)) if name in _BY_NAME:
            return node in above.args[1:2]
        case ast.Call(func=ast.Attribute(attr=name)) if name in _ASKED:
            return node in above.args[:1]
        case ast.Subscript():
            return node is above.slice
        case ast.DictComp():
            return node is above.key
        case ast.Attribute(attr=name) if name in _PARTS:
            stands = next((one for one, _ in _above(above, parents) if isinstance(one, ast.stmt | ast.Compare | ast.DictComp)), None)
            tested = isinstance(stands, ast.If | ast.Compare | ast.DictComp)
            return tested or (isinstance(stands, ast.Assign) and [getattr(one, "id", "") for one in stands.targets] == [key])
    return _is_told(node, parents)


def _how(node: ast.Name, key: str, parents: dict[ast.AST, ast.AST]) -> str:
    """How a value is taken; empty where it is only looked at."""
    above = parents.get(node)
    match above:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(), slice=ast.Name(id=name))], value=value) if name == key and value is node:
            return COPIED
        case ast.DictComp() if above.value is node:
            return COPIED
        case ast.Call() if node in above.args and _called(above) in _LOOKED_AT:
            return ""
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return ""
    return "" if _is_told(node, parents) else USED


def _is_alone(found: Sift, frame: Frame) -> bool:
    """Is the mapping a name of one function, which loads it and does nothing else with it than ask it for keys and go over it so? Then
    nobody has what the loop drops."""
    function = frame.function
    if not isinstance(found.raw, ast.Name) or function is None or isinstance(function.node, ast.Lambda):
        return False
    if _ALONE not in found.over.__dict__:
        found.over.__dict__[_ALONE] = _used_alone(found.raw.id, function.node)
    return bool(found.over.__dict__[_ALONE])


def _used_alone(name: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    nodes = list(ast.walk(function))
    if any(one.arg == name for one in given) or any(isinstance(one, ast.Global | ast.Nonlocal) and name in one.names for one in nodes):
        return False
    parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    named = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
    return all(_asks_only(one, parents) if isinstance(one.ctx, ast.Load) else _is_loaded(parents.get(one)) for one in named)


def _is_loaded(made: ast.AST | None) -> bool:
    """``raw = yaml.safe_load(stream) or {}``, ``raw = load_yaml(path)``: a tree of its own."""
    value = made.value if isinstance(made, ast.Assign | ast.AnnAssign) else None
    parts = value.values if isinstance(value, ast.BoolOp) else [value]
    return all(
        (isinstance(one, ast.Call) and (isinstance(one.func, ast.Name) or getattr(one.func, "attr", "") in _LOADS))
        or (isinstance(one, ast.Dict) and not one.keys)
        for one in parts
    )


def _asks_only(node: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    above = parents.get(node)
    match above:
        case ast.Attribute(attr=name):
            return name in _ENTRIES and isinstance(parents.get(above), ast.Call)
        case ast.Subscript():
            return node is above.value and isinstance(above.slice, ast.Constant)
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.For() | ast.comprehension():
            return node is above.iter
        case ast.If() | ast.IfExp():
            return node is above.test
        case ast.Call() if _called(above) in _LOOKED_AT:
            return True
    return _is_told(node, parents)
