"""What a module's text tells of what it does when it is imported, without following it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

Import = tuple[str, int]
"""A dotted name, and how many dots stand before it."""


class Effects(NamedTuple):
    """``always``: it does more than define things, whatever it imports.

    ``calls``: what the names are imported of that it calls. ``imports``: what it imports when it is imported itself.
    """

    always: bool = False
    calls: tuple[Import, ...] = ()
    imports: tuple[Import, ...] = ()


def effects_of(tree: ast.Module) -> Effects:
    bound = {name: (dotted, level) for name, dotted, level in _bound(tree)}
    found = [_effect(one) for one in tree.body]
    calls = {bound[name] for _, names in found for name in names if name in bound}
    return Effects(any(always for always, _ in found), tuple(sorted(calls)), tuple(dict.fromkeys(_imports(tree))))


def _imports(tree: ast.Module) -> Iterator[Import]:
    """`from . import a` may name the module ``a`` too."""
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            yield base, node.level
            yield from ((f"{base}.{alias.name}" if base else alias.name, node.level) for alias in node.names if alias.name != "*")


def _bound(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Names that imports bind, and what of."""
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name.partition(".")[0], alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, node.module or "", node.level) for alias in node.names)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those that an import runs: none in functions."""
    waiting = list(reversed(body))
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in ("finalbody", "orelse", "body"):
                waiting += reversed(getattr(one, part, []))
            waiting += [inner for handler in getattr(one, "handlers", []) for inner in reversed(handler.body)]


Effect = tuple[bool, set[str]]
"""Whether a statement acts by itself, and the names that it calls."""


def _effect(node: ast.stmt) -> Effect:
    match node:
        case ast.Expr(value=ast.Call()) | ast.For() | ast.While() | ast.With() | ast.AugAssign() | ast.Delete() | ast.Raise():
            return True, set()
        case ast.Assign(targets=targets, value=value):
            return any(isinstance(one, ast.Attribute | ast.Subscript) for one in targets), _called(value)
        case ast.AnnAssign(value=ast.expr() as value):
            return False, _called(value)
        case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
            return False, {_root(one) for one in decorators}
        case ast.ClassDef(decorator_list=decorators, body=body, bases=bases):
            names = {_root(one) for one in decorators}.union(*map(_called, bases))
            return _either(body, names)
        case ast.If(test=test, body=body, orelse=orelse) if not _is_main(test):
            return _either([*body, *orelse], _called(test))
        case ast.Try(body=body, handlers=handlers):
            return _either([*body, *(inner for handler in handlers for inner in handler.body)], set())
    return False, set()


def _either(body: list[ast.stmt], names: set[str]) -> Effect:
    found = [_effect(one) for one in body]
    return any(always for always, _ in found), names.union(*(inner for _, inner in found))


def _called(node: ast.expr) -> set[str]:
    """The names that calls in an expression begin with."""
    return {_root(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"
