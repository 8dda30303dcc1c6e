"""Commands that a Python program starts: ``subprocess.run(["accelerate", "launch", "train.py"])``, ``os.system("torchrun train.py")``.

Only what stands there as a whole: a list of words or a text in the call, or in the one assignment of a name that nothing adds to. A word
that is worked out is one that nobody knows. Source: CPython 3.13 ``subprocess.py``, ``os`` (``system``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.python import parsed
from budgetlint.documents.python_places import Places
from budgetlint.documents.shell import Command
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.documents.shell_work import work_of
from budgetlint.launch.build import Builder
from budgetlint.launch.launch import Launch
from budgetlint.launch.read import LAUNCHES

_CALLS = frozenset(
    ("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "os.system")
)
_ELSEWHERE = frozenset(("cwd", "executable"))
"""Keywords under which the paths of the command, or its program, are others."""
_PYTHON = "sys.executable"
_Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


def called_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches of the commands that a program starts, in the order of the text."""
    tree = parsed(source.text)
    if tree is None:
        return ()
    places = Places(source.text)
    builder = Builder(source, work=work_of(source, LAUNCHES))
    for scope, call in sorted(_calls(tree), key=lambda one: (one[1].lineno, one[1].col_offset)):
        given = _given(call, scope)
        if isinstance(given, ast.List | ast.Tuple):
            words = tuple(_word(source, places, one) for one in given.elts)
            if words and words[0].known:
                builder.command(Command(words, {}, places.span(given)))
        elif isinstance(given, ast.Constant) and isinstance(given.value, str):
            text = _word(source, places, given)
            if text.atoms and text.atoms[0].known:
                builder.text(text)
    return tuple(builder.found)


def _calls(tree: ast.Module) -> Iterator[tuple[_Scope, ast.Call]]:
    names = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("subprocess", "os") and not node.level
        for alias in node.names
    }
    for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))):
        for node in _own(scope):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else ""
                if names.get(name, name) in _CALLS and not any(one.arg in _ELSEWHERE for one in node.keywords):
                    yield scope, node


def _own(scope: _Scope) -> Iterator[ast.AST]:
    """What stands in a scope, without the functions and classes inside of it."""
    left: list[ast.AST] = list(scope.body)
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            left.extend(ast.iter_child_nodes(node))


def _given(call: ast.Call, scope: _Scope) -> ast.expr | None:
    """The command of a call; None where it is put together, or some of its words are."""
    first = call.args[0] if call.args else next((one.value for one in call.keywords if one.arg in ("args", "command")), None)
    if isinstance(first, ast.Name):
        first = _bound(first.id, scope)
    if isinstance(first, ast.List | ast.Tuple) and any(isinstance(one, ast.Starred) for one in first.elts):
        return None
    return first


def _bound(name: str, scope: _Scope) -> ast.expr | None:
    """The value of a name that is bound once and only read: no ``cmd += [...]``, no ``cmd.append(...)``."""
    values: list[ast.expr] = []
    for node in _own(scope):
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            values.append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            values.append(node.value or node.target)
        elif isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            values.extend([node] if not _is_target(node, scope) else [])
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name:
            return None
    return values[0] if len(values) == 1 else None


def _is_target(name: ast.Name, scope: _Scope) -> bool:
    """Is it the target of a plain assignment, which is counted as that?"""
    plain = (node for node in _own(scope) if isinstance(node, ast.Assign | ast.AnnAssign))
    return any(name in (node.targets if isinstance(node, ast.Assign) else [node.target]) for node in plain)


def _word(source: SourceFile, places: Places, node: ast.expr) -> Word:
    span = places.span(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        at = source.text.find(node.value, span.start, span.end)
        start = at if at >= 0 else span.start
        return Word(
            node.value,
            Span(start, start + len(node.value)) if at >= 0 else span,
            True,
            (Atom(node.value, start, known=at >= 0, told=True),),
        )
    if isinstance(node, ast.Attribute) and ast.unparse(node) == _PYTHON:
        return Word("python", span, True, (Atom("python", span.start, known=False, told=True),))
    text = "${" + "".join(letter if letter.isalnum() else "_" for letter in ast.unparse(node)[:40]) + "}"
    return Word(text, span, False, (Atom(text, span.start, known=False),))
