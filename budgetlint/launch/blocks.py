"""Shell text inside YAML: the scalar's text, with the place in the file of every character."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.documents import Scalar, Style
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.documents.yaml_tabs import block_content

_PIECES = expression(r"\S+|\s+")


def word_of_scalar(scalar: Scalar, text: str) -> Word:
    """The scalar as one word. Block scalars are indented in the file, so each line is an atom of its own."""
    if scalar.style is Style.BLOCK:
        atoms = tuple(_lines(scalar, text))
    else:
        raw = text[scalar.span.start : scalar.span.end]
        quoted = 1 if raw[:1] in ("'", '"') else 0
        same = raw[quoted : len(raw) - quoted] == scalar.text
        atoms = (Atom(scalar.text, scalar.span.start + quoted, known=same),)
    return Word(scalar.text, scalar.span, True, atoms)


def _lines(scalar: Scalar, text: str) -> Iterator[Atom]:
    """Line by line; a line that ``>`` folded from several, word by word."""
    at, end = block_content(scalar, text)
    for line in scalar.text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        found = text.find(body, at, end) if body.strip() else at
        pieces = [line] if found >= 0 else _PIECES.findall(line)
        for piece in pieces:
            found = text.find(piece.rstrip("\r\n"), at, end) if piece.strip() else at
            at = found if found >= 0 else at
            yield Atom(piece, at)
            at += len(piece) if piece.strip() else 0


def places(word: Word) -> list[int]:
    """Where each character of the word stands; one more for its end."""
    offsets: list[int] = []
    for atom in word.atoms:
        offsets.extend(atom.start + (index if atom.known else 0) for index in range(len(atom.text)))
    return [*offsets, (offsets[-1] + 1) if offsets else word.span.start]
