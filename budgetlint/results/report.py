"""What a check comes to: findings, verdicts, what was skipped and why, and the exit code that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from budgetlint.base.crash import Crash
from budgetlint.base.finding import Finding, Severity
from budgetlint.base.record import field, open_record, record
from budgetlint.base.source import SourceFile
from budgetlint.files.walk import Passed
from budgetlint.memory.estimate import Verdict
from budgetlint.results.verdict import RunVerdict
from budgetlint.results.waiver import EXPIRED, WITHOUT_EFFECT, Waiver
from budgetlint.settings.run import Run

if TYPE_CHECKING:
    from budgetlint.results.comparison import Comparison

CLEAN, FINDINGS, MISUSE = 0, 1, 2


@record
class Excuse:
    """Why a finding is suppressed: the reason given, empty where none is. ``in_file``: a comment in the file itself says so."""

    reason: str
    in_file: bool


@record
class Gate:
    """What makes a check fail: findings from ``fail_on`` on, and with ``require_verdict`` a run that was not judged."""

    fail_on: Severity = Severity.ERROR
    require_verdict: bool = False


@record
class Skipped:
    """A rule that could not run here, and why. ``where`` is the run or the file."""

    code: str
    name: str
    where: str
    reason: str


@record
class Skips:
    """The rules that could not run on one run: code, name, reason. Runs that lack the same have one list, and a check of 10,000 files
    half a million entries less."""

    where: str
    rules: tuple[tuple[str, str, str], ...]


@open_record
class Report:
    """``findings`` in file order; ``suppressed`` those that somebody allowed, ``excuses`` why, in the same
    order; ``waivers`` every exception that is written down; ``sources``
    the texts, for excerpts; ``urls`` the page of each rule that has one, by code; ``baselined`` counts the findings that a
    baseline hides; ``comparison`` is what a change costs, where findings are only those that it brings;
    ``passed`` what was not looked at, ``asked`` whether one command was to be judged; ``runs`` what was judged, by label, for
    whoever asks what an edit changes."""

    findings: tuple[Finding, ...] = ()
    verdicts: tuple[RunVerdict, ...] = ()
    skips: tuple[Skips, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    excuses: tuple[Excuse, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    crashes: tuple[Crash, ...] = ()
    sources: Mapping[str, SourceFile] = field(default_factory=dict, repr=False)
    urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: int = 0
    budgets: int = 0
    rules: int = 0
    baselined: int = 0
    comparison: Comparison | None = None
    passed: tuple[Passed, ...] = ()
    asked: bool = False
    runs: Mapping[str, Run] = field(default_factory=dict, repr=False)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(Skipped(code, name, one.where, reason) for one in self.skips for code, name, reason in one.rules)

    @property
    def crashed(self) -> bool:
        return bool(self.crashes)

    @property
    def in_force(self) -> tuple[Waiver, ...]:
        """The exceptions that hold today, whether or not there is something to hold back."""
        return tuple(waiver for waiver in self.waivers if waiver.state not in (EXPIRED, WITHOUT_EFFECT))

    def count(self, severity: Severity) -> int:
        return sum(1 for finding in self.findings if finding.severity is severity)

    def verdict_counts(self) -> dict[str, int]:
        counts = Counter(verdict.verdict.value for verdict in self.verdicts)
        return {verdict.value: counts[verdict.value] for verdict in Verdict}

    @property
    def judged(self) -> int:
        """How many runs got a verdict."""
        return sum(1 for verdict in self.verdicts if verdict.judged)

    def exit_code(self, fail_on: Severity = Severity.ERROR, *, require_verdict: bool = False) -> int:
        """0 clean, 1 findings at or above ``fail_on`` (or a run without the verdict that is required), 2 a crash."""
        if self.crashed:
            return MISUSE
        if any(finding.severity >= fail_on for finding in self.findings):
            return FINDINGS
        return FINDINGS if require_verdict and self.unanswered else CLEAN

    @property
    def unanswered(self) -> bool:
        """Has some run no verdict, or was there none at all? Of a change, a run that it brings or that differs with it."""
        if self.comparison is not None:
            return any(run.after is not None and not run.after.verdict.judged for run in self.comparison.runs)
        return not self.verdicts or self.judged < len(self.verdicts)
