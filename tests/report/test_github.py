"""Workflow commands: what GitHub reads back is what was meant, and no more than it shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from budgetlint.base.finding import Severity
from budgetlint.report import check_report
from budgetlint.report.tree import Tree
from budgetlint.results.report import Gate, Report

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def read(line: str) -> tuple[str, dict[str, str], str]:
    """As the runner reads a command: github.com/actions/runner, src/Runner.Common/ActionCommand.cs, ``TryParseV2``."""
    match = COMMAND.fullmatch(line)
    assert match, line
    pairs = dict(part.split("=", 1) for part in match[2].split(","))
    for code, character in (("%3A", ":"), ("%2C", ",")):
        pairs = {key: value.replace(code, character) for key, value in pairs.items()}
    return match[1], {key: _unescaped(value) for key, value in pairs.items()}, _unescaped(match[3])


def _unescaped(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def test_nothing_to_say_is_nothing() -> None:
    assert check_report(Report(), "github") == ""


def test_a_finding_comes_back_whole(odd: Report) -> None:
    first, *_ = check_report(odd, "github").splitlines()
    command, properties, text = read(first)
    assert command == "error"
    assert properties == {
        "file": odd.findings[0].location.file,
        "line": "1",
        "endLine": "1",
        "col": "4",
        "endColumn": "6",
        "title": "BL203 fp16-bf16-both",
    }
    assert text.startswith("value '100%',\\r\\n\"a|b\" <script>")
    assert "日本語 😀" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(("info", "commands"), [(False, "error error warning warning"), (True, "error error warning warning notice")])
def test_the_worst_come_first_and_remarks_when_asked_for(odd: Report, info: bool, commands: str) -> None:
    assert [read(line)[0] for line in check_report(odd, "github", info=info).splitlines()] == commands.split()


def test_a_text_that_is_no_file_has_no_place(odd: Report) -> None:
    (line,) = check_report(Report(odd.findings[3:4]), "github", info=True).splitlines()
    assert read(line)[1] == {"title": "BL110 unit-mixup"}


def test_several_lines_have_no_columns(odd: Report) -> None:
    (line,) = check_report(Report(odd.findings[2:3]), "github", tree=Tree("/r/sub", "/r")).splitlines()
    assert read(line)[1] == {"file": "sub/a b.yaml", "line": "2", "endLine": "3", "title": "BL112 gc-off-long-seq"}


@pytest.mark.parametrize(
    ("count", "told", "rest"), [(9, 9, None), (10, 10, None), (11, 9, "2 warnings more"), (5_000, 9, "1,658 errors, 1,667 warnings more")]
)
def test_at_most_ten_then_the_count(many: Callable[[int], Report], count: int, told: int, rest: str | None) -> None:
    report = many(count if count == 5_000 else 30)
    if count < 5_000:
        severe = [replace(finding, severity=Severity.WARNING) for finding in report.findings]
        report = replace(report, findings=tuple(severe[:count]))
    lines = [read(line) for line in check_report(report, "github").splitlines()]
    assert len(lines) <= 10
    assert len([line for line in lines if line[1]["title"] != "budgetlint"]) == told
    assert lines[-1][2].startswith(rest) if rest else lines[-1][0] != "notice"


def test_a_gate_that_judged_nothing_says_so_first(odd: Report) -> None:
    report = Report(odd.findings[:1])
    lines = check_report(report, "github", gate=Gate(require_verdict=True)).splitlines()
    assert read(lines[0])[2].startswith("No run was judged")
    assert len(check_report(report, "github").splitlines()) == 1


def test_verdicts_have_the_room(odd: Report) -> None:
    """Thirty errors that say the same leave room for what a gate is there for, and for another mistake."""
    same = [replace(odd.findings[0], message="the same", key=f"k{n}") for n in range(30)]
    other = replace(odd.findings[0], message="another")
    fits = [replace(odd.findings[0], code="BL101", name="does-not-fit", message=f"run {n} does not fit") for n in range(3)]
    gate = replace(odd.findings[0], code="BL930", name="gate-loosened", message="the reserve is smaller")
    mild = replace(odd.findings[2], name="probably-does-not-fit", message="it may not fit")
    report = Report((*same, mild, other, *fits, gate))
    told = [read(line)[2].partition("\n")[0] for line in check_report(report, "github").splitlines()]
    assert told[:6] == ["run 0 does not fit", "run 1 does not fit", "run 2 does not fit", "the reserve is smaller", "the same", "another"]
    assert (len(told), told[-1]) == (10, "26 errors, 1 warning more: a step shows at most 10 annotations")
