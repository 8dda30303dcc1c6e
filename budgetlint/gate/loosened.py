"""What a change loosens, one finding each with its effect; and the evidence that it takes away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.record import open_record, replace
from budgetlint.base.source import Location
from budgetlint.builtin.gate_rules import GATE_LOOSENED
from budgetlint.builtin.rules import builtin_finding
from budgetlint.compare.bills import Pair
from budgetlint.gate.change import BY_EFFECT, LOOSENS, GateChange
from budgetlint.memory.estimate import Verdict
from budgetlint.report.style import VERDICT_WORDS
from budgetlint.results.report import Report
from budgetlint.results.verdict import RunVerdict

TOLD = 3
"""So many effects are told by name."""


@open_record
class TwoGates:
    """The same files under the gate of a revision (``eyes``) and their own (``own``). ``budget_of`` gives the budget of each run by its
    label, ``revision`` what the revision is called."""

    eyes: Report
    own: Report
    budget_of: Mapping[str, str]
    revision: str

    def findings(self, changes: Iterable[GateChange], *, accepted: bool) -> Iterator[Finding]:
        """One for each change that loosens; only told where that is accepted."""
        for change in changes:
            effects = list(self._effects(change))
            if change.way == LOOSENS or (change.way == BY_EFFECT and effects):
                yield _finding(change, self._told(change, effects), accepted)

    def _told(self, change: GateChange, effects: list[str]) -> str:
        if not effects:
            return f"{change.told}, which loosens the gate; nothing that is checked today hangs on it"
        more = f" and {len(effects) - TOLD:,} more" if len(effects) > TOLD else ""
        return f"{change.told}, which loosens the gate: by that of {self.revision}, {'; '.join(effects[:TOLD])}{more}"

    def _effects(self, change: GateChange) -> Iterator[str]:
        """What the earlier gate says and today's does not, of the runs and files that the change is about."""
        today = {(finding.fingerprint, run) for finding in self.own.findings for run in finding.runs or ("",)}
        for finding in self.eyes.findings:
            runs = [
                run for run in finding.runs or ("",) if (finding.fingerprint, run) not in today and self._concerns(change, finding, run)
            ]
            if runs and finding.severity > Severity.INFO:
                yield f"{finding.severity.value} {finding.name} ({', '.join(run or finding.location.file for run in runs[:TOLD])})"
        answers = {one.label: one for one in self.own.verdicts}
        for verdict in self.eyes.verdicts:
            now = answers.get(verdict.label)
            about = not change.governs or change.governs in (self.budget_of.get(verdict.label), verdict.name.partition("#")[0])
            milder = verdict.limit is not None and now is not None and _RANK[now.verdict] < _RANK[verdict.verdict]
            if about and now is not None and milder and not self._is_told(verdict):
                yield f"{verdict.label} is '{VERDICT_WORDS[verdict.verdict]}', and '{VERDICT_WORDS[now.verdict]}' now"

    def _is_told(self, verdict: RunVerdict) -> bool:
        """By a finding of the earlier gate."""
        return any(verdict.label in finding.runs and finding.code.startswith("BL1") for finding in self.eyes.findings)

    def _concerns(self, change: GateChange, finding: Finding, run: str) -> bool:
        if not change.governs:
            return True
        return change.governs in (self.budget_of.get(run), finding.location.file, run.partition("#")[0])


_RANK = {Verdict.FITS: 0, Verdict.UNKNOWN: 1, Verdict.TIGHT: 2, Verdict.DOES_NOT_FIT: 3}


def _finding(change: GateChange, message: str, accepted: bool) -> Finding:
    where = change.location
    cure = (
        "accepted: this line is for whoever looks"
        if accepted
        else "let an owner of the gate accept it (--accept-loosening), or change it alone"
    )
    found = builtin_finding(GATE_LOOSENED, where, message, help=cure, key=change.what, value=change.now or change.was)
    return replace(found, severity=Severity.INFO) if accepted else found


def evidence_gone(pairs: Iterable[Pair], places: Mapping[str, Location], revision: str, *, accepted: bool) -> Iterator[Finding]:
    """Runs that had a verdict and are no runs any more, or have none now: nobody would say that they do not fit. ``places`` gives for the
    runs of the revision where what is left of them stands today; those of which nothing is left are no loss."""
    for was, now in pairs:
        if was is None or not was.verdict.judged or was.verdict.label not in places:
            continue
        if now is not None and now.verdict.judged:
            continue
        lost = "is no run any more" if now is None else "gets no verdict any more"
        message = (
            f"{was.verdict.label} {lost}: at {revision} it was judged ('{VERDICT_WORDS[was.verdict.verdict]}'), "
            "and what said what it is has gone or changed"
        )
        change = GateChange("evidence", was.verdict.label, "", LOOSENS, places[was.verdict.label])
        yield _finding(change, message, accepted)
