"""What a step loses in bf16, for the rules about pure bf16 training."""

from __future__ import annotations

from budgetlint.rule import Optimizer, RunContext, Setting, mentions, number_text, optimizer_of

MANTISSA_BITS = 8
"""Significant bits of bf16, the hidden one included."""

SMALL_RATE = 5e-5
"""Above this, learning rates of pretraining start, where most weights do move."""

_ROUNDS_WELL = frozenset({"stable_adamw", "optimi_adamw", "adamw_anyprecision"})
"""Kahan summation on by itself (torch-optimi) or one option away (AnyPrecisionAdamW use_kahan_summation)."""

_OPTIONS = ("kahan", "stochastic")


def stuck_above(rate: float) -> float:
    """The magnitude from which a weight ignores a step of size ``rate``.

    bf16 numbers near w lie at least w x 2^-8 apart; a step below half of that is rounded away: w > rate x 2^9.
    """
    return rate * 2.0 ** (MANTISSA_BITS + 1)


def rounding_optimizer(run: RunContext) -> Optimizer | None:
    """The run's Adam-like optimizer when it simply rounds the new weight; None for one that carries the rest along."""
    setting = run.setting("optimizer")
    optimizer = optimizer_of(setting)
    if optimizer is None or not optimizer.adam_like or optimizer.name in _ROUNDS_WELL:
        return None
    return None if any(mentions(reading.document.source, _OPTIONS) for reading in run.run.readings) else optimizer


def cost(rate: Setting | None) -> tuple[str, dict[str, float]]:
    """What is lost, in words and numbers. Without a learning rate the usual one of fine-tuning stands in."""
    step = float(rate.value) if rate is not None and rate.known else 2e-5
    limit = stuck_above(step)
    known = rate is not None and rate.known
    usual = f"the usual learning rate of fine-tuning, {number_text(step)} (none is stated),"
    told = f"the learning rate {number_text(step)}" if known else usual
    words = f"at {told} every weight above {limit:.2g} in size rounds back to what it was, and the run learns less without a message"
    return words, {"learning_rate": step, "stuck_above": limit}
