"""Rules that have a page are links where the terminal shows links, and plain words everywhere else."""

from __future__ import annotations

import pytest

from budgetlint.base.finding import Confidence, Finding, Severity
from budgetlint.base.source import Location
from budgetlint.report import check_report
from budgetlint.report.style import TerminalStyle, style_for
from budgetlint.results.report import Report

PAGE = "https://example.org/rules/XY101"
FINDING = Finding("XY101", "run-without-seed", Severity.WARNING, Confidence.HIGH, "no seed is set", Location("a.yaml"))
LINK = f"\x1b]8;;{PAGE}\x1b\\run-without-seed\x1b]8;;\x1b\\ (budgetlint rule XY101)"


def test_the_rule_links_to_its_page() -> None:
    report = Report(findings=(FINDING,), urls={"XY101": PAGE})
    assert LINK in check_report(report, "full", TerminalStyle(links=True))
    assert "\x1b" not in check_report(report, "full", TerminalStyle())


def test_a_rule_without_a_page_is_no_link() -> None:
    assert "\x1b" not in check_report(Report(findings=(FINDING,)), "full", TerminalStyle(links=True))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://a\x1b\\b", ""])
def test_only_web_pages_are_linked(url: str) -> None:
    assert TerminalStyle(links=True).link("x", url) == "x"


TERMINALS = [
    ({"TERM_PROGRAM": "WezTerm"}, True),
    ({"VTE_VERSION": "7200"}, True),
    ({"VTE_VERSION": "4600"}, False),
    ({"KITTY_WINDOW_ID": "1"}, True),
    ({"TERM_PROGRAM": "Apple_Terminal"}, False),
    ({}, False),
    ({"FORCE_HYPERLINK": "1"}, True),
    ({"TERM_PROGRAM": "WezTerm", "FORCE_HYPERLINK": "0"}, False),
    ({"TERM_PROGRAM": "WezTerm", "NO_COLOR": "1"}, False),
]


@pytest.mark.parametrize(("environ", "links"), TERMINALS)
def test_links_only_where_they_are_shown(environ: dict[str, str], links: bool) -> None:
    assert style_for("auto", terminal=True, environ=environ).links is links
    assert not style_for("always", terminal=False, environ=environ).links
