"""The step summary: the verdicts at a glance, the findings collapsed, nothing in a config becomes markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from budgetlint.report import check_report
from budgetlint.report.gfm import block, cell, code, plain
from budgetlint.report.tree import Tree
from budgetlint.results.report import Report

LIMIT = 65_536
"""Characters that GitHub takes as a comment ("body is too long (maximum is 65536 characters)"); a step summary may have 1 MiB."""


def rows(text: str, head: str) -> list[str]:
    """The body of the table under this heading row."""
    lines = text.splitlines()
    at = lines.index(head) + 2
    return lines[at : next((n for n in range(at, len(lines)) if not lines[n].startswith("|")), len(lines))]


def test_the_verdicts_are_a_table_worst_first(odd: Report) -> None:
    assert rows(check_report(odd, "markdown"), "| run | verdict | need | limit | headroom |") == [
        "| <code>sft \\| \\`😀\\`</code> | **does not fit** | 6.00 GiB | 5.00 GiB | -1.00 GiB |",
        "| `open@t4[seq=1]` | **incomplete:** seq\\_len | 1.00 GiB or more | 16.00 GiB | at most 15.00 GiB |",
        "| `nothing` | **incomplete:** device |  |  |  |",
        "| `fits well` | **fits** | 1.00 GiB | 16.00 GiB | 15.00 GiB |",
    ]


def test_the_findings_come_worst_first_and_collapsed(odd: Report) -> None:
    text = check_report(odd, "markdown", info=True)
    assert re.findall(r"<details><summary><b>(\w+)</b> (\w+)", text) == [
        ("error", "BL203"),
        ("error", "BL203"),
        ("warning", "BL112"),
        ("warning", "XY001"),
        ("info", "BL110"),
    ]
    assert text.count("<details>") == text.count("</details>")
    assert "[gc-off-long-seq](<https://example.org/rules/gc-off-long-seq>)" in text
    assert "BL110" not in check_report(odd, "markdown")


def test_the_bill_of_the_worst_run_adds_up_to_its_need(odd: Report) -> None:
    text = check_report(odd, "markdown")
    assert "### The bill of `` sft | `😀` ``" in text
    assert rows(text, "| bucket | bytes | share |") == [
        "| weights | 3.00 GiB | `████████████` |",
        "| activations | 2.00 GiB | `████████` |",
        "| context, libs | 1.00 GiB | `████` |",
        "| **need** | **6.00 GiB** | `████████████████████████` |",
        "| limit | 5.00 GiB | `████████████████████` |",
    ]
    assert rows(text, "| bytes | setting | where |") == [
        "| 3.00 GiB | `` model: qwen `x` `` | a\\|b.yaml:3 |",
        "| 2.00 GiB | `micro_batch: 8` | transformers 4.57 default |",
        "| 1.00 GiB | `context, libs (no setting)` |  |",
    ]
    assert "| jobs/a\\|b.yaml:3 |" in check_report(odd, "markdown", tree=Tree("/r/jobs", "/r"))


def test_no_run_no_table_no_bill() -> None:
    text = check_report(Report(), "markdown")
    assert text.startswith("<!-- budgetlint -->\n## budgetlint: no findings\n")
    assert "No run was judged" in text
    assert "|" not in text


class Tags(HTMLParser):
    """Tags with their targets, and the text, of a page as GitHub would render it."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []
        self.text: list[str] = []
        self.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_nothing_of_a_config_is_markup(odd: Report) -> None:
    page = Tags(check_report(odd, "markdown", info=True))
    tables = {"table", "thead", "tbody", "tr", "th", "td"}
    known = {"h2", "h3", "p", "strong", "code", "details", "summary", "b", "br", "pre", "ul", "li", "a"}
    assert set(page.tags) <= known | tables
    assert set(page.links) == {"https://example.org/rules/gc-off-long-seq"}
    assert page.tags["details"] == 5
    assert page.tags["td"] == 5 * 4 + 3 * 5 + 3 * 3
    assert "<script>" in "".join(page.text)
    assert not any("@team" in piece for piece in page.text)
    assert not {"\x00", "\x1b", "\u202e"} & set("".join(page.text))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (plain("a *b* _c_ [d](e) <f> & | `g` ~h~\ni @j"), "a \\*b\\* \\_c\\_ \\[d\\](e) &lt;f> &amp; \\| \\`g\\` \\~h\\~\\\\ni @<!-- -->j"),
        (code("a``b"), "```a``b```"),
        (code("`a`"), "`` `a` ``"),
        (code(""), ""),
        (cell("a\\|b_"), "<code>a\\\\\\|b\\_</code>"),
        (cell("a_b"), "`a_b`"),
        (block(["````", "x"]), "`````text\n````\nx\n`````"),
    ],
)
def test_escapes(made: str, text: str) -> None:
    assert made == text


@pytest.mark.parametrize("size", [1, pytest.param(1_000, marks=pytest.mark.slow)])
def test_it_stays_within_a_comment_and_counts_the_rest(many: Callable[[int], Report], size: int) -> None:
    report = many(5_000)
    each = [replace(finding, message=f"{number} {finding.message}") for number, finding in enumerate(report.findings)]
    long = [replace(finding, message=finding.message * size, help=finding.help * size) for finding in each[:500]]
    text = check_report(replace(report, findings=(*long, *each[500:]), verdicts=report.verdicts * 100), "markdown", info=True)
    assert len(text) < LIMIT
    assert "1,950 more runs: 1,950 too close\n" in text
    shown = text.count("<details>")
    (rest,) = re.findall(r"^(.*) more, left out", text, flags=re.MULTILINE)
    assert shown + sum(int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", rest)) == 5_000
