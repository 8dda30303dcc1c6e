"""The comment on a change: what changed stands first (verdict, size, line, remedy), the rest is folded."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from tests.cli.test_compare_with import Repo, empty, repo  # noqa: F401 the fixtures

pytestmark = pytest.mark.slow

DOES_NOT_FIT = {"d/small.yaml": [("batch_size: 1", "batch_size: 512"), ("max_length: 512", "max_length: 2048")]}


def comment(repo: Repo) -> str:  # noqa: F811
    return repo("check", "--compare-with", "HEAD", "--format", "markdown").out


def rows(text: str) -> list[list[str]]:
    """The cells of the first table, without its head."""
    table = re.findall(r"^\|(.*)\|$", text.partition("\n\n### Findings")[0], flags=re.MULTILINE)
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)] for line in table[2:]]


def test_a_run_that_does_not_fit_any_more(repo: Repo) -> None:  # noqa: F811
    for path, edits in DOES_NOT_FIT.items():
        for old, new in edits:
            repo.change(path, old, new)
    repo.change("c.yaml", "1.0e-5", "2.0e-5")
    text = comment(repo)
    lines = text.splitlines()
    assert lines[0] == "<!-- budgetlint -->"
    assert re.fullmatch(r"## budgetlint: 1 (error|warning)", lines[1])
    assert lines[3] == "### What this change costs"
    (name, verdict, need, limit, line, remedy), other = rows(text)
    assert (name, verdict, limit) == ("`d/small.yaml`", "fits → **does not fit**", "15.00 GiB")
    assert re.fullmatch(r"\d+\.\d\d GiB → \d+\.\d\d GiB \(\+\d+\.\d\d GiB\)", need)
    assert "d/small.yaml:3 `per_device_train_batch_size: 1 → 512`" in line
    assert "micro batch" in remedy
    assert other[0] == "`run_c.sh#0`" or other[0] == "`run_c.sh`"
    assert (other[4], other[5]) == ("c.yaml:5 `learning_rate: 1.0e-5 → 2.0e-5`", "")


def test_what_is_said_of_the_gate_stands_beside_it(repo: Repo) -> None:  # noqa: F811
    repo.change("d/small.yaml", "batch_size: 1", "batch_size: 2")
    repo.change("d/card.budget", "reserve 1GiB", "reserve 0GiB")
    before = comment(repo).partition("### Findings")[0]
    assert "- **error** 'reserve 1GiB' became 'reserve 0GiB', which loosens the gate" in before
    assert "- remedy: let an owner of the gate accept it (--accept-loosening), or change it alone" in before


def test_all_else_is_folded(repo: Repo) -> None:  # noqa: F811
    repo.change("d/small.yaml", "batch_size: 1", "batch_size: 512")
    text = comment(repo)
    page = MarkdownIt("commonmark").enable("table").render(text)
    outside = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
    assert (outside.count("<table>"), page.count("<table>") > 3) == (1, True)
    assert "<b>Every run</b>" in page
    assert "The bill of" not in outside
    assert text.count("<details>") == text.count("</details>")


def test_a_change_that_touches_no_run(repo: Repo) -> None:  # noqa: F811
    repo.write("NOTES.txt", "a word\n")
    text = comment(repo)
    assert text.startswith("<!-- budgetlint -->\n## budgetlint: no findings\n\n### What this change costs\n\nNo run changed since HEAD")
