"""Tensors of vocabulary width: logits, their copies, log-probabilities, gradients; one size each in 16 bit and fp32.

The copies of one size are many (`memory/loss.py` counts them); a message cannot tell them apart but by its frames.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.code import pick
from budgetlint.memory.plan import Plan
from budgetlint.oom.tensor import Tensor
from budgetlint.settings.run import Setting


def of_logits(plan: Plan) -> Iterator[Tensor]:
    if not plan.arch.vocab or plan.arch.kind == "vision":
        return
    yield from _training(plan)
    if plan.makes_logits and plan.loss in ("fused", "chunked"):
        yield from _chunks(plan)
    if plan.makes_logits:
        yield from _evaluation(plan)


_NAMES = {
    (4, "forward"): "fp32 logits in the loss",
    (4, "backward"): "fp32 logits in the loss",
    (2, "forward"): "16-bit logits",
    (2, "backward"): "gradient of the 16-bit logits",
}


def _training(plan: Plan) -> Iterator[Tensor]:
    whole = plan.makes_logits and plan.loss not in ("fused", "chunked")
    why = plan.because("micro_batch", "seq_len" if plan.completion is None else "completion_len", "model", "loss")
    for (size, phase), name in _NAMES.items():
        usual = whole and (size == 2 or plan.precision.compute == 4 or plan.loss != "in-place")
        if size == 4 or plan.precision.compute != 4:
            yield _of(plan, plan.scored, size, name, phase, why, usual)
    shifted = plan.scored - (plan.batch or 1)
    for size in dict.fromkeys((4, plan.precision.compute)) if shifted > 0 else ():
        name = f"{'fp32' if size == 4 else '16-bit'} logits in the loss, shifted by one"
        yield _of(plan, shifted, size, name, "forward", why, whole)


def _chunks(plan: Plan) -> Iterator[Tensor]:
    for term in pick(plan).loss_forward(plan):
        name, _, arithmetic = term.what.partition(": ")
        yield Tensor(term.bytes, name, arithmetic or name, "logits", "forward", term.because)


def _evaluation(plan: Plan) -> Iterator[Tensor]:
    """The Trainer keeps them all until the end (transformers trainer.py evaluation_loop, ``eval_accumulation_steps`` unset)."""
    tokens, why = (plan.eval_batch or 1) * plan.length, plan.because("eval_batch", "seq_len", "model")
    for size in dict.fromkeys((4, plan.precision.compute)):
        yield _of(plan, tokens, size, f"{'fp32' if size == 4 else '16-bit'} logits of the evaluation", "eval", why, bool(plan.eval_batch))


def _of(plan: Plan, tokens: int, size: int, what: str, phase: str, why: tuple[Setting, ...], planned: bool) -> Tensor:
    vocab = plan.arch.vocab
    unit = f"{vocab:,} vocabulary x {size} B"
    return Tensor(tokens * vocab * size, what, f"{tokens:,} tokens x {unit}", "logits", phase, why, vocab * size, unit, planned)
