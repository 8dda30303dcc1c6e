"""Tensors of vocabulary width: those that `memory/loss.py` counts, under the same names, and those of a run in another dtype.

Several are of one size: a message cannot tell them apart but by its frames.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory import loss
from budgetlint.memory.code import pick
from budgetlint.memory.labels import label
from budgetlint.memory.plan import Plan
from budgetlint.oom.tensor import Tensor
from budgetlint.settings.run import Setting


def of_logits(plan: Plan) -> Iterator[Tensor]:
    if not plan.arch.vocab or plan.arch.kind == "vision":
        return
    yield from _training(plan)
    if plan.makes_logits and plan.loss in ("fused", "chunked", "tiled"):
        yield from _chunks(plan)
    if plan.makes_logits:
        yield from _evaluation(plan)


def _training(plan: Plan) -> Iterator[Tensor]:
    """Those that the loss makes, its gradient of the model's own logits, and those of a run in another dtype or with another loss."""
    made, code = plan.makes_logits and plan.loss not in ("fused", "chunked", "tiled"), pick(plan)
    sizes: dict[str, set[int]] = {"forward": set(), "backward": set()}
    for phase, terms in (("forward", code.loss_forward(plan)), ("backward", code.loss_backward(plan))) if made else ():
        for term in terms:
            if term.bytes == loss.vocabulary_elements(plan) * term.size:
                sizes[phase].add(term.size)
                yield _of(plan, plan.scored, term.size, term.label, phase, term.because, True)
    why = plan.because("micro_batch", "seq_len" if plan.completion is None else "completion_len", "model", "loss")
    own = plan.precision.compute
    for phase, size in (("backward", own), ("forward", 4), ("backward", 4), ("forward", own)):
        if size not in sizes[phase]:
            sizes[phase].add(size)
            slug = "logits.gradient" if phase == "backward" and size == own else "logits.fp32-copy" if size == 4 else "logits.output"
            yield _of(plan, plan.scored, size, label(slug), phase, why, made and (phase, size) == ("backward", own))
    yield from _shifted(plan, why, made)


def _shifted(plan: Plan, why: tuple[Setting, ...], made: bool) -> Iterator[Tensor]:
    """Older code cuts the last position off (``logits[..., :-1, :].contiguous()``)."""
    shifted = plan.scored - (plan.batch or 1)
    for size in dict.fromkeys((4, plan.precision.compute)) if shifted > 0 else ():
        slug = "logits.shifted-copy-fp32" if size == 4 else "logits.shifted-copy-16-bit"
        yield _of(plan, shifted, size, label(slug), "forward", why, made)


def _chunks(plan: Plan) -> Iterator[Tensor]:
    for term in pick(plan).loss_forward(plan):
        yield Tensor(term.bytes, term.label, term.arithmetic, "logits", "forward", term.because, size=term.size if term.dims else 0)


def _evaluation(plan: Plan) -> Iterator[Tensor]:
    """The Trainer keeps them all until the end (transformers trainer.py evaluation_loop, ``eval_accumulation_steps`` unset)."""
    tokens, why = (plan.eval_batch or 1) * plan.length, plan.because("eval_batch", "seq_len", "model")
    for size in dict.fromkeys((4, plan.precision.compute)):
        slug = "evaluation.logits-fp32" if size == 4 else "evaluation.logits-16-bit"
        yield _of(plan, tokens, size, label(slug), "eval", why, bool(plan.eval_batch))


def _of(plan: Plan, tokens: int, size: int, what: str, phase: str, why: tuple[Setting, ...], planned: bool) -> Tensor:
    vocab = plan.arch.vocab
    unit = f"vocab {vocab:,} x {size} B"
    return Tensor(tokens * vocab * size, what, f"{tokens:,} tokens x {unit}", "logits", phase, why, vocab * size, unit, planned, size=size)
