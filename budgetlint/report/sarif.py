"""``check --format sarif``: a log of the Static Analysis Results Interchange Format, version 2.1.0, for code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html; sections are cited as §.
Findings of every severity are in it, and those that are suppressed, marked as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from budgetlint import __version__
from budgetlint.base.finding import Edit, Finding, Fix
from budgetlint.base.plain_text import ascii_json, one_line, sentence
from budgetlint.base.record import field, open_state
from budgetlint.base.source import Location, SourceFile
from budgetlint.report.sarif_rules import LEVELS, descriptors
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.report.summary import passed_line, verdicts_line
from budgetlint.report.tree import TEXTS, Tree, uri
from budgetlint.results.report import Excuse, Gate, Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "SRCROOT"

_EXITS = {0: "no finding fails the check", 1: "a finding or a missing verdict fails the check", 2: "a part of budgetlint or a rule crashed"}
_ENCODINGS = {"utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE"}
"""Names of https://www.iana.org/assignments/character-sets for what `budgetlint.base.source` reports; the rest is the run's default."""


def render(report: Report, _style: TerminalStyle = PLAIN, *, gate: Gate = Gate(), tree: Tree = Tree(), **_options: Any) -> str:
    return ascii_json(document(report, gate, tree))


def document(report: Report, gate: Gate, tree: Tree) -> dict[str, Any]:
    """The log as plain values."""
    from budgetlint.engine.registry import installed

    rules = descriptors((*report.findings, *report.suppressed), installed().all, report.urls)
    results = _Results(report, tree, {rule["id"]: index for index, rule in enumerate(rules)})
    run = {
        "tool": {"driver": {"name": "budgetlint", "version": __version__, "semanticVersion": __version__, "rules": rules}},
        "invocations": [_invocation(report, gate)],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The top of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "defaultEncoding": "UTF-8",
        "results": list(results.all()),
        "artifacts": results.artifacts,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(report: Report, gate: Gate) -> dict[str, Any]:
    """§3.20. What was judged is a note, so that a log without results does not look like a clean bill."""
    code = report.exit_code(gate.fail_on, require_verdict=gate.require_verdict)
    crashes = [_notification("error", f"{one.part} failed on {one.where}: {one.error}") for one in report.crashes]
    passed = [_notification("note", passed_line(report.passed))] if report.passed else []
    return {
        "executionSuccessful": not report.crashed,
        "exitCode": code,
        "exitCodeDescription": _EXITS[code],
        "toolExecutionNotifications": [*crashes, _notification("note", verdicts_line(report)), *passed],
    }


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": _words(text)}}


@open_state
class _Results:
    """Results, and the artifacts that they point into, each listed once."""

    report: Report
    tree: Tree
    rules: dict[str, int]
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    _places: dict[str, dict[str, Any]] = field(default_factory=dict)

    def all(self) -> Iterator[dict[str, Any]]:
        for finding in self.report.findings:
            yield self._result(finding)
        excuses = (*self.report.excuses, *([Excuse("", in_file=True)] * len(self.report.suppressed)))
        for finding, excuse in zip(self.report.suppressed, excuses, strict=False):
            yield self._result(finding) | {"suppressions": [_suppression(excuse)]}

    def _result(self, finding: Finding) -> dict[str, Any]:
        result: dict[str, Any] = {
            "ruleId": finding.code,
            "ruleIndex": self.rules[finding.code],
            "level": LEVELS[finding.severity],
            "message": {"text": _message(finding)},
            "locations": [self._finding_location(finding)],
            "partialFingerprints": {"budgetlint/v1": finding.fingerprint},
            "properties": _properties(finding),
        }
        if finding.related:
            result["relatedLocations"] = [
                {"id": number, "message": {"text": _words(related.message)}, **self._location(related.location)}
                for number, related in enumerate(finding.related, 1)
            ]
        if fixes := [self._fix(fix) for fix in finding.fixes if fix.edits]:
            result["fixes"] = fixes
        return result

    def _finding_location(self, finding: Finding) -> dict[str, Any]:
        key = {"logicalLocations": [{"fullyQualifiedName": finding.key, "kind": "property"}]} if finding.key else {}
        return self._location(finding.location) | key

    def _location(self, at: Location) -> dict[str, Any]:
        region = {"startLine": at.line, "startColumn": at.column, "endLine": at.end_line, "endColumn": at.end_column}
        return {"physicalLocation": {"artifactLocation": self._artifact(at.file), "region": region}}

    def _artifact(self, file: str) -> dict[str, Any]:
        if file not in self._places:
            path = self.tree.path(file)
            place: dict[str, Any] = {"uri": uri(path)}
            if file not in TEXTS and not path.startswith("/"):
                place["uriBaseId"] = ROOT
            self._places[file] = place | {"index": len(self.artifacts)}
            source = self.report.sources.get(file)
            coded = {"encoding": _ENCODINGS[source.encoding]} if source and source.encoding in _ENCODINGS else {}
            self.artifacts.append({"location": place, "roles": ["analysisTarget"], **coded})
        return self._places[file]

    def _fix(self, fix: Fix) -> dict[str, Any]:
        """§3.55: one change for each file."""
        changes = [
            {
                "artifactLocation": self._artifact(file),
                "replacements": [_replacement(edit, self.report.sources.get(file)) for edit in fix.edits if edit.file == file],
            }
            for file in dict.fromkeys(edit.file for edit in fix.edits)
        ]
        return {"description": {"text": _words(fix.title)}, "artifactChanges": changes, "properties": {"safety": fix.safety.value}}


def _replacement(edit: Edit, source: SourceFile | None) -> dict[str, Any]:
    region: dict[str, Any] = {"charOffset": edit.span.start, "charLength": max(0, edit.span.end - edit.span.start)}
    if source is not None:
        at = source.locate(edit.span)
        region |= {"startLine": at.line, "startColumn": at.column, "endLine": at.end_line, "endColumn": at.end_column}
    return {"deletedRegion": region, **({"insertedContent": {"text": edit.text}} if edit.text else {})}


def _suppression(excuse: Excuse) -> dict[str, Any]:
    """§3.35: a comment in the file, or a level in the budget or the settings."""
    said = {"justification": excuse.reason} if excuse.reason else {}
    return {"kind": "inSource" if excuse.in_file else "external", **said}


def _words(text: str) -> str:
    """§3.11.6: what would read as a link is none. A blank, since a backslash may stand before the bracket already."""
    return sentence(text).replace("](", "] (")


def _message(finding: Finding) -> str:
    """What is wrong, what to write, and links to the related places: GitHub shows only those that the text links to."""
    lines = [_words(finding.message), *([_words(finding.help)] if finding.help else [])]
    lines += [f"[{_in_link(one.message)}]({number})" for number, one in enumerate(finding.related, 1)]
    return "\n".join(lines)


def _in_link(text: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", one_line(text)) or "see here"


def _properties(finding: Finding) -> dict[str, Any]:
    named = {"confidence": finding.confidence.value, "runs": list(finding.runs), "numbers": dict(finding.numbers)}
    return {name: value for name, value in named.items() if value}
