"""``check --compare-with REV``: the report with only the findings that the change brings, and with what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from budgetlint.base.finding import Finding
from budgetlint.base.record import replace
from budgetlint.builtin.rules import UNUSED_SUPPRESSION
from budgetlint.commands.compare_with import Base
from budgetlint.compare.findings import new_findings
from budgetlint.engine.registry import installed
from budgetlint.engine.severity import merged
from budgetlint.engine.stops import stopped
from budgetlint.resolve.membership import of_named
from budgetlint.results.report import Report
from budgetlint.rules_api.context import Judged

Asked = Callable[[Judged], Report]
"""Every rule on what a revision's files come to, under the settings that it has."""


def only_new(base: Base, judged: Judged, report: Report, asked: Asked) -> Report:
    if base.taken is not None and base.every is not None and _needs_every_run(base, report):
        base = base.every()
    before = asked(base.judged)
    if base.session.taken is not None:
        before = of_named(before, base.session.taken)
    known = before.findings if base.taken is None else _with_kept(base, before, report)
    fresh, kept, fixed = new_findings(known, report.findings, base.labels(judged), base.renamed)
    stops = stopped(fresh, judged.runs, installed())
    verdicts = tuple(replace(one, stops=stops.get(one.label, ())) for one in report.verdicts)
    return replace(report, findings=fresh, verdicts=verdicts, comparison=replace(base.comparison(judged), known=kept, fixed=fixed))


def _needs_every_run(base: Base, report: Report) -> bool:
    """What suppresses nothing in the runs that were touched may have done so in the others of its file."""
    shared = base.looked - (base.taken or frozenset())
    return any(finding.code == UNUSED_SUPPRESSION.code and finding.location.file in shared for finding in report.findings)


def _with_kept(base: Base, before: Report, report: Report) -> Iterable[Finding]:
    """What was found before: of the runs and files that were judged again; of the others, what is found now."""
    kept = {context.label for context in base.kept}
    mine = [finding for finding in before.findings if finding.runs or finding.location.file in base.looked]
    theirs = [
        replace(finding, runs=tuple(label for label in finding.runs if label in kept))
        for finding in report.findings
        if kept & set(finding.runs) or (not finding.runs and finding.location.file not in base.looked)
    ]
    return merged([*mine, *theirs])
