"""What a picture says of a run in words: its answer, its machine, where the peak is."""

from __future__ import annotations

from budgetlint.base.units import gib
from budgetlint.memory.estimate import Estimate
from budgetlint.report.answer import fork_lines
from budgetlint.report.answer import short as short_words
from budgetlint.report.headroom import about, against
from budgetlint.report.svg.theme import MARK
from budgetlint.rules_api.context import RunContext

NOTHING = "no model is known: nothing to draw"


def answer(estimate: Estimate) -> str:
    """``✗ does not fit``."""
    return f"{MARK[estimate.verdict]} {short_words(estimate)}"


def reason(estimate: Estimate) -> str:
    """``needs 33.64 GiB, at least 32.01 GiB of 31.36 GiB: 0.65 GiB over``."""
    need, limit = estimate.need, estimate.limit
    if limit is None:
        return f"needs {about(need)}; no device is stated"
    return "; ".join([*fork_lines(estimate)[:1], against(estimate, limit)])


def short(estimate: Estimate) -> str:
    """``33.64 of 31.34 GiB``, for a row."""
    need = about(estimate.need)
    return need if estimate.limit is None else f"{need} of {gib(estimate.limit)}"


def facts(context: RunContext, estimate: Estimate) -> str:
    """The machine, per device, and the parameters."""
    target = context.target
    device = target.device if target else None
    said = []
    if device is not None:
        many = device.count is not None and device.count > 1
        said.append(f"each of {device.count}x {device.text}" if many else device.text)
    if estimate.params is not None:
        trained = estimate.trainable_params
        share = f", {trained:,} of them train" if trained is not None and trained != estimate.params else ""
        said.append(f"{estimate.params:,} parameters{share}")
    return " · ".join(said)


def peak(estimate: Estimate) -> str:
    phase = estimate.phase(estimate.peak_phase)
    moment = f", {phase.moment}" if phase and phase.moment else ""
    return f"live at the peak ({estimate.peak_phase}{moment})"


def summary(context: RunContext) -> str:
    """A run in one sentence, for who cannot see the picture."""
    estimate = context.estimate
    if estimate is None or not estimate.bill:
        return f"{context.label}: {NOTHING}."
    phases = ", ".join(f"{phase.name} {gib(phase.bytes)}" for phase in estimate.phases)
    return f"{context.label}: {short_words(estimate)}, {reason(estimate)}. Allocated: {phases}."
