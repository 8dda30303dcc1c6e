"""``solve --format json``, version 1: fields may be added, never renamed. What cannot be known, or does not exist, is null."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.plain_text import ascii_json
from budgetlint.report.json import edit_document
from budgetlint.results.solution import Remedy, SmallestCard, Solution, Told

VERSION = 1


def render(solutions: Iterable[Solution]) -> str:
    return ascii_json(document(solutions), indent=2)


def document(solutions: Iterable[Solution]) -> dict[str, Any]:
    return {"version": VERSION, "runs": [_run(one) for one in solutions]}


def _run(solution: Solution) -> dict[str, Any]:
    context, estimate = solution.context, solution.context.estimate
    return {
        "name": context.run.name,
        "target": context.target.name if context.target else None,
        "cell": context.cell,
        "verdict": solution.verdict.value,
        "need": estimate.need.bytes if estimate and estimate.bill else None,
        "limit": estimate.limit if estimate else None,
        "missing": list(solution.unknown),
        "maximum": {"batch": solution.batch.fits, "seq": solution.seq.fits},
        "tight_until": {"batch": solution.batch.tight, "seq": solution.seq.tight},
        "maximum_at": {"seq": solution.batch.at, "batch": solution.seq.at},
        "minimum": {"devices": solution.devices, "device": solution.card.name if solution.card else None},
        "minimum_device": _card(solution.card),
        "remedies": [_remedy(one, solution) for one in solution.remedies],
        "no_remedy": [_told(one) for one in solution.told],
    }


def _card(card: SmallestCard | None) -> dict[str, Any] | None:
    return None if card is None else {"name": card.name, "usable_bytes": card.usable}


def _remedy(remedy: Remedy, solution: Solution) -> dict[str, Any]:
    return {
        "title": remedy.title,
        "bucket": remedy.bucket,
        "frees_bytes": remedy.frees,
        "need": remedy.need,
        "verdict": remedy.verdict.value,
        "cost": remedy.cost,
        "source": remedy.source,
        "host_bytes": remedy.host,
        "levers": list(remedy.parts),
        "settings": {name: list(value) if isinstance(value, tuple) else value for name, value in remedy.settings.items()},
        "edits": [edit_document(edit, solution.sources.get(edit.file)) for edit in remedy.edits],
    }


def _told(told: Told) -> dict[str, Any]:
    return {
        "title": told.title,
        "bucket": told.bucket,
        "frees_bytes": told.frees,
        "need": told.need,
        "verdict": told.verdict.value,
        "why": told.why,
    }
