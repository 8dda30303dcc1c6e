"""A config and the files that it is composed of, as one tree; each value keeps the file that it stands in."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from functools import reduce

from budgetlint.base.limits import COMPOSED_DEPTH, COMPOSED_FILES
from budgetlint.base.record import field, open_state
from budgetlint.base.source import SourceFile
from budgetlint.documents.defaults_list import DefaultsEntry, bases, group_keys, overrides, package_of
from budgetlint.documents.merge import foreign, merged, nested
from budgetlint.documents.node import Document, Node


@open_state
class Composition:
    """``read`` gives the document of a path, None where there is none; ``note`` is told of each file that another names.

    ``sources`` are the files that took part, ``named`` the references that led to them, ``absent`` those that lead nowhere.
    """

    read: Callable[[str], Document | None]
    note: Callable[[Document, DefaultsEntry, str], None] = lambda *_: None
    sources: list[SourceFile] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    absent: list[str] = field(default_factory=list)

    def whole(self, document: Document, chosen: dict[str, str], trail: tuple[str, ...]) -> Node | None:
        """The document's tree with its bases below and above; ``trail`` are the files that lead here."""
        inner = {**overrides(document), **chosen}
        named = bases(document, inner)
        if named and len(trail) > COMPOSED_DEPTH.most:
            document.source.stop(COMPOSED_DEPTH, named[0].node.span.start)
            named = ()
        found = [(base, self._base(document, base, inner, trail)) for base in named]
        below = [tree for base, tree in found if not base.is_above]
        above = [tree for base, tree in found if base.is_above]
        return reduce(_over, (*below, document.root, *above), None)

    def _base(self, document: Document, base: DefaultsEntry, chosen: dict[str, str], trail: tuple[str, ...]) -> Node | None:
        path, found = self._found(document.path, base)
        if found is None or path in trail:
            self.absent.extend([base.path] if found is None else [])
            return None
        if len(self.sources) >= COMPOSED_FILES.most:
            document.source.stop(COMPOSED_FILES, base.node.span.start)
            return None
        self.sources.append(found.source)
        self.named.add(base.path)
        self.note(document, base, path)
        tree = self.whole(found, chosen, (*trail, path))
        package = base.package if base.package is not None else package_of(found)
        return nested(foreign(tree, found.source), group_keys(base) if package is None else package) if tree is not None else None

    def _found(self, named_in: str, base: DefaultsEntry) -> tuple[str, Document | None]:
        tried = ((path, self.read(path)) for path in _candidates(named_in, base.path))
        return next(((path, found) for path, found in tried if found is not None), ("", None))


def _over(below: Node | None, above: Node | None) -> Node | None:
    return below if above is None else merged(below, above)


def _candidates(named_in: str, path: str) -> Iterator[str]:
    """From the file's own folder; a path from the root of the configs, from each folder above."""
    folder = posixpath.dirname(named_in)
    yield posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
    while path.startswith("/") and folder not in ("", "/", ".."):
        folder = posixpath.dirname(folder)
        yield posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
