"""TRL's fused head: tiles of logits, and gradients summed in fp32.

trl 1.15.0 and 1.16.0 ``kernels/chunked_logprob.py`` ``_ChunkedLogProb``, ``trainer/utils.py`` ``add_fused_lm_head``: one buffer of up to
4,096 tokens by 32,768 entries, however small the vocabulary is, in the compute dtype, in the forward and again in the backward, which sums
the gradients of the hidden states, and of a head that trains, in fp32 and casts them at its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import norm_output_bytes
from budgetlint.memory.term import Bucket, Term, tensor

TOKENS, ENTRIES = 4096, 32_768
SINCE = "1.15.0"


def forward(plan: Plan) -> Iterator[Term]:
    size, why = plan.precision.compute, plan.because("loss", "stack")
    tokens = min(TOKENS, max(1, plan.scored - (plan.batch or 1)))  # nothing comes after the last
    yield tensor(Bucket.LOGITS, "logits.one-tile", why, (("token", tokens), ("entry", ENTRIES)), size)
    if plan.precision.autocast and plan.precision.weights > size:
        yield tensor(
            Bucket.LOGITS, "logits.weights-of-one-tile", why, (("vocab", min(ENTRIES, plan.arch.vocab)), ("hidden", plan.arch.hidden)), size
        )


def backward(plan: Plan) -> Iterator[Term]:
    yield from forward(plan)
    why, hidden = plan.because("loss", "micro_batch", "seq_len"), ("hidden", plan.arch.hidden)
    made = [("logits.summed-hidden-gradient", (*plan.scored_rows, hidden), norm_output_bytes(plan))]
    if plan.full:
        made.append(("logits.summed-head-gradient", (("vocab", plan.arch.vocab), hidden), plan.precision.weights))
    for name, shape, size in made:
        yield tensor(Bucket.LOGITS, name, why, shape, 4)
        if size < 4:
            yield tensor(Bucket.LOGITS, f"{name}-cast", why, shape, size)
