"""One module per output format. `check_report` renders a `Report`, the others what their names say."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from budgetlint.base.plain_text import Page, page

if TYPE_CHECKING:
    from budgetlint.report.style import TerminalStyle
    from budgetlint.report.tree import Tree
    from budgetlint.results.report import Gate, Report

CHECK_FORMATS = {name: name for name in ("full", "concise", "json", "github", "gitlab", "sarif", "junit", "markdown")}
"""Format names of ``budgetlint check`` and the module that renders each; imported when it is asked for."""

TEXT = ("full", "concise")
"""Formats for people: ``--statistics`` takes their place."""


def check_report(
    report: Report,
    format: str,
    style: TerminalStyle | None = None,
    *,
    info: bool = False,
    gate: Gate | None = None,
    tree: Tree | None = None,
) -> Page:
    """The text of a check in one of `CHECK_FORMATS`, or as ``statistics``. ``info`` shows findings of severity info too (JSON and
    SARIF always do); ``gate`` says what fails the check, ``tree`` where the working directory lies in its repository."""
    from budgetlint.report.style import PLAIN

    module = "statistics" if format == "statistics" else CHECK_FORMATS[format]
    render: Callable[..., str] = import_module(f"budgetlint.report.{module}").render
    options = {name: value for name, value in (("gate", gate), ("tree", tree)) if value is not None}
    style = style or PLAIN
    return page(render(report, style, info=info, **options), codes=style.color or style.links, commands=format == "github")
