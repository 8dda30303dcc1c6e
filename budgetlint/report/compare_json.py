"""``compare`` in the JSON of ``check`` and ``estimate``: fields may be added, never renamed."""

from __future__ import annotations

from typing import Any

from budgetlint.report.changes import Group, buckets, groups
from budgetlint.results.comparison import Comparison, RunChange, SettingChange, Side, TermChange
from budgetlint.settings.run import Setting


def compare(comparison: Comparison) -> dict[str, Any]:
    """What a change costs. ``runs`` are those that differ, the worst first; ``unchanged`` counts the others that were judged;
    ``untouched`` files that were not, since nothing of the change can reach them."""
    return {
        "revision": comparison.revision,
        "commit": comparison.commit,
        "runs": [_run(change) for change in comparison.runs],
        "unchanged": comparison.unchanged,
        "untouched": comparison.untouched,
    }


def compare_findings(comparison: Comparison) -> dict[str, Any]:
    """With how many findings were there already, and how many of those are gone."""
    return {**compare(comparison), "fixed": comparison.fixed, "known": comparison.known}


def _run(change: RunChange) -> dict[str, Any]:
    """``difference_bytes`` is that of the need: the sum over ``terms``, over ``lines`` and over ``buckets``."""
    now = change.now
    return {
        "name": now.name,
        "target": now.target,
        "cell": now.cell,
        "change": change.kind,
        "renamed_from": change.renamed or None,
        "broke": change.broke,
        "before": _side(change.before),
        "after": _side(change.after),
        "difference_bytes": change.difference,
        "settings": [_setting_change(one) for one in change.settings],
        "buckets": {bucket.value: _difference(*sizes) for bucket, sizes in buckets(change).items()},
        "terms": [_term(term) for term in change.terms],
        "lines": [_line(group) for group in groups(change)],
    }


def _side(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    verdict = side.verdict
    return {
        "name": verdict.name,
        "verdict": verdict.verdict.value,
        "need": verdict.need,
        "least": verdict.least,
        "limit": verdict.limit,
        "missing": list(verdict.missing),
        "reason": verdict.reason,
        "phase": verdict.peak_phase,
    }


def _difference(before: int, after: int) -> dict[str, int]:
    return {"before_bytes": before, "after_bytes": after, "difference_bytes": after - before}


def _setting_change(change: SettingChange) -> dict[str, Any]:
    return {"name": change.name, "before": _setting(change.before), "after": _setting(change.after)}


def _setting(setting: Setting | None) -> dict[str, Any] | None:
    if setting is None:
        return None
    at = setting.origin.location
    return {
        "value": setting.shown,
        "file": at.file if at else None,
        "line": at.line if at else None,
        "key": setting.origin.key or setting.name,
        "note": setting.origin.note,
    }


def _term(change: TermChange) -> dict[str, Any]:
    sizes = _difference(change.before.bytes if change.before else 0, change.after.bytes if change.after else 0)
    return {
        "id": change.term.id,
        "bucket": change.bucket.value,
        "what": change.after.what if change.after else None,
        "what_before": change.before.what if change.before else None,
        **sizes,
        "because": [_place(setting) for setting in change.term.because],
        "changed": [cause.name for cause in change.causes],
    }


def _place(setting: Setting) -> dict[str, Any]:
    at = setting.origin.location
    return {"file": at.file if at else None, "line": at.line if at else None, "key": setting.origin.key or setting.name}


def _line(group: Group) -> dict[str, Any]:
    """What the settings of one line (or of lines that set the same terms) cost; no settings: what changed with other terms."""
    return {"settings": [_setting_change(one) for one in group.causes], "difference_bytes": group.difference, "terms": len(group.terms)}
