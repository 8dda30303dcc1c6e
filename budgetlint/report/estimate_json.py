"""``estimate --format json``, version 1: fields may be added, never renamed. An open end is ``null``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from budgetlint.base.plain_text import ascii_json
from budgetlint.memory.estimate import Estimate, Phase, Range
from budgetlint.memory.sources import source_of
from budgetlint.memory.term import ALLOCATED_BUCKETS, Bucket, Source, Term
from budgetlint.report.forks_json import NOTHING_OPEN, open_json
from budgetlint.report.rank import rank_json
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Setting

VERSION = 1


def render(contexts: Iterable[RunContext]) -> str:
    return ascii_json(document(contexts), indent=2)


def document(contexts: Iterable[RunContext]) -> dict[str, Any]:
    """The estimates as plain values. Every run has every field."""
    return {"version": VERSION, "runs": [_run(context) for context in contexts]}


def _run(context: RunContext) -> dict[str, Any]:
    estimate = context.answer
    head = {
        "name": context.run.name,
        "target": context.target.name if context.target else None,
        "cell": context.cell,
        "device": _device(context),
    }
    return head | (_answer(estimate) if estimate else _NO_ANSWER)


def _device(context: RunContext) -> dict[str, Any] | None:
    device = context.target.device if context.target else None
    if device is None:
        return None
    return {
        "name": device.device.name if device.device else device.text,
        "count": device.count,
        "capacity_bytes": device.nominal,
        "usable_bytes": device.usable_low,
    }


def _answer(estimate: Estimate) -> dict[str, Any]:
    return {
        "limit_bytes": estimate.limit,
        "verdict": estimate.verdict.value,
        "missing": list(estimate.missing),
        **open_json(estimate),
        "params": estimate.params,
        "trainable_params": estimate.trainable_params,
        "rank": rank_json(estimate),
        "peak": {"phase": estimate.peak_phase} | _range(estimate.need),
        "allocated": _range(estimate.allocated),
        "reserved": _range(estimate.reserved),
        "device_total": _range(estimate.device_total),
        "host": _range(estimate.host),
        "buckets": _buckets(estimate.buckets),
        "phases": {phase.name: _phase(phase) for phase in estimate.phases},
        "terms": [_term(term, estimate) for term in estimate.bill],
        "assumptions": [assumption.text for assumption in estimate.assumptions],
        "static_bytes": estimate.static_bytes,
        "activation_allowance_bytes": estimate.activation_allowance,
        "tokens_that_fit": estimate.tokens_that_fit,
        "devices_needed": estimate.devices_needed,
        "notes": dict(estimate.notes),
    }


_OPEN: dict[str, int | None] = {"bytes": None, "low": None, "high": None}
_NO_ANSWER: dict[str, Any] = {
    "limit_bytes": None, "verdict": "unknown", "missing": ["model"], **NOTHING_OPEN, "params": None, "trainable_params": None,
    "rank": None, "peak": {"phase": None} | _OPEN, "allocated": _OPEN, "reserved": _OPEN, "device_total": _OPEN, "host": _OPEN,
    "buckets": dict.fromkeys(bucket.value for bucket in ALLOCATED_BUCKETS), "phases": {}, "terms": [], "assumptions": [],
    "static_bytes": None, "activation_allowance_bytes": None, "tokens_that_fit": None, "devices_needed": None, "notes": {},
}  # fmt: skip
"""A run of which nothing is known has every field too."""


def _range(figures: Range) -> dict[str, int | None]:
    return {"bytes": figures.bytes, "low": figures.low, "high": figures.high}


def _buckets(sums: Mapping[Bucket, int]) -> dict[str, int]:
    return {bucket.value: sums.get(bucket, 0) for bucket in ALLOCATED_BUCKETS}


def _phase(phase: Phase) -> dict[str, Any]:
    return {"bytes": phase.bytes, "buckets": _buckets(phase.buckets)}


def _term(term: Term, estimate: Estimate) -> dict[str, Any]:
    """``shape`` x ``bytes_per_element`` / ``ranks`` is ``bytes``, rounded to a whole one; without a shape all three are null."""
    dims = term.dims
    return {
        "id": term.id,
        "bucket": term.bucket.value,
        "bytes": term.bytes,
        "what": term.what,
        "shape": [{"name": name, "size": size} for name, size in dims] or None,
        "bytes_per_element": dict(zip(("bytes", "elements"), term.fraction, strict=True)) if dims else None,
        "ranks": term.ranks if dims else None,
        "source": _source(source_of(term.id, estimate.plan)),
        "because": [because_json(setting) for setting in term.because],
    }


def _source(source: Source | None) -> dict[str, str | None] | None:
    if source is None:
        return None
    return {
        "framework": source.framework,
        "version": source.version or None,
        "file": source.file,
        "function": source.function or None,
    }


def because_json(setting: Setting) -> dict[str, Any]:
    """``file`` and ``line`` are null for a default; ``note`` then says whose."""
    at = setting.origin.location
    return {
        "file": at.file if at else None,
        "line": at.line if at else None,
        "key": setting.origin.key or setting.name,
        "setting": setting.name,
        "value": setting.shown,
        "note": setting.origin.note,
        "certainty": setting.certainty,
    }
