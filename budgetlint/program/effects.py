"""What a module's text tells of what it does when it is imported, without following it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

OfRepository = Callable[[str, int], bool]
"""Whether an import (dotted name, level) is of a module of the repository."""


def acts(tree: ast.Module, ours: OfRepository) -> bool:
    """Whether a module does more than define things: what it calls of others, and what it does to them."""
    names = {name for name, dotted, level in _bound(tree) if ours(dotted, level)}
    return any(_acts(one, names) for one in tree.body)


def imports_of(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """What a module imports when it is imported; `from . import a` names the module ``a`` too."""
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


def _acts(node: ast.stmt, ours: set[str]) -> bool:
    match node:
        case ast.Expr(value=ast.Call()) | ast.For() | ast.While() | ast.With() | ast.AugAssign() | ast.Delete() | ast.Raise():
            return True
        case ast.Assign(targets=targets, value=value):
            return any(isinstance(one, ast.Attribute | ast.Subscript) for one in targets) or _calls(value, ours)
        case ast.AnnAssign(value=value):
            return value is not None and _calls(value, ours)
        case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
            return any(_root(one) in ours for one in decorators)
        case ast.ClassDef(decorator_list=decorators, body=body, bases=bases):
            return any(_root(one) in ours for one in decorators) or any(_acts(one, ours) for one in body) or any(_calls(one, ours) for one in bases)
        case ast.If(test=test, body=body, orelse=orelse):
            return not _is_main(test) and (_calls(test, ours) or any(_acts(one, ours) for one in [*body, *orelse]))
        case ast.Try(body=body, handlers=handlers):
            return any(_acts(one, ours) for one in [*body, *(inner for handler in handlers for inner in handler.body)])
    return False


def _calls(node: ast.expr, ours: set[str]) -> bool:
    """Whether a function of another module of the repository is called."""
    return any(isinstance(one, ast.Call) and _root(one.func) in ours for one in ast.walk(node))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"
