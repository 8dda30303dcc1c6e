"""``check --format github``: workflow commands, which GitHub shows as annotations on the lines of a pull request.

At most ten a step, errors first and among them verdicts, then the count of the rest: GitHub keeps ten errors, ten warnings and ten
notices of a step and drops the others without a word (github.com/actions/toolkit, docs/problem-matchers.md, "Limitations"). Escapes:
github.com/actions/toolkit, packages/core/src/command.ts, ``escapeData`` and ``escapeProperty``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.plain_text import one_line
from budgetlint.report.shown import counted, shown, verdicts_first
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.report.summary import lacks_verdict, passed_line, required_line, verdicts_line
from budgetlint.report.tree import TEXTS, Tree
from budgetlint.results.report import Gate, Report

MOST = 10

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(
    report: Report, _style: TerminalStyle = PLAIN, *, info: bool = False, gate: Gate = Gate(), tree: Tree = Tree(), **_options: Any
) -> str:
    """One command a line; nothing at all where there is nothing to say."""
    lines = [*_unjudged(report, gate), *_passed(report)]
    room, found = MOST - len(lines), verdicts_first(shown(report, info=info))
    told = found if len(found) <= room else found[: room - 1]
    lines += [_annotation(finding, tree) for finding in told]
    if rest := found[len(told) :]:
        lines.append(_command("notice", {"title": "budgetlint"}, f"{counted(rest)} more: a step shows at most {MOST} annotations"))
    return "".join(f"{line}\n" for line in lines)


def _unjudged(report: Report, gate: Gate) -> Iterator[str]:
    """A gate that fails because it could judge nothing says so."""
    if lacks_verdict(report, gate):
        yield _command("error", {"title": "budgetlint"}, f"{verdicts_line(report)} {required_line(report)}")


def _passed(report: Report) -> Iterator[str]:
    if report.passed:
        yield _command("notice", {"title": "budgetlint"}, passed_line(report.passed))


def _annotation(finding: Finding, tree: Tree) -> str:
    at = finding.location
    where: dict[str, str | int] = {}
    if at.file not in TEXTS:
        where = {"file": tree.path(at.file), "line": at.line, "endLine": at.end_line}
        if at.line == at.end_line:
            where |= {"col": at.column, "endColumn": max(at.column, at.end_column - 1)}
    help = f"\n{finding.help}" if finding.help else ""
    return _command(_COMMANDS[finding.severity], {**where, "title": f"{finding.code} {finding.name}"}, finding.message + help)


def _command(name: str, properties: dict[str, str | int], text: str) -> str:
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {given}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A line feed in the name of a file has an escape: GitHub finds the file."""
    return _data("\n".join(map(one_line, text.split("\n")))).replace(":", "%3A").replace(",", "%2C")
