"""Files that a script writes: ``cat <<EOT > $DS_CONFIG``, ``echo '{...}' > ds.json``. Their text is what the shell would make of it; where
that is not known, neither is the file, whatever lies under its name in the repository.

Sources: bash 5.2 manual 3.6.6 (an unquoted mark: parameters are expanded, quotes are text), 3.6.2, 4.2 (``echo``, ``printf``).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator

from budgetlint.base.record import record, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.load import load
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence
from budgetlint.documents.shell_answers import printed
from budgetlint.documents.shell_expand import Expander
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_python import files_of
from budgetlint.documents.shell_words import Atom, Literal, RawWord, Word, word_of
from budgetlint.documents.shell_writes import Output, RawWrite

SUFFIXES = (".json", ".yaml", ".yml")
FACT = "written files"
"""Where a script's source keeps its documents, by the name that the script gives each."""


@record
class Written:
    """``target`` is the name of the file, ``text`` what stands in it, None where that is not known; both hold ``${NAME}`` for what is not
    known. ``copied`` is the file that it is a copy of."""

    target: Word
    text: Word | None
    appends: bool = False
    copied: str = ""
    at: int = 0
    other: bool = False
    """Only a branch that somebody else may take writes it so."""


@record
class Copied:
    """A file that is another one by now."""

    path: str


FileOf = Document | Copied | None
"""What stands in a file; None where that is not known."""


def written_files(lexer: Lexer, writes: Iterable[RawWrite], expander: Expander) -> Iterator[Written]:
    """What is known of the files that are written, once all variables are."""
    for one in writes:
        if one.program is not None:
            yield from _of_program(lexer, one, expander)
        elif one.target is not None:
            target = expander.text(one.target, one.at)
            source = expander.text(one.source, one.at) if one.source is not None and one.certain else None
            known = one.certain and bool(one.outputs)
            text = _joined([_printed(lexer, output, expander) for output in one.outputs]) if known else None
            yield Written(target, text, one.appends, source.text if source is not None and source.is_told else "", one.at)


def _of_program(lexer: Lexer, one: RawWrite, expander: Expander) -> Iterator[Written]:
    """What a short Python text writes."""
    word = _read(lexer, one.program, expander) if one.program is not None else None
    for name, text in files_of(word.text) if word is not None else ():
        at = word.span.start if word is not None else one.at
        known = text if one.certain and word is not None and word.is_told else None
        body = word_of((Atom(known, at, known=False, told=True),), Span(at, at)) if known is not None else None
        yield Written(Word(name, Span(at, at)), body, at=one.at)


def _read(lexer: Lexer, output: Output, expander: Expander) -> Word | None:
    """The text of a here-document, or of an argument."""
    if output.mark is None:
        return expander.text(output.words[0], output.at)
    body = body_of(lexer, output.mark, output.number)
    return expander.text(body, output.at) if body is not None else None


def body_of(lexer: Lexer, mark: RawWord, number: int) -> RawWord | None:
    """The text of a here-document as one word; None where it does not end."""
    if number >= len(lexer.bodies):
        return None
    body = lexer.bodies[number]
    parts = lexer.within(body).here_parts() if mark.bare else (Literal(lexer.text[body.start : body.end], body.start, quoted=True),)
    return RawWord(parts, body)


def _printed(lexer: Lexer, output: Output, expander: Expander) -> tuple[Atom, ...] | None:
    """What one command prints, each character where it is written."""
    if output.mark is not None:
        word = _read(lexer, output, expander)
        return word.atoms if word is not None else None
    words = [word for raw in output.words for word in expander.words(raw, output.at)]
    at = output.at
    if words[0].text.endswith("printf"):
        text = printed(words[1].text, [word.text for word in words[2:]]) if len(words) > 1 and all(word.is_told for word in words) else None
        return (Atom(text, words[1].span.start, known=False, told=True),) if text is not None else None
    options = next((at for at, word in enumerate(words[1:], 1) if word.text not in ("-n", "-e", "-E")), len(words))
    ends = "" if any(word.text == "-n" for word in words[1:options]) else "\n"
    shown = words[options:]
    if any(word.text == "-e" for word in words[1:options]) and any("\\" in word.text for word in shown):
        text = printed(" ".join(word.text for word in shown).replace("%", "%%") + ends, []) if all(word.is_told for word in shown) else None
        return (Atom(text, shown[0].span.start, known=False, told=True),) if text is not None else None
    atoms: list[Atom] = []
    for number, word in enumerate(shown):
        atoms += [Atom(" ", at, known=False, told=True)] if number else []
        atoms += word.atoms
        at = word.place(len(word.text) - 1) + 1 if word.text else at
    return (*atoms, Atom(ends, at, known=False, told=True)) if ends else tuple(atoms)


def _joined(pieces: list[tuple[Atom, ...] | None]) -> Word | None:
    told = [piece for piece in pieces if piece is not None]
    atoms = tuple(atom for piece in told for atom in piece)
    if len(told) != len(pieces) or not atoms:
        return None
    return Word("".join(atom.text for atom in atoms), Span(atoms[0].start, atoms[0].start), all(atom.known for atom in atoms), atoms)


def written_documents(
    source: SourceFile, written: Iterable[Written], reads_between: Callable[[str, int, int], bool] | None = None
) -> dict[str, FileOf]:
    """The files by name, each value where the script has it. One that is written a second time is what it is then, unless something
    reads it before."""
    held: dict[str, Written | None] = {}
    others: set[str] = set()
    for one in written:
        name = posixpath.normpath(one.target.text)
        if not name.endswith(SUFFIXES):
            continue
        before = held.get(name)
        if name not in held:
            held[name] = one if not one.appends else replace(one, text=None)
        elif before is None or (reads_between is not None and reads_between(one.target.text, before.at, one.at)):
            held[name] = None
        elif not one.appends:
            held[name] = one
        else:
            text = _joined([before.text.atoms, one.text.atoms]) if before.text is not None and one.text is not None else None
            held[name] = replace(before, text=text, copied="", at=one.at)
        others |= {name} if one.other else set()
    return {name: _file(source, None if name in others else one, number) for number, (name, one) in enumerate(held.items())}


def _file(source: SourceFile, one: Written | None, number: int) -> FileOf:
    if one is not None and one.copied:
        return Copied(one.copied)
    return _document(source, one, one.text, number) if one is not None and one.text is not None else None


def _document(source: SourceFile, one: Written, word: Word, number: int) -> Document | None:
    text, offsets = _readable(word, quotes=one.target.text.endswith(".json"))
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
        shown = atom.text if atom.known or atom.told or inside or not quotes else f'"{atom.text}"'
        inside ^= (atom.known or atom.told) and atom.text.replace('\\"', "").count('"') % 2 == 1
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
