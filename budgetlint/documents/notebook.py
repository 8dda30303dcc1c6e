"""A notebook as the program and the commands that its code cells are, each at the line that it has in the file.

nbformat 4 writes a line of a cell on a line of the file: what is laid so keeps its lines. A notebook that is laid otherwise, or on one
line, is not read. Databricks exports one as Python, its cells behind comments. Sources: nbformat 5.10 ``v4/nbjson.py`` (``source`` as a
list of lines); IPython 8 and 9 ``core/inputtransformer2.py`` (``%``, ``%%``, ``!``, find_end_of_continued_line) and
``core/interactiveshell.py`` var_expand (``{name}`` is Python's); Databricks, *Export and import notebooks* (``# MAGIC``,
``# COMMAND ----------``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile
from budgetlint.documents.json import read_json
from budgetlint.documents.node import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from budgetlint.documents.notebook_names import Names

_KEPT = ("%%time", "%%timeit", "%%capture")
"""Cell magics under which a cell is still Python."""
_SHELLS = frozenset({"%%bash", "%%sh", "%%shell", "%%script bash", "%%script sh", "%sh"})
"""Cell magics under which it is a script: IPython's, Colab's and Databricks' own."""
_EXPANDED = expression(r"(?<![${])\{([A-Za-z_][\w.\[\]'\"]*)\}(?!\})")
EXPORTED = "# Databricks notebook source"
"""The first line of a notebook that Databricks exports as Python."""
_MAGIC, _CELL = "# MAGIC", "# COMMAND ----------"
_FACT = "cells of a notebook"
Line = tuple[int, str]


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


def is_exported(text: str) -> bool:
    """Is a Python file a notebook that Databricks exported?"""
    return text.startswith(EXPORTED)


def _cells_of(source: SourceFile) -> Cells | None:
    cells = _exported_cells(source.text) if is_exported(source.text) else _json_cells(source)
    if cells is None:
        return None
    python, shell = [""] * (source.line_count + 1), [""] * (source.line_count + 1)
    taken = 0
    asks: list[int] = []
    for cell in cells:
        for line, _ in cell:
            if line <= taken:
                return None
            taken = line
        _put(cell, python, shell, asks)
    program = _joined(python)
    _fill(shell, asks, program)
    return Cells(SourceFile(source.path, program), SourceFile(source.path, _joined(shell)))


def _fill(shell: list[str], asks: Iterable[int], program: str) -> None:
    """Put what Python has there into the commands."""
    asking = [line for line in asks if _EXPANDED.search(shell[line])]
    if not asking:
        return
    from budgetlint.documents.notebook_names import names_at  # `ast`

    names = names_at(program)
    for line in asking:
        shell[line] = _EXPANDED.sub(partial(_filled, names, line), shell[line])


def _filled(names: Names, line: int, found: re.Match[str]) -> str:
    from budgetlint.documents.notebook_names import text_at

    return text_at(names, found[1], line) or _unknown(found)


def _json_cells(source: SourceFile) -> list[list[Line]] | None:
    """The code cells, each line with its line in the file."""
    document = next(iter(read_json(source)), None)
    root = document.mapping if document is not None else None
    cells = root.get("cells") if root is not None else None
    return [list(_lines(source, cell)) for cell in cells.items] if isinstance(cells, Sequence) else None


def _lines(source: SourceFile, cell: object) -> Iterator[Line]:
    kind = cell.get("cell_type") if isinstance(cell, Mapping) else None
    lines = cell.get("source") if isinstance(cell, Mapping) else None
    if isinstance(kind, Scalar) and kind.text == "code" and isinstance(lines, Sequence):
        yield from ((source.position(one.span.start)[0], one.text.rstrip("\n")) for one in lines.items if isinstance(one, Scalar))


def _exported_cells(text: str) -> list[list[Line]]:
    """Cells of magic are written as comments, and cells of Python as they are."""
    cells: list[list[Line]] = [[]]
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(_CELL):
            cells.append([])
        else:
            cells[-1].append((number, line.removeprefix(_MAGIC).removeprefix(" ") if line.startswith(_MAGIC) else line))
    return cells


def _put(cell: list[Line], python: list[str], shell: list[str], asks: list[int]) -> None:
    """The lines of a cell where they belong."""
    first = next((text.strip() for _, text in cell if text.strip() and not text.startswith(EXPORTED)), "")
    if first in _SHELLS or first.partition(" -")[0] in _SHELLS:
        for line, text in cell:
            shell[line] = "" if text.strip() == first else text
    elif (first.startswith("%%") and not first.startswith(_KEPT)) or first.partition(" ")[0] in ("%md", "%sql", "%r", "%scala", "%fs"):
        return
    else:
        _python(cell, python, shell, asks)


def _python(cell: list[Line], python: list[str], shell: list[str], asks: list[int]) -> None:
    """A cell of Python; of a line that is IPython's own, nothing but its indent is Python. A backslash at the end goes on."""
    goes_on = ""
    for line, text in cell:
        code = text.lstrip()
        if not goes_on and not code.startswith(("!", "%", "?")) and not code.endswith("?"):
            python[line] = text
            continue
        if goes_on == "!" or (not goes_on and code.startswith("!")):
            shell[line] = text if goes_on else code[1:].lstrip()
            asks.append(line)
        if not goes_on:
            python[line] = text[: len(text) - len(code)] + "pass" if code != text else ""
        goes_on = (goes_on or code[:1]) if code.endswith("\\") else ""


def _unknown(found: re.Match[str]) -> str:
    """``{name}`` is what Python has there: for a shell, a variable that nobody sets."""
    return "${" + re.sub(r"\W+", "_", found[1]).strip("_") + "}"


def _joined(lines: list[str]) -> str:
    return "\n".join(lines[1:]) + "\n"
