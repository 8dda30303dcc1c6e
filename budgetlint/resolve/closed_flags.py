"""Flags of a launch that its program never asks for, or asks for only in branches that are closed to this launch: ``--lora_r 8`` where
``--lora`` is not given.

Told only where every place that has the option's name is its definition or lies in such a branch, and nothing takes the options as a whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from budgetlint.program.values import Known, Value
from budgetlint.program.wording import negated, shown
from budgetlint.resolve.options_given import classes_with, given_away
from budgetlint.settings.program import ClosedFlag

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files, Trees

_WHOLE = re.compile(
    r"\b(?:vars\(|__dict__|asdict\(|astuple\(|fields\(|_get_kwargs|locals\(|globals\(|exec\(|set_defaults|parse_known_args)|\*\*\s*args"
    r"|(?<![.\w])eval\("
)
"""What takes all options at once, or puts others into them; ``model.eval()`` does neither."""
_DYNAMIC = re.compile(r"\b(?:getattr|hasattr|setattr)\(\s*\w+\s*,\s*[^\"'\s]")
_OF_ITSELF = re.compile(r"\b(?:vars|asdict|astuple|fields)\(self\)|\bself\.__dict__")
"""An object that takes all of its own: asked of the class that has the option."""
_BODY, _ELSE = frozenset({True}), frozenset({False})


def closed_flags(followed: Followed, words: Sequence[Value], trees: Trees, text: Callable[[], Iterable[str]]) -> tuple[ClosedFlag, ...]:
    """``words`` are those of the launch; ``text`` gives all Python of the project."""
    if followed.stopped or followed.refusals or not all(isinstance(one, Known) for one in words):
        return ()
    files = trees.files
    parsed = {path: tree for path in followed.modules if (tree := trees.tree(path)) is not None}
    texts = [source.text for path in followed.modules if (source := files.source(path)) is not None]
    given = given_away(parsed.values())
    if given is None or any(_WHOLE.search(_OF_ITSELF.sub("", text)) or _DYNAMIC.search(text) for text in texts):
        return ()
    return tuple(_found(followed, words, parsed, files, _Elsewhere(texts, text), given))


def _found(
    followed: Followed,
    words: Sequence[Value],
    parsed: dict[str, ast.Module],
    files: Files,
    elsewhere: _Elsewhere,
    given: frozenset[str],
) -> Iterator[ClosedFlag]:
    by_flag = {flag: dest for dest, flags in followed.flags.items() for flag in flags if flag.startswith("--")}
    for word in words:
        flag = str(word.value).partition("=")[0] if isinstance(word, Known) else ""
        dest = by_flag.get(flag, "")
        place = word.origins[0].place if word.origins else None
        if not dest or place is None or place.source is None or place.span is None or elsewhere.has(dest):
            continue
        if given & classes_with(dest, parsed.values()):
            continue
        tests = _closing(dest, followed, parsed)
        if tests is not None:
            because, where = tests[0] if tests else ("", ("", 0))
            source = files.source(where[0]) if because else None
            closed_at = source.locate(source.line_span(where[1])) if source is not None else None
            yield ClosedFlag(flag, place.source.locate(place.span), because, closed_at)


class _Elsewhere:
    """Files of the project that were not followed: what a name is for there, nobody looked at."""

    def __init__(self, followed: Sequence[str], text: Callable[[], Iterable[str]]) -> None:
        self.followed, self.text = followed, text

    def has(self, name: str) -> bool:
        word = re.compile(rf"\b{re.escape(name)}\b")
        return sum(map(bool, map(word.search, self.text()))) > sum(map(bool, map(word.search, self.followed)))


def _closing(dest: str, followed: Followed, parsed: dict[str, ast.Module]) -> list[tuple[str, tuple[str, int]]] | None:
    """The conditions whose branches have all that asks for an option; none where nothing asks for it; None where something may."""
    tests: list[tuple[str, tuple[str, int]]] = []
    is_defined = False
    for path, tree in parsed.items():
        parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if _defines(node, dest, parents):
                is_defined = True
            elif _names(node, dest):
                closed = _closed(node, parents, followed) or _in_closed_function(node, tree, parents, followed)
                if closed is None:
                    return None
                tests.append((closed[0], (path, closed[1])))
    return tests if is_defined else None


def _names(node: ast.AST, dest: str) -> bool:
    match node:
        case ast.Attribute():
            return node.attr == dest
        case ast.Name():
            return node.id == dest
        case ast.arg():
            return node.arg == dest
        case ast.Constant():
            return node.value == dest
    return False


def _defines(node: ast.AST, dest: str, parents: dict[int, ast.AST]) -> bool:
    """``add_argument("--lora_r", ...)``, or the field of a dataclass that is built on nothing."""
    above = parents.get(id(node))
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and isinstance(above, ast.Call) and node in above.args:
        return getattr(above.func, "attr", "") == "add_argument" and node.value.lstrip("-").replace("-", "_") == dest
    if isinstance(node, ast.Name) and isinstance(above, ast.AnnAssign) and node is above.target and node.id == dest:
        owner = parents.get(id(above))
        return isinstance(owner, ast.ClassDef) and not owner.bases and not _OF_ITSELF.search(ast.unparse(owner))
    return False


def _closed(node: ast.AST, parents: dict[int, ast.AST], followed: Followed) -> tuple[str, int] | None:
    """The condition around that keeps the program from it."""
    inner: ast.AST = node
    above = parents.get(id(node))
    while above is not None:
        if isinstance(above, ast.If):
            untaken = followed.untaken.get(id(above), frozenset())
            if untaken == _BODY and inner in above.body:
                return shown(above.test), above.lineno
            if untaken == _ELSE and inner in above.orelse:
                return negated(shown(above.test)), above.lineno
        inner, above = above, parents.get(id(above))
    return None


def _in_closed_function(node: ast.AST, tree: ast.Module, parents: dict[int, ast.AST], followed: Followed) -> tuple[str, int] | None:
    """The condition that keeps the program from every call of the function that a node stands in: one of the module's own, which nothing
    but those calls names."""
    around = node
    while id(around) in parents and parents[id(around)] is not tree:
        around = parents[id(around)]
    if not isinstance(around, ast.FunctionDef) or around.decorator_list:
        return None
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id == around.name]
    told = any(isinstance(one, ast.Constant) and one.value == around.name for one in ast.walk(tree))
    closed = [_closed(one, parents, followed) for one in calls]
    return closed[0] if closed and not told and all(one is not None for one in closed) else None
