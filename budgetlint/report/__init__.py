"""One module per output format. `check_report` renders a `Report`, the others what their names say."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from budgetlint.report.style import PLAIN, Style

if TYPE_CHECKING:
    from budgetlint.outcome import Report

CHECK_FORMATS = {"full": "full", "concise": "concise", "json": "json"}
"""Format names of ``budgetlint check`` and the module that renders each; imported when it is asked for."""

TEXT = ("full", "concise")
"""Formats for people: ``--statistics`` takes their place."""


def check_report(report: Report, format: str, style: Style = PLAIN, *, info: bool = False) -> str:
    """The text of a check in one of `CHECK_FORMATS`, or as ``statistics``. ``info`` shows findings of severity info too (JSON
    always does)."""
    module = "statistics" if format == "statistics" else CHECK_FORMATS[format]
    render: Callable[..., str] = import_module(f"budgetlint.report.{module}").render
    return render(report, style, info=info)
