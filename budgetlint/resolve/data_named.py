"""Runs of formats that name data files, whose longest row bounds a length. Apart: most runs name none that is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.settings.run import Run, Settings

if TYPE_CHECKING:
    from budgetlint.catalog.architecture import Architecture
    from budgetlint.resolve.state import Assembly

NAMES_DATA = frozenset({"llamafactory", "axolotl", "ms_swift"})


def with_row_bound(work: Assembly, run: Run, architecture: Architecture | None) -> Settings:
    """The settings of the run with the length of the longest row, where that is known."""
    if not any(reading.format in NAMES_DATA for reading in run.readings):
        return run.settings
    from budgetlint.resolve.data_bound import bounded

    return bounded(work, run.readings, run.settings, architecture)
