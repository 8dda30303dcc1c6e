"""What `check` and `estimate` say of an open verdict in JSON: `reason`, `forks`, `leaning`, `over_bytes`, `supposes`."""

from __future__ import annotations

from typing import Any

from budgetlint.memory.estimate import Estimate, Fork, ForkReading, Opened, Supposed
from budgetlint.results.verdict import RunVerdict


def open_json(one: Estimate | RunVerdict) -> dict[str, Any]:
    return {
        "reason": one.reason,
        "forks": [_fork(fork) for fork in one.forks],
        "leaning": one.leaning.value if one.leaning is not None else None,
        "over_bytes": one.over,
        "supposes": _supposes(one.supposes),
    }


NOTHING_OPEN: dict[str, Any] = {"reason": "incomplete", "forks": [], "leaning": None, "over_bytes": None, "supposes": None}
"""Of a run without a model."""


def _fork(fork: Fork) -> dict[str, Any]:
    return {"settings": [_opened(one) for one in fork.settings], "readings": [_reading(one) for one in fork.readings]}


def _supposes(one: Supposed | None) -> dict[str, Any] | None:
    return None if one is None else {"text": one.text, "models": list(one.models), "statements": list(one.statements)}


def _opened(one: Opened) -> dict[str, Any]:
    return {"name": one.name, "file": one.place.file if one.place else None, "line": one.place.line if one.place else None}


def _reading(one: ForkReading) -> dict[str, Any]:
    need = {"bytes": one.need.bytes, "low": one.need.low, "high": one.need.high}
    return {"values": list(one.values), "because": one.because, "need": need, "verdict": one.verdict.value}
