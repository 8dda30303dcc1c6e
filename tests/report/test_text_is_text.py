"""Whatever a config holds, a report is what budgetlint says of it: in each format, by what reads that format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from budgetlint.base.finding import Confidence, Edit, Finding, Fix, Related, Safety, Severity
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.memory.estimate import Verdict
from budgetlint.report import CHECK_FORMATS, check_report
from budgetlint.report.excerpt import excerpt
from budgetlint.report.style import TerminalStyle, cells
from budgetlint.results.report import Crash, Excuse, Report
from budgetlint.results.verdict import RunVerdict

Faults = Callable[..., set[str]]

PIECES = (
    "\n", "\r\n", "\r", "\t", "\x00", "\x07", "\x1b[31m", "\x1b]8;;https://e.x\x1b\\", "\x7f", "\x85", "\x9b", "\xad", "\u200b", "\u200d",
    "\u2028", "\u202e", "\u2060", "\ufe0f", "\ufeff", "\U000e0041", "\ud800", "::", "::error::", "::error file=a::", "##[error]", "##[",
    "##vso[task.x]", "[a](http://e.x)", "![i](http://e.x)", "](0)", "\\](http://e.x)", "<img src=x>", "<b>", "</details>", "&lt;", "`",
    "``", "```", "|", "*", "_", "~~", "@team", "#12", "www.e.x", "http://e.x", "[[ATTACHMENT|/etc/passwd]]", "]]>", "%0A", "{0}", "é",
    "日本", "👩‍💻", " ", "    ", "- ", "x",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(st.characters(exclude_categories=()), max_size=3), max_size=8).map("".join)


def report_of(path: str, words: str, line: str) -> Report:
    at = Location(path, 1, 2, 1, 4)
    finding = Finding(
        "BL203", "fp16-bf16-both", Severity.ERROR, Confidence.HIGH, words, at, f"write {words}", words, words, (Related(at, words),),
        (Fix(words, Safety.SAFE, (Edit(path, Span(1, 2), words),)),), {"need_bytes": 1, "card": words}, (), (path, words),
    )  # fmt: skip
    other = replace(finding, runs=(), location=replace(at, line=2))
    verdicts = (RunVerdict(path, words, words, Verdict.TIGHT, 9, 10), RunVerdict(words, None, "", Verdict.UNKNOWN, None, None, (words,)))
    return Report(
        (finding, other), verdicts, suppressed=(finding,), excuses=(Excuse(words, in_file=True),),
        crashes=(Crash("broken", path, f"Traceback\n  {words}\nValueError: {words}"),), sources={path: SourceFile(path, f"{line}\n{line}")},
    )  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_no_format_holds_what_anybody_obeys(faults: Faults, path: str, words: str, line: str) -> None:
    report = report_of(path, words, line.replace("\n", " "))
    for format in (*CHECK_FORMATS, "statistics"):
        for style in (TerminalStyle(), TerminalStyle(color=True, links=True)):
            text = check_report(report, format, style, info=True)
            kept = "\n\t" if format == "junit" else "\n"  # the traceback of a crash is as it is
            assert not faults(text, kept, codes=style.color, annotations=format == "github"), format
    colored = check_report(report, "full", TerminalStyle(color=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == check_report(report, "full")


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
def test_a_line_break_in_a_text_makes_no_line_of_a_report(path: str, words: str) -> None:
    """Beside the same texts with a letter for each break; the lines of `full` are as wide as what they show."""
    tame = [re.sub(r"[\n\r]", "nn", text) for text in (path, words)]
    for format in ("concise", "github", "statistics"):
        odd, even = (check_report(report_of(*texts, "x: 1"), format, info=True) for texts in ((path, words), tame))
        assert odd.count("\n") == even.count("\n"), format


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
def test_what_is_read_by_machines_is_whole(faults: Faults, path: str, words: str) -> None:
    report = report_of(path, words, "x: 1")
    made = {name: json.loads(check_report(report, name)) for name in ("json", "gitlab", "sarif")}
    whole = re.sub("[\ud800-\udfff]", "\ufffd", words)
    assert made["json"]["findings"][0]["key"] == whole
    assert not any(faults(text, kept="") for text in (made["gitlab"][0]["description"], made["json"]["findings"][0]["message"]))
    for text in sarif_texts(made["sarif"]):
        links = re.findall(r"(?<!\\)\]\(([^)]*)", text)
        assert all(target.isdigit() for target in links)
        assert not faults(text)
    for element in ET.fromstring(check_report(report, "junit")).iter():
        assert "[[ATTACHMENT|" not in (element.text or "")
        assert not faults(element.text or "", kept="\n\t")  # the traceback of a crash is as it is
        assert not any(faults(value, kept="") for value in element.attrib.values())


def sarif_texts(log: Any) -> Iterator[str]:
    """The messages of results, and of their places and fixes."""
    for result in log["runs"][0]["results"]:
        yield result["message"]["text"]
        yield from (place["message"]["text"] for place in result.get("relatedLocations", ()))
        yield from (fix["description"]["text"] for fix in result.get("fixes", ()))


OUR_TAGS = re.compile(r"</?(?:details|summary|b|code)>|<br>|<!-- -->|<!-- budgetlint -->")


def tokens(page: list[Token]) -> Iterator[Token]:
    for token in page:
        yield token
        yield from tokens(token.children or [])


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_nothing_is_markup_in_markdown(path: str, words: str, line: str) -> None:
    text = check_report(report_of(path, words, line.replace("\n", " ")), "markdown", info=True)
    for token in tokens(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)):
        assert token.type not in ("link_open", "image", "s_open", "em_open")
        if token.type.startswith("html"):
            left = OUR_TAGS.sub("|", token.content)
            assert "<" not in left
            assert not re.search(r"@\w|#\d|://|www\.", left)
        elif token.type == "text":
            assert not re.search(r"@\w|#\d|://|www\.", token.content)


@pytest.mark.parametrize(
    ("line", "span", "under"),
    [
        ("key: a\rvalue", (8, 13), "value"),
        ("é: 👩‍💻 value", (8, 13), "value"),
        ("x: ##[a] value", (10, 15), "value"),
        ("x: \x1b[1m value", (9, 14), "value"),
        ("日: value", (4, 9), "value"),
    ],
)
def test_the_marks_stand_under_the_value_though_what_precedes_it_is_shown_otherwise(line: str, span: tuple[int, int], under: str) -> None:
    source = SourceFile("a.yaml", line)
    found = excerpt(source, Location("a.yaml", 1, span[0], 1, span[1]), 80)
    assert found is not None
    at = found.text.index(under)
    assert (found.pad, found.length) == (cells(found.text[:at]), len(under))
