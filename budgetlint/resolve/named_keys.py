"""Whether Python names a key: as a text, an attribute, a parameter or a field. Comments, docstrings and messages to people do not."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator

_TOLD = frozenset({"print", "debug", "info", "warning", "warn", "error", "exception", "critical", "log"})
_HELP = frozenset({"help", "description", "epilog"})
_BY_NAMES = re.compile(r"\b(?:globals|locals)\(\)|\bexec\(")
_WORD = re.compile(r"\w+")
_MOST = 60
"""Files that are looked at more closely for one key; where more have its name, they are taken to read it."""


class Named:
    """The names that the Python of a project has. ``text`` gives all of it."""

    def __init__(self, text: Callable[[], Iterable[str]]) -> None:
        self._text = text
        self._words: dict[int, frozenset[str]] = {}
        self._closer: dict[int, frozenset[str]] = {}

    def has(self, parts: Iterable[str]) -> bool:
        """Whether each of these words is one of them."""
        return all(self._one(word) for word in parts)

    def is_text(self, name: str) -> bool:
        """Whether it is a text of its own somewhere, in quotes or as an attribute."""
        asks = re.compile(rf"""["']{re.escape(name)}["']|\.{re.escape(name)}\b(?!\s*\()""")
        return any(asks.search(one) for one in self._text())

    def _one(self, word: str) -> bool:
        texts = [(at, text) for at, text in enumerate(self._text()) if word in text and word in self._words_of(at, text)]
        return len(texts) > _MOST or any(word in self._names_of(at, text) for at, text in texts)

    def _words_of(self, at: int, text: str) -> frozenset[str]:
        if at not in self._words:
            self._words[at] = frozenset(_WORD.findall(text))
        return self._words[at]

    def _names_of(self, at: int, text: str) -> frozenset[str]:
        if at not in self._closer:
            self._closer[at] = _names(text, self._words_of(at, text))
        return self._closer[at]


def _names(text: str, words: frozenset[str]) -> frozenset[str]:
    """All words of a text that cannot be parsed, or that takes names from somewhere by itself."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return words
    if _BY_NAMES.search(text):
        return words
    found: set[str] = set()
    for one in _read(tree):
        found.update(_WORD.findall(one))
    return frozenset(found)


def _read(tree: ast.AST) -> Iterator[str]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Raise():
                continue
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)) if name in _TOLD:
                waiting += [one for one in _calls(node) if not isinstance(one, ast.Constant | ast.JoinedStr)]
                continue
            case ast.keyword(arg=name) if name in _HELP:
                continue
            case ast.Assert():
                waiting.append(node.test)
                continue
            case ast.Constant(value=str() as text):
                yield text
            case ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
        waiting += ast.iter_child_nodes(node)


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """What a message is made of: what is asked for in it is read."""
    for one in (*node.args, *(word.value for word in node.keywords)):
        if isinstance(one, ast.JoinedStr):
            yield from (part.value for part in one.values if isinstance(part, ast.FormattedValue))
        else:
            yield one
