"""A notebook as the program and the commands that its code cells are, each at the line that it has in the notebook's JSON.

nbformat 4 writes a line of a cell on a line of the file: what is laid so keeps its lines. A notebook that is laid otherwise, or on one
line, is not read. Sources: nbformat 5.10 ``v4/nbjson.py`` (``source`` as a list of lines); IPython 8 ``core/inputtransformer2.py`` (``%``,
``%%``, ``!``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from budgetlint.base.source import SourceFile
from budgetlint.documents.json import read_json
from budgetlint.documents.node import Mapping, Scalar, Sequence

_KEPT = ("%%time", "%%timeit", "%%capture")
"""Cell magics under which a cell is still Python."""
_FACT = "cells of a notebook"


class Cells(NamedTuple):
    """``program``: the Python of the cells; ``commands``: what they hand to a shell. Both have the lines of the notebook."""

    program: SourceFile
    commands: SourceFile


def cells_of(source: SourceFile) -> Cells | None:
    """The code cells of a notebook; None for one that is no notebook, or not laid in lines."""
    if _FACT not in source.facts:
        source.facts[_FACT] = _cells_of(source)
    found: Cells | None = source.facts[_FACT]
    return found


def _cells_of(source: SourceFile) -> Cells | None:
    document = next(iter(read_json(source)), None)
    root = document.mapping if document is not None else None
    cells = root.get("cells") if root is not None else None
    if not isinstance(cells, Sequence):
        return None
    python, shell = [""] * (source.line_count + 1), [""] * (source.line_count + 1)
    taken = 0
    for cell in cells.items:
        for line, text in _lines(source, cell):
            if line <= taken:
                return None
            taken = line
            _put(text, line, python, shell)
    return Cells(SourceFile(source.path, _joined(python)), SourceFile(source.path, _joined(shell)))


def _lines(source: SourceFile, cell: object) -> Iterator[tuple[int, str]]:
    """The lines of a code cell of Python, each with its line in the file."""
    kind = cell.get("cell_type") if isinstance(cell, Mapping) else None
    lines = cell.get("source") if isinstance(cell, Mapping) else None
    if not isinstance(kind, Scalar) or kind.text != "code" or not isinstance(lines, Sequence):
        return
    texts = [one for one in lines.items if isinstance(one, Scalar)]
    if texts and texts[0].text.startswith("%%") and not texts[0].text.startswith(_KEPT):
        return
    yield from ((source.position(one.span.start)[0], one.text.rstrip("\n")) for one in texts)


def _put(text: str, line: int, python: list[str], shell: list[str]) -> None:
    """A line where it belongs; of one that is IPython's own, nothing but its indent is Python."""
    code = text.lstrip()
    if code.startswith("!"):
        shell[line] = code[1:].lstrip()
    if code.startswith(("!", "%", "?")) or code.endswith("?"):
        python[line] = text[: len(text) - len(code)] + "pass" if code != text else ""
    else:
        python[line] = text


def _joined(lines: list[str]) -> str:
    return "\n".join(lines[1:]) + "\n"
