"""Looking up a framework's default for a stack; where the stack does not tell, every reading is returned."""

from __future__ import annotations

from functools import cache
from typing import Protocol

from budgetlint.catalog.default_row import DefaultRow
from budgetlint.record import record


class Versions(Protocol):
    """What a stack answers: is ``package`` at least ``version``? None when it does not tell."""

    def at_least(self, package: str, version: str) -> bool | None: ...


@record
class Readings:
    """Several defaults are possible: the stack does not say which version runs. Newest last."""

    rows: tuple[DefaultRow, ...]

    @property
    def values(self) -> tuple[object, ...]:
        return tuple(dict.fromkeys(row.value for row in self.rows))


def default(package: str, key: str, stack: Versions) -> DefaultRow | Readings | None:
    """The row that holds for ``stack``; `Readings` where versions are unknown and the values differ; None where no row is."""
    rows = readings(package, key, stack)
    if not rows:
        return None
    return rows[-1] if len({repr(row.value) for row in rows}) == 1 else Readings(rows)


def readings(package: str, key: str, stack: Versions) -> tuple[DefaultRow, ...]:
    """Every row that may hold, oldest first: those the stack does not rule out."""
    return tuple(row for row in _rows().get((package, key), ()) if all(_possible(stack, *bounds) for bounds in row.ranges))


def _possible(stack: Versions, package: str, since: str, until: str) -> bool:
    too_old = bool(since) and stack.at_least(package, since) is False
    too_new = bool(until) and stack.at_least(package, until) is True
    return not (too_old or too_new)


def pins(package: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """``(versions of the trainer package, ((package, requirement), …))`` pairs, as PEP 440 specifiers."""
    from budgetlint.catalog.default_table import PINS

    return tuple((versions, pinned) for name, versions, pinned in PINS if name == package)


@cache
def _rows() -> dict[tuple[str, str], tuple[DefaultRow, ...]]:
    from budgetlint.catalog.default_table import DEFAULTS

    table: dict[tuple[str, str], tuple[DefaultRow, ...]] = {}
    for row in DEFAULTS:
        table[row.package, row.key] = (*table.get((row.package, row.key), ()), row)
    return table
