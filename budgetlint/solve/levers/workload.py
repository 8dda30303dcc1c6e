"""What a step works on: smaller micro batches with the global batch kept, shorter sequences, smaller evaluation batches."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.solve.levers.idea import Idea, Situation
from budgetlint.solve.search import static_exceeds

STEP = 64
"""Tokens: lengths are told in whole multiples of what kernels work on."""

FARTHEST = 4
"""A length below this part of the run's own is another task, not a remedy."""


def ideas(situation: Situation) -> Iterator[Idea]:
    """No batch and no length is small enough where the static state alone is too large."""
    estimate = situation.bench.context.estimate
    if static_exceeds(estimate):
        return
    yield from _batch(situation)
    yield from _seq(situation)
    if estimate is not None and estimate.peak_phase == "eval" and (situation.value("eval_batch") or 1) > 1:
        yield Idea(
            "eval batch", "logits", "evaluate one sequence at a time", 18,
            "time: a slower evaluation, the same figures", "transformers trainer.py evaluation_loop", {"eval_batch": 1},
        )  # fmt: skip


def _batch(situation: Situation) -> Iterator[Idea]:
    """Divisors of the micro batch, the largest first: each optimizer step sees the same sequences."""
    batch, accum = situation.value("micro_batch"), situation.value("grad_accum", 1) or 1
    if not batch or batch == 1:
        return
    for smaller in (count for count in range(batch // 2, 0, -1) if batch % count == 0):
        more = accum * batch // smaller
        yield Idea(
            "smaller batch", "activations", f"micro batch {smaller} with {more} accumulation steps (the same global batch)", 26,
            "time: smaller matrix products, more of them" if smaller > 2 else "time: the device may idle between small matrix products",
            "Goyal et al. 2017, arXiv 1706.02677, section 2.3", {"micro_batch": smaller, "grad_accum": more}, apart=True,
        )  # fmt: skip


def _seq(situation: Situation) -> Iterator[Idea]:
    """The longest that fits, in whole steps of `STEP`."""
    seq, longest = situation.value("seq_len"), situation.longest or 0
    length = longest // STEP * STEP
    if seq and STEP <= length < seq <= length * FARTHEST:
        yield Idea(
            "shorter sequences", "activations", f"sequences of at most {length:,} tokens instead of {seq:,}", 70,
            "quality: longer samples are cut or left out", "", {"seq_len": length}, last=True,
        )  # fmt: skip
