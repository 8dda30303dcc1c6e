"""``check --format json``, version 1: fields may be added, never renamed. Findings of severity info are always in it."""

from __future__ import annotations

from typing import Any

from budgetlint import __version__
from budgetlint.base.finding import Edit, Finding, Fix, Related, Safety, Severity
from budgetlint.base.plain_text import ascii_json
from budgetlint.base.source import SourceFile
from budgetlint.catalog.edition import DATE, DIGEST
from budgetlint.report.forks_json import open_json
from budgetlint.report.statistics import Count, counts
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.results.report import Report
from budgetlint.results.verdict import RunVerdict

VERSION = 1


def render(report: Report, _style: TerminalStyle = PLAIN, **_options: Any) -> str:
    """A script gets everything, without color."""
    return ascii_json(document(report), indent=2)


def document(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "version": VERSION,
        "made_by": {"budgetlint": __version__, "catalog": DIGEST, "catalog_date": DATE},
        "findings": [_finding(finding, report) for finding in report.findings],
        "runs": [_run(verdict) for verdict in report.verdicts],
        "summary": _summary(report),
        "statistics": [_statistic(count) for count in counts(report)],
        "skipped": [{"code": s.code, "name": s.name, "run": s.where, "reason": s.reason} for s in report.skipped],
        **_compare(report),
    }


def _compare(report: Report) -> dict[str, Any]:
    """With ``--compare-with``: what the change costs; ``findings`` are then only those that it brings."""
    if report.comparison is None:
        return {}
    from budgetlint.report.compare_json import compare_findings

    return {"compare": compare_findings(report.comparison)}


def _finding(finding: Finding, report: Report) -> dict[str, Any]:
    at = finding.location
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "message": finding.message,
        "help": finding.help,
        "file": at.file,
        "line": at.line,
        "column": at.column,
        "end_line": at.end_line,
        "end_column": at.end_column,
        "key": finding.key,
        "related": [_related(related) for related in finding.related],
        "fixes": [_fix(fix, report) for fix in finding.fixes],
        "numbers": dict(finding.numbers),
        "url": report.urls.get(finding.code, ""),
        "runs": list(finding.runs),
        "because": [{"name": b.name, "value": b.value, "where": b.where, "certainty": b.certainty} for b in finding.because],
        "fingerprint": finding.fingerprint,
    }


def _related(related: Related) -> dict[str, Any]:
    at = related.location
    return {"file": at.file, "line": at.line, "column": at.column, "message": related.message}


def _fix(fix: Fix, report: Report) -> dict[str, Any]:
    edits = [edit_document(edit, report.sources.get(edit.file)) for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safety is Safety.SAFE, "safety": fix.safety.value, "edits": edits}


def edit_document(edit: Edit, source: SourceFile | None) -> dict[str, Any]:
    """Offsets count code points from 0; line and column, from 1, are given where the text is at hand."""
    plain: dict[str, Any] = {"file": edit.file, "start": edit.span.start, "end": edit.span.end, "text": edit.text}
    if source is not None:
        at = source.locate(edit.span)
        plain |= {"line": at.line, "column": at.column, "end_line": at.end_line, "end_column": at.end_column}
    return plain


def _run(verdict: RunVerdict) -> dict[str, Any]:
    return {
        "name": verdict.name,
        "target": verdict.target,
        "cell": verdict.cell,
        "verdict": verdict.verdict.value,
        "need": verdict.need,
        "limit": verdict.limit,
        "missing": list(verdict.missing),
        "stops": list(verdict.stops),
        **open_json(verdict),
    }


def _statistic(count: Count) -> dict[str, Any]:
    return {
        "code": count.code,
        "name": count.name,
        "severity": count.severity.value,
        "findings": count.findings,
        "files": count.files,
        "safe_fixes": count.safe,
        "unsafe_fixes": count.unsafe,
    }


def _summary(report: Report) -> dict[str, Any]:
    """``errors``, ``warnings``, ``infos`` count findings, ``verdicts`` runs by verdict, ``judged`` those with an answer;
    ``passed_over`` is what was not looked at."""
    return {
        "errors": report.count(Severity.ERROR),
        "warnings": report.count(Severity.WARNING),
        "infos": report.count(Severity.INFO),
        "suppressed": len(report.suppressed),
        "waivers": len(report.in_force),
        "baselined": report.baselined,
        "crashed": len(report.crashes),
        "files": report.files,
        "budgets": report.budgets,
        "runs": len(report.verdicts),
        "judged": report.judged,
        "verdicts": report.verdict_counts(),
        "passed_over": [{"path": one.path, "why": one.why} for one in report.passed],
    }
