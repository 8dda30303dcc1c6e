"""A config that others lie below or above: the trainer reads the whole, each value with the file that it stands in."""

from __future__ import annotations

from functools import partial

from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Mapping, Node, load
from budgetlint.documents.composition import Composition
from budgetlint.documents.defaults_list import DefaultsEntry, is_composed
from budgetlint.documents.merge import foreign
from budgetlint.readers import reader_by
from budgetlint.readers.hf.recognise import as_before
from budgetlint.resolve.edges import BASE, Edge
from budgetlint.resolve.state import Assembly
from budgetlint.settings.run import Reading


def composed(work: Assembly, reading: Reading) -> Reading:
    """The reading of the whole config; of the file alone where it names no other, or none that is here."""
    if not is_composed(reading.document):
        return reading
    task = _composition(work)
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
    document = _document(work, path)
    if document is None:
        return None
    task = _composition(work)
    root = task.whole(document, {}, (path,))
    return None if root is None else (foreign(root, document.source), (document.source, *task.sources))


def _composition(work: Assembly) -> Composition:
    def note(document: Document, base: DefaultsEntry, path: str) -> None:
        line = document.source.locate(base.node.span).line
        work.edges[Edge(path, document.path, line, base.path, BASE)] = None

    return Composition(partial(_document, work), note)


def _document(work: Assembly, path: str) -> Document | None:
    """The mapping of a file; None where there is none, or nothing is there."""
    if path not in work.bases:
        source = work.files.read(path) if work.files.exists(path) else None
        documents = load(source) if isinstance(source, SourceFile) else ()
        work.bases[path] = next((one for one in documents if isinstance(one.root, Mapping)), None)
    return work.bases[path]
