"""Which findings a change brings, and which it takes away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from budgetlint.base.finding import Finding
from budgetlint.base.record import replace
from budgetlint.builtin.rules import CRASHED_RULE
from budgetlint.compare.bills import Pair

OF_RUNS = "BL1"
"""The family that judges budget and fit: in a file that several runs share, each run that does not fit counts for itself."""


def new_findings(
    before: Iterable[Finding], after: Iterable[Finding], runs: Mapping[str, str], renamed: Mapping[str, str]
) -> tuple[tuple[Finding, ...], int, int]:
    """The findings that were not there before, how many were, and how many of those before are gone.

    Findings are the same by their fingerprint, as often as it was there. New is also one that is more severe now, and one about
    the fit of a run that it did not concern. ``runs`` gives the label that a run has now by the one that it had.
    """
    known: dict[str, list[Finding]] = defaultdict(list)
    for finding in before:
        moved = _moved(finding, runs, renamed)
        known[moved.fingerprint].append(moved)
    fresh, kept = [], 0
    for finding in sorted(after, key=lambda finding: -finding.severity.rank):
        match = next((one for one in known[finding.fingerprint] if _covers(one, finding)), None)
        if match is None or finding.code == CRASHED_RULE.code:
            fresh.append(finding)
        else:
            kept += 1
        if match is not None:
            known[finding.fingerprint].remove(match)
    stale = sum(map(len, known.values()))
    worse = sum(min(len(known[name]), count) for name, count in _counted(fresh).items())
    return tuple(sorted(fresh, key=lambda finding: finding.sort_key)), kept, stale - worse


def _counted(findings: Iterable[Finding]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for finding in findings:
        counts[finding.fingerprint] += 1
    return counts


def _covers(before: Finding, after: Finding) -> bool:
    if after.severity > before.severity:
        return False
    return not after.code.startswith(OF_RUNS) or set(after.runs) <= set(before.runs)


def _moved(finding: Finding, runs: Mapping[str, str], renamed: Mapping[str, str]) -> Finding:
    """As it would be told now, where files and runs have other names."""
    at = finding.location
    labels = tuple(runs.get(label, label) for label in finding.runs)
    return replace(finding, runs=labels, location=replace(at, file=renamed.get(at.file, at.file)))


def labels_of(pairs: Iterable[Pair]) -> dict[str, str]:
    """The label of each run now by the one that it had."""
    return {was.verdict.label: now.verdict.label for was, now in pairs if was is not None and now is not None}
