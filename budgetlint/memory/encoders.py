"""Layers of encoders that are written their own way: DINOv2, DistilBERT, DeBERTa v2 and v3 (transformers 5.24.0 modeling_dinov2.py,
modeling_distilbert.py, modeling_deberta_v2.py)."""

from __future__ import annotations

from budgetlint.memory.blocks import dropout, linear, norm
from budgetlint.memory.families import attention
from budgetlint.memory.feed_forward import mlp
from budgetlint.memory.tape import Tape, TapeTensor, new


def dinov2(tape: Tape) -> None:
    """Norm, block, a learned scale of every channel (a product, which keeps what it scales), sum."""
    x = tape.input()
    x = new(x, _scaled(tape, attention(tape, norm(tape, x, what="attention-norm")), "attention"))
    _scaled(tape, mlp(tape, norm(tape, x, what="mlp-norm")), "mlp")


def _scaled(tape: Tape, value: TapeTensor, part: str) -> TapeTensor:
    if tape.trains:
        tape.keep(value, part, f"{part}.output-before-scale")
    return TapeTensor(value.width, max(value.size, tape.norm_weights))


def deberta(tape: Tape) -> None:
    """modeling_bert.py's order around attention with relative positions."""
    x, rate = tape.input(), tape.arch.dropout
    x = norm(tape, new(x, dropout(tape, _disentangled(tape, x), rate)), what="attention-output-norm")
    norm(tape, new(x, dropout(tape, mlp(tape, x), rate)), what="output-norm")


def _disentangled(tape: Tape, source: TapeTensor) -> TapeTensor:
    """DisentangledSelfAttention: content scores, and two more by relative position, each a product with the projected positions of
    every head, copied for every sequence, and gathered by an index of s x s. There is no other kernel."""
    arch = tape.arch
    query, key, value = (linear(tape, source, f"{one}_proj", arch.q_width) for one in "qkv")
    for kept, what in ((query, "attention.q"), (key, "attention.k"), (value, "attention.v")):
        tape.keep(tape.low(kept), "attention", what)
    size, buckets = tape.low(query).size, 2 * arch.number("rel_buckets")
    tape.keep(TapeTensor(arch.q_width, size), "attention", "attention.k-over-scale")
    for what in ("key-positions", "query-positions") if buckets else ():
        tape.keep(TapeTensor(buckets * arch.q_width, size, side="sequence"), "attention", f"attention.{what}")
        tape.keep(TapeTensor(buckets * arch.heads, size), "attention", f"attention.scores-by-{what}")
        tape.keep(TapeTensor(0, 8, 1, side="table"), "attention", f"attention.index-of-{what}")
    tape.keep(TapeTensor(0, 1, 1), "attention", "attention.masked-pairs")
    soft = tape.full(TapeTensor(0, size, arch.heads))
    tape.keep(soft, "attention", "attention.probabilities")
    used = tape.low(dropout(tape, soft, arch.dropout, "attention", "attention.dropout-mask"))
    tape.keep(used, "attention", "attention.probabilities-for-v")
    return linear(tape, TapeTensor(arch.q_width, tape.low(value).size), "o_proj", arch.hidden)


def distilbert(tape: Tape) -> None:
    """modeling_distilbert.py: no dropout behind the attention."""
    x = tape.input()
    x = norm(tape, new(x, attention(tape, x)), what="attention-output-norm")
    norm(tape, new(x, dropout(tape, mlp(tape, x), tape.arch.dropout)), what="output-norm")
