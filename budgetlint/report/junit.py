"""``check --format junit``: one test suite; each run is a test case, and so is each file with findings that concern no run.

A case fails where the gate does. It has one ``failure`` with every finding in it: Jenkins and GitLab show one
(gitlab: lib/gitlab/ci/parsers/test/junit.rb). What lies below the gate stands in ``system-out``; a run that could not be judged is
skipped and says why, or fails where a verdict is required; a crash is an ``error``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree as ET

from budgetlint import __version__
from budgetlint.base.finding import Finding
from budgetlint.base.plain_text import one_line, page, sentence
from budgetlint.base.record import field, open_state
from budgetlint.report.answer import fork_lines, short, unstarted
from budgetlint.report.headroom import figures
from budgetlint.report.shown import shown
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.report.summary import verdicts_line
from budgetlint.report.tree import Tree
from budgetlint.results.report import Gate, Report
from budgetlint.results.verdict import RunVerdict


@open_state
class _Case:
    """``said`` is what the case itself has to tell; ``unjudged`` why there is no verdict, ``required`` whether one can
    be asked for; ``crash`` a traceback."""

    kind: str
    name: str
    said: str = ""
    unjudged: str = ""
    required: bool = True
    crash: str = ""
    findings: list[Finding] = field(default_factory=list)


def render(
    report: Report, _style: TerminalStyle = PLAIN, *, info: bool = False, gate: Gate = Gate(), tree: Tree = Tree(), **_options: Any
) -> str:
    """ASCII, so that the declaration is true in whatever encoding it is written."""
    suite = ET.Element("testsuite", name="budgetlint")
    ET.SubElement(ET.SubElement(suite, "properties"), "property", name="version", value=__version__)
    seen: Counter[tuple[str, str]] = Counter()
    for case in _cases(report, shown(report, info=info), tree):
        seen[case.kind, case.name] += 1
        suite.append(_testcase(case, gate, tree, seen[case.kind, case.name]))
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(1 for _ in suite.iter(tag))))
    whole = ET.Element("testsuites", {"name": "budgetlint", **{key: suite.get(key, "0") for key in ("tests", "failures", "errors")}})
    whole.append(suite)
    ET.indent(whole)
    text = ET.tostring(whole, encoding="unicode").encode("ascii", "xmlcharrefreplace").decode("ascii")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _cases(report: Report, findings: list[Finding], tree: Tree) -> Iterator[_Case]:
    # of a change, a verdict can be required of the runs that differ with it
    differs = None if report.comparison is None else {run.now.label for run in report.comparison.runs}
    runs = {verdict.label: _run_case(verdict, required=differs is None or verdict.label in differs) for verdict in report.verdicts}
    files: dict[str, _Case] = {}
    for finding in findings:
        mine = [runs[label] for label in finding.runs if label in runs]
        path = tree.path(finding.location.file)
        for case in mine or [files.setdefault(path, _Case("file", path))]:
            case.findings.append(finding)
    yield from runs.values()
    yield from files.values()
    yield from (_Case("crash", f"{crash.part} on {crash.where}", crash=crash.traceback) for crash in report.crashes)
    if not runs:
        yield _Case("gate", "verdict", unjudged=verdicts_line(report), required=report.unanswered)


def _run_case(verdict: RunVerdict, *, required: bool) -> _Case:
    said = f"{short(verdict)}: {'; '.join(filter(None, [*fork_lines(verdict), figures(verdict), unstarted(verdict.stops)]))}"
    if verdict.judged:
        return _Case("run", verdict.label, said)
    return _Case("run", verdict.label, said, unjudged=f"not judged; {short(verdict)}", required=required)


def _testcase(case: _Case, gate: Gate, tree: Tree, number: int) -> ET.Element:
    name = case.name if number == 1 else f"{case.name} ({number})"
    made = ET.Element("testcase", classname=f"budgetlint.{case.kind}", name=sentence(name))
    failing = [finding for finding in case.findings if finding.severity >= gate.fail_on]
    rest = [finding for finding in case.findings if finding.severity < gate.fail_on]
    if case.crash:
        _add(made, "error", "crash", case.crash.strip().rpartition("\n")[2], case.crash)
    elif failing:
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        first = f"{failing[0].code} {failing[0].name}"
        _add(made, "failure", first, failing[0].message + more, "\n".join(_told(failing, tree)))
    elif case.unjudged and case.required and gate.require_verdict:
        _add(made, "failure", "no-verdict", case.unjudged, case.said)
    elif case.unjudged:
        _add(made, "skipped", "no-verdict", case.unjudged, "")
    if out := "\n".join([*([case.said] if case.said else []), *_told(rest, tree)]):
        ET.SubElement(made, "system-out").text = _text(out)
    return made


def _add(case: ET.Element, tag: str, type: str, message: str, text: str) -> None:
    ET.SubElement(case, tag, type=one_line(type), message=sentence(message)).text = _text(text) or None


def _told(findings: Iterable[Finding], tree: Tree) -> Iterator[str]:
    for finding in findings:
        at = finding.location
        place = one_line(f"{tree.path(at.file)}:{at.line}:{at.column}")
        yield f"{place}: {finding.severity.value} {finding.code} {finding.name}: {finding.message}"
        if finding.help:
            yield f"    {finding.help}"


def _text(text: str) -> str:
    """Lines that XML 1.0 can hold (https://www.w3.org/TR/xml/#charsets), that no runner takes for commands when somebody prints the
    file, and that name no file to attach (Jenkins' junit-attachments plugin, and GitLab: ``[[ATTACHMENT|…]]``)."""
    return page(text).replace("[[ATTACHMENT|", "[\\[ATTACHMENT|")
