"""Keys of configs that a program opens and never asks for.

Told only where nothing else could ask: the mapping was not gone over or given away, no other program reads the file, and no Python of the
project names the key, so that a method that a framework calls later asks for it neither. Who names it does not matter where a loop takes
only some keys of a mapping that nobody else has, nor where the program asks for another spelling that the file does not have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.suggest import near_names
from budgetlint.documents import Loader
from budgetlint.documents.node import Entry, Mapping, Node, Sequence
from budgetlint.program.packages.loaders.config import documents_of
from budgetlint.resolve.named_keys import Named
from budgetlint.settings.program import UnreadKey

if TYPE_CHECKING:
    from budgetlint.base.source import SourceFile
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files
    from budgetlint.program.reads import Asked

_WORD = expression(r"\w+")
_REFERENCE = expression(r"\$\{[^}]*\}")
_BY_NAME = expression(r"""(?:\.(?:get|pop)\(|\[)\s*["'](\w+)["']""")
_OF_LOADERS = frozenset({"defaults", "hydra"})
"""Sections of Hydra's own."""
_MOST = 50
_ALIKE = 0.8


def unread_keys(
    followed: Followed, files: Files, others: Callable[[str], Iterable[Followed] | None], text: Callable[[], Iterable[str]]
) -> tuple[UnreadKey, ...]:
    """``others`` gives every run of the program that opens a file, None where something else reads it; ``text`` all Python that is here."""
    found: list[UnreadKey] = []
    named = Named(text)
    for path in dict.fromkeys(path for path, _ in followed.opened):
        source, runs = files.source(path), others(path)
        root = _root(source, followed.loaders.get(path)) if source is not None and runs is not None else None
        if source is None or runs is None or root is None:
            continue
        asked = _together(one.asked for one in runs)
        if not any(name == path for name, _ in asked):
            continue
        candidates = list(_unasked(root, path, asked, ""))
        if candidates:
            found += _told(candidates, root, source, named, _Program(path, runs), text)
    return tuple(found[:_MOST])


class _Program:
    """What the runs of a program do with one file."""

    def __init__(self, path: str, runs: Iterable[Followed]) -> None:
        self.path, self.runs = path, tuple(runs)

    def drops(self, home: Mapping, entry: Entry) -> bool:
        """Does each run go over the mapping, and take what it knows?"""
        whole, value = (self.path, home.span.start), (self.path, entry.value.span.start)
        return all(whole in one.dropping and value not in one.kept for one in self.runs)

    def missed(self, home: Mapping) -> list[str]:
        """Keys that are asked for there and that it does not have."""
        return sorted({name for one in self.runs for name in one.missed.get((self.path, home.span.start), ())})


def _root(source: SourceFile, loader: str | None) -> Mapping | None:
    """The one document, as the program's loader reads it."""
    documents = documents_of(source, Loader(loader)) if loader is not None else ()
    root = documents[0].root if len(documents) == 1 else None
    return root if isinstance(root, Mapping) else None


def _together(asked: Iterable[Asked]) -> Asked:
    whole: dict[tuple[str, int], bool] = {}
    for one in asked:
        for at, below in one.items():
            whole[at] = below or whole.get(at, False)
    return whole


def _unasked(node: Mapping, path: str, asked: Asked, above: str) -> Iterator[tuple[str, Entry, Mapping]]:
    if asked.get((path, node.span.start)):
        return
    for entry in node.entries:
        key = f"{above}.{entry.key.text}" if above else entry.key.text
        if not _any(entry.value, path, asked):
            yield key, entry, node
        elif isinstance(entry.value, Mapping):
            yield from _unasked(entry.value, path, asked, key)


def _any(node: Node, path: str, asked: Asked) -> bool:
    """Was this asked for, or something below it?"""
    if (path, node.span.start) in asked:
        return True
    if isinstance(node, Mapping):
        return any(_any(entry.value, path, asked) for entry in (*node.merged, *node.entries))
    return isinstance(node, Sequence) and any(_any(one, path, asked) for one in node.items)


def _told(
    candidates: list[tuple[str, Entry, Mapping]],
    root: Mapping,
    source: SourceFile,
    named: Named,
    program: _Program,
    text: Callable[[], Iterable[str]],
) -> Iterator[UnreadKey]:
    referred = {word for one in _REFERENCE.findall(source.text) for word in _WORD.findall(one)}
    here = {entry.key.text for entry in root.entries}
    by_name: list[str] | None = None
    for key, entry, home in candidates:
        name = entry.key.text
        parts = set(_WORD.findall(name))
        if not re.match(r"[A-Za-z]", name) or name in _OF_LOADERS or parts & referred:
            continue
        missed = next(iter(near_names(name, program.missed(home), alike=_ALIKE)), "")
        if not program.drops(home, entry) and (named.is_text(name) if missed else named.has(parts)):
            continue
        if by_name is None:
            by_name = sorted({one for text in text() for one in _BY_NAME.findall(text)} - here)
        near = missed or next(iter(near_names(name, by_name, alike=_ALIKE)), "")
        yield UnreadKey(key, source.locate(entry.key.span), near, is_missing=bool(missed))
