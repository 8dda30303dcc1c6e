"""What holds for every format: whole on odd and on empty reports, and no more work for each finding when there are many."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.base.finding import Confidence, Finding, Related, Severity
from budgetlint.base.source import Location, SourceFile
from budgetlint.memory.estimate import Verdict
from budgetlint.report import CHECK_FORMATS, check_report
from budgetlint.report.style import TerminalStyle
from budgetlint.results.report import Report
from budgetlint.results.verdict import RunVerdict


@pytest.mark.parametrize("format", CHECK_FORMATS)
def test_it_can_be_written_as_utf_8(odd: Report, format: str) -> None:
    assert check_report(odd, format, info=True).encode("utf-8")


@pytest.mark.parametrize("format", CHECK_FORMATS)
def test_an_empty_report_has_nothing_or_ends_with_a_line(format: str) -> None:
    text = check_report(Report(), format)
    assert text == "" or (text.endswith("\n") and not text.endswith("\n\n"))


@pytest.mark.parametrize("format", [format for format in CHECK_FORMATS if format not in ("full", "concise")])
def test_machines_get_no_color(odd: Report, format: str) -> None:
    assert check_report(odd, format, TerminalStyle(color=True)) == check_report(odd, format)


@pytest.mark.parametrize("format", CHECK_FORMATS)
def test_twice_the_findings_are_at_most_twice_the_work(many: Callable[[int], Report], calls, format: str) -> None:
    check_report(many(10), format, info=True)  # imports
    once, twice = many(300), many(600)
    with calls:
        check_report(once, format, info=True)
    first = calls.count
    with calls:
        check_report(twice, format, info=True)
    assert 0 < calls.count - first < 2.2 * first


ODD = (
    "\n",
    "\r",
    "\\|",
    "|",
    "``",
    "`",
    "](",
    "]]>",
    "<b>",
    "**",
    "%0A",
    "::",
    ",",
    ":",
    "&amp;",
    "\\",
    '"',
    "\x00",
    "\x1b[1m",
    "\ud800",
    "\u2028",
)
TEXTS = st.lists(st.sampled_from(ODD) | st.text(st.characters(exclude_categories=()), max_size=3), max_size=8).map("".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_whatever_a_config_holds_the_report_is_whole(path: str, words: str, source: str) -> None:
    at = Location(path, 1, 1, 1, 2)
    finding = Finding("XY001", "x-y", Severity.ERROR, Confidence.HIGH, words, at, words, words, words, (Related(at, words),), runs=(path,))
    verdict = RunVerdict(path, None, words, Verdict.TIGHT, 9, 10, (words,))
    report = Report((finding, replace(finding, runs=())), (verdict,), sources={path: SourceFile(path, source)})
    made = {format: check_report(report, format) for format in CHECK_FORMATS}
    assert all(text.encode("utf-8") for text in made.values())
    assert all(isinstance(json.loads(made[format]), dict | list) for format in ("json", "sarif", "gitlab"))
    assert ET.fromstring(made["junit"]).tag == "testsuites"
    assert re.fullmatch(r"(::error [^\n\r]*\n){2}", made["github"])
    row = next(line for line in made["markdown"].split("\n") if "**too close**" in line)
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 6
