"""Need, limit and what is left between them, of a run's verdict; and which run is worst."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.plain_text import one_line
from budgetlint.base.units import distinct, gib
from budgetlint.memory.estimate import Estimate, Range, Verdict
from budgetlint.memory.unmodelled import TABLE
from budgetlint.report.style import plural
from budgetlint.results.verdict import RunVerdict

_WORST_FIRST = (Verdict.DOES_NOT_FIT, Verdict.TIGHT, Verdict.UNKNOWN, Verdict.FITS)


def headroom(verdict: RunVerdict) -> int | None:
    """Bytes of the limit that the need leaves; of a run that does not fit what it lacks, negative (`Estimate.over`); None where need or
    limit is not known."""
    if verdict.over is not None:
        return -verdict.over
    need = _needed(verdict)
    return verdict.limit - need if need and verdict.limit is not None else None


def shown_figures(verdict: RunVerdict) -> tuple[str, str, str]:
    """Need, limit and headroom as text; empty where not known."""
    need, spare = _needed(verdict), headroom(verdict)
    if not need or verdict.limit is None or spare is None:
        limit = gib(verdict.limit) if verdict.limit is not None else ""
        return (_at_least(verdict, gib(need)) if need else ""), limit, ""
    needed, limit = distinct(need, verdict.limit)
    if spare < 0 and verdict.over is None:
        return _at_least(verdict, needed), limit, ""  # somewhere about the limit: no figure says how far
    return _at_least(verdict, needed), limit, gib(spare) if verdict.least is None or verdict.over else f"at most {gib(spare)}"


def _needed(verdict: RunVerdict) -> int | None:
    return verdict.need if verdict.least is None else verdict.least


def _at_least(verdict: RunVerdict, text: str) -> str:
    return text if verdict.least is None else f"{text} or more"


def figures(verdict: RunVerdict) -> str:
    """``need 31.20 GiB, limit 27.00 GiB, headroom -4.20 GiB``."""
    named = zip(("need", "limit", "headroom"), shown_figures(verdict), strict=True)
    return ", ".join(f"{name} {text}" for name, text in named if text) or "nothing to add up"


def worst_first(verdicts: tuple[RunVerdict, ...]) -> list[RunVerdict]:
    """By verdict, then by headroom, the least first; those without figures last."""
    return sorted(verdicts, key=_badness)


def _badness(verdict: RunVerdict) -> tuple[int, bool, int]:
    spare = headroom(verdict)
    return _WORST_FIRST.index(verdict.verdict), spare is None, spare or 0


def about(need: Range) -> str:
    """The best figure; where the upper end is open, the least."""
    return gib(need.bytes) if need.high is not None else f"{gib(need.low)} or more"


def against(estimate: Estimate, limit: int) -> str:
    """``needs 16.99 GiB, limit 31.34 GiB: 14.35 GiB spare``; ``needs 33.64 GiB, at least 32.01 GiB of 31.36 GiB: 0.65 GiB over``."""
    need, over = estimate.need, estimate.over
    if estimate.devices_needed and estimate.verdict is Verdict.UNKNOWN:
        return f"fits from {plural(estimate.devices_needed, 'device')} on"
    if over is not None:
        least, most = distinct(need.low, need.low - over)
        return f"needs {gib(need.bytes)}, at least {least} of {most}: {gib(over)} over"
    if need.high is None or (estimate.verdict is Verdict.UNKNOWN and not estimate.forks):
        return f"needs {about(need)}, limit {gib(limit)}"
    needed, offered = distinct(need.bytes, limit)
    if estimate.verdict is not Verdict.FITS:
        return f"needs {needed} ({gib(need.low)} to {gib(need.high)}), limit {offered}"
    return f"needs {needed}, limit {offered}: {gib(limit - need.bytes)} spare"


def lacking(names: Iterable[str], unknown: str = "not known") -> str:
    """``not known: seq_len; not modelled: torchacc``: what is missing of a run can be said, what is not modelled cannot."""
    told = [one_line(name) for name in names]
    parts = ((unknown, [name for name in told if name not in TABLE]), ("not modelled", [name for name in told if name in TABLE]))
    return "; ".join(f"{lead}: {', '.join(some)}" for lead, some in parts if some)
