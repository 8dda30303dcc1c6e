"""Is a Python file started, or does it only define what others call? Python runs its body: what stands in functions and classes runs only
where the body calls it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from budgetlint.base.source import SourceFile
from budgetlint.files.wanted import PYTHON_SUFFIX

_STARTING = frozenset({"train", "fit", "main", "run", "launch", "cli", "Fire", "backward", "start", "execute"})
"""Methods and functions of others that a body calls to start something: ``trainer.train()``, ``fire.Fire(main)``."""
_MADE = ("Trainer", "Arguments", "from_pretrained")
"""What a body makes that trains, or is trained."""


def only_defines(source: SourceFile) -> bool:
    """Does no statement of the body start anything that is told here? What cannot be parsed may."""
    if not source.path.endswith(PYTHON_SUFFIX):
        return False
    if "only defines" not in source.facts:
        source.facts["only defines"] = _only_defines(source.text)
    return bool(source.facts["only defines"])


def _only_defines(text: str) -> bool:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = frozenset(_bound(tree))
    return not any(_starts(node, names) for node in tree.body)


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names of functions and classes that the module defines or imports, and of what its body makes."""
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.ImportFrom():
                yield from (one.asname or one.name for one in node.names)
            case ast.Assign():
                yield from (one.id for one in node.targets if isinstance(one, ast.Name))


def _starts(node: ast.stmt, names: frozenset[str]) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
        return False
    return any(_is_start(one, names) for one in _parts(node))


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What of a statement runs with it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += [
            part
            for part in ast.iter_child_nodes(one)
            if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda)
        ]


def _is_start(node: ast.AST, names: frozenset[str]) -> bool:
    match node:
        case ast.Compare(left=ast.Name(id="__name__")):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name in names or name in _STARTING
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name.endswith(_MADE) or name in _STARTING
    return False
