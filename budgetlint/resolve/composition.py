"""A config that others lie below or above: the trainer reads the whole, each value with the file that it stands in."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import reduce

from budgetlint.base.limits import COMPOSED_DEPTH, COMPOSED_FILES
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Mapping, Node, load
from budgetlint.documents.defaults_list import DefaultsEntry, bases, group_keys, is_composed, overrides, package_of
from budgetlint.documents.merge import foreign, merged, nested
from budgetlint.readers import reader_by
from budgetlint.readers.hf.recognise import as_before
from budgetlint.resolve.edges import BASE, Edge
from budgetlint.resolve.state import Assembly
from budgetlint.settings.run import Reading


def composed(work: Assembly, reading: Reading) -> Reading:
    """The reading of the whole config; of the file alone where it names no other, or none that is here."""
    if not is_composed(reading.document):
        return reading
    task = _Composition(work)
    root = task.whole(reading.document, {}, (reading.document.path,))
    if not task.sources or root is None:
        return reading
    reader = reader_by(reading)
    found = replace(
        reader.read(as_before(reading.document, replace(reading.document, root=root, below=tuple(task.sources)))), consumer=reading.consumer
    )
    left = tuple(one for one in found.references if one.origin.key != "defaults" or one.text not in task.named)
    return replace(found, references=left)


def base_of(work: Assembly, path: str) -> tuple[Node, tuple[SourceFile, ...]] | None:
    """The tree of a whole config, to be laid below something else, each value with the file that it stands in; and those files."""
    document = _document(work, path) if work.files.exists(path) else None
    if document is None:
        return None
    task = _Composition(work)
    root = task.whole(document, {}, (path,))
    return None if root is None else (foreign(root, document.source), (document.source, *task.sources))


@open_state
class _Composition:
    """``sources`` are the files that took part, ``named`` the references that led to them."""

    work: Assembly
    sources: list[SourceFile] = field(default_factory=list)
    named: set[str] = field(default_factory=set)

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
        path = self._path(document.path, base)
        if path is None or path in trail:
            return None
        if len(self.sources) >= COMPOSED_FILES.most:
            document.source.stop(COMPOSED_FILES, base.node.span.start)
            return None
        found = _document(self.work, path)
        if found is None:
            return None
        self.sources.append(found.source)
        self.named.add(base.path)
        line = document.source.locate(base.node.span).line
        self.work.edges[Edge(path, document.path, line, base.path, BASE)] = None
        tree = self.whole(found, chosen, (*trail, path))
        package = base.package if base.package is not None else package_of(found)
        return nested(foreign(tree, found.source), group_keys(base) if package is None else package) if tree is not None else None

    def _path(self, named_in: str, base: DefaultsEntry) -> str | None:
        return next((path for path in _candidates(named_in, base.path) if self.work.files.exists(path)), None)


def _document(work: Assembly, path: str) -> Document | None:
    if path not in work.bases:
        source = work.files.read(path)
        documents = load(source) if isinstance(source, SourceFile) else ()
        work.bases[path] = next((one for one in documents if isinstance(one.root, Mapping)), None)
    return work.bases[path]


def _over(below: Node | None, above: Node | None) -> Node | None:
    return below if above is None else merged(below, above)


def _candidates(named_in: str, path: str) -> Iterator[str]:
    """From the file's own folder; a path from the root of the configs, from each folder above."""
    folder = posixpath.dirname(named_in)
    yield posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
    while path.startswith("/") and folder not in ("", "/", ".."):
        folder = posixpath.dirname(folder)
        yield posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
