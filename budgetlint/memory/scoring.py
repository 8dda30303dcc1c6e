"""The pass that only scores: log-probabilities of what was just written, under the policy as it was, without a gradient.

Source: verl 0.6.1 ``workers/actor/dp_actor.py`` ``compute_log_prob`` (``log_prob_micro_batch_size_per_gpu`` sequences at a time, under
``no_grad`` and autocast) and ``_forward_micro_batch`` with ``calculate_entropy``: 16-bit logits divided in place by the temperature,
then ``verl_F.entropy_from_logits``: softmax, which autocast gives in fp32, and its product with the logits. The engine sleeps; the
actor's weights are loaded again, its optimizer may wait on the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.base.record import replace
from budgetlint.memory import activations, sharded
from budgetlint.memory.code import pick
from budgetlint.memory.loss import CHUNK
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.memory.term import Bucket, Part, tensor

if TYPE_CHECKING:
    from budgetlint.memory.step import Step

LOGITS = (("output", 2), ("probabilities", 4), ("probabilities-times-logits", 4))
"""Bytes of one entry, by tensor; what is live together while the entropy is made."""

_WHY = ("scoring_batch", "seq_len", "completion_len")


def moment(step: Step) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """The one moment of its phase. Whatever engine sleeps has given its share back."""
    plan = step.plan
    frees = plan.rollout.frees if plan.rollout is not None else frozenset()
    away = {Bucket.OPTIMIZER} if "optimizer" in frees else set()
    resting = tuple(term for term in step.resting if term.bucket not in away)
    yield "the log-probabilities", (*resting, *_passing(plan))


def _passing(plan: Plan) -> Iterator[Part]:
    ahead = replace(plan, batch=plan.scoring, recompute=Recompute())
    yield from sharded.parameters(plan, layers=1)
    yield activations.passing_layer(ahead, pick(ahead).layer(ahead), _WHY)
    if not ahead.makes_logits or plan.loss == "fused":
        return
    rows = (("token", min(ahead.scored, CHUNK)),) if plan.loss in ("chunked", "tiled") else ahead.scored_rows
    for name, size in LOGITS:
        yield tensor(Bucket.LOGITS, f"scoring.{name}", plan.because(*_WHY, "model"), (*rows, ("vocab", plan.arch.vocab)), size)
