"""``matrix``: every combination of the listed values, each a cell with its settings and its name."""

from __future__ import annotations

from itertools import product
from math import prod

from budgetlint.base.limits import CELLS
from budgetlint.base.record import replace
from budgetlint.language.budget import MatrixCell
from budgetlint.language.check import Checked
from budgetlint.language.problems import Problems
from budgetlint.language.settings_of import as_said
from budgetlint.settings.run import Settings


def cells(checked: Checked | None, problems: Problems) -> tuple[MatrixCell, ...]:
    if checked is None or not checked.free:
        return ()
    count = prod(len(given.items) for given in checked.free.values())
    problems.cells += count
    if problems.cells > CELLS.most:
        more = f" with this one {problems.cells:,}" if problems.cells > count else f" {count:,}"
        message = f"the matrix has{more} cells; at most {CELLS.most:,} are checked"
        problems.add("BL015", checked.source, checked.statement.span, message, "check the ends of each range")
        return ()
    axes = [
        [(f"{key}={item.text}", as_said(checked, key, replace(item, key_span=given.key_span), problems)) for item in given.items]
        for key, given in checked.free.items()
    ]
    return tuple(MatrixCell(Settings(s for _, some in cell for s in some), " ".join(text for text, _ in cell)) for cell in product(*axes))
