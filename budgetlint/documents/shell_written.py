"""Files that a script writes with a here-document: ``cat <<EOT > $DS_CONFIG``. Their text is what the shell would make of it.

Sources: bash 5.2 manual 3.6.6 (an unquoted mark: parameters are expanded, quotes are text), 3.6.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from budgetlint.base.record import record, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.load import load
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence
from budgetlint.documents.shell_words import Word

SUFFIXES = (".json", ".yaml", ".yml")
FACT = "written files"
"""Where a script's source keeps its documents, by the name that the script gives each."""


@record
class Written:
    """``target`` is the name of the file, ``text`` what stands in it; both hold ``${NAME}`` for what is not known."""

    target: Word
    text: Word


def written_documents(source: SourceFile, written: Iterator[Written] | tuple[Written, ...]) -> dict[str, Document]:
    """The configs among them; one that is written twice is not known. Each value stands where the script has it."""
    found: dict[str, Document | None] = {}
    for number, one in enumerate(written):
        name = one.target.text
        if name.endswith(SUFFIXES):
            found[name] = None if name in found else _document(source, one, number)
    return {name: document for name, document in found.items() if document is not None}


def _document(source: SourceFile, one: Written, number: int) -> Document | None:
    text, offsets = _readable(one.text, quotes=one.target.text.endswith(".json"))
    documents = load(SourceFile(one.target.text, text))
    if len(documents) != 1 or documents[0].root is None or documents[0].problems:
        return None
    return replace(documents[0], source=source, number=number, root=_moved(documents[0].root, offsets.__getitem__))


def _readable(word: Word, *, quotes: bool) -> tuple[str, list[int]]:
    """The text, and where each of its characters stands. In JSON a value that is not known is a text: ``$X`` is ``"${X}"``."""
    pieces: list[str] = []
    offsets: list[int] = []
    inside = False
    for atom in word.atoms:
        shown = atom.text if atom.known or inside or not quotes else f'"{atom.text}"'
        inside ^= atom.known and atom.text.replace('\\"', "").count('"') % 2 == 1
        pieces.append(shown)
        offsets.extend(atom.start + (index if atom.known else 0) for index in range(len(shown)))
    return "".join(pieces), [*offsets, (offsets[-1] + 1) if offsets else word.span.start]


def _moved(node: Node, place: Callable[[int], int]) -> Node:
    start = place(node.span.start)
    last = place(node.span.end - 1) + 1 if node.span.end > node.span.start else start
    span = Span(start, max(start, last))
    if isinstance(node, Scalar):
        return replace(node, span=span)
    if isinstance(node, Sequence):
        return replace(node, items=tuple(_moved(item, place) for item in node.items), span=span)
    entries = tuple(Entry(replace(one.key, span=_moved(one.key, place).span), _moved(one.value, place)) for one in node.entries)
    return replace(node, entries=entries, span=span) if isinstance(node, Mapping) else node
