"""Layers of two kinds, one after the other: linear attention (Gated DeltaNet), and attention with a gate (Qwen3-Next, Qwen3.5).

Followed in transformers 5.24.0 modeling_qwen3_5.py with the kernels of flash-linear-attention (``chunk_gated_delta_rule`` keeps queries,
keys, values, decay, beta, and a 64-wide matrix for each head and position) and causal-conv1d (its input). Without them transformers' own
code runs in fp32 and keeps several times as much of a linear layer.
"""

from __future__ import annotations

from budgetlint.catalog.ledger_hybrid import widths
from budgetlint.memory.attend import attend
from budgetlint.memory.blocks import linear, norm, rotate
from budgetlint.memory.feed_forward import mlp
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.tape import Tape, TapeTensor, new

CHUNK = 64
"""Positions of one chunk: the side of the triangular matrices that the kernel keeps (fla ops/gated_delta_rule/chunk.py)."""


def mixed(plan: Plan) -> tuple[Saved, ...]:
    """What a layer keeps in the mean of both kinds."""
    full, layers = plan.arch.number("attention_layers"), plan.arch.layers
    rows: list[Saved] = []
    for mixer, count, where in ((_delta_net, layers - full, ".linear-layers"), (_gated_attention, full, "")):
        tape = Tape(plan)
        x = tape.input()
        x = new(x, mixer(tape, norm(tape, x, what="attention-norm")))
        mlp(tape, norm(tape, x, what="mlp-norm"))
        rows += [_share(row, where, count, layers) for row in tape.saved()]
    return tuple(rows)


def _share(row: Saved, where: str, count: int, of: int) -> Saved:
    whole = not (row.per_token * count % of or row.per_pair * count % of)
    per_token, per_pair = row.per_token * count // of, row.per_pair * count // of
    return Saved(row.part, f"{row.id}{where}", per_token, per_pair, 0, row.size if whole else 0, mean=(count, of))


def _gated_attention(tape: Tape, source: TapeTensor) -> TapeTensor:
    arch = tape.arch
    both = linear(tape, source, "q_proj", 2 * arch.q_width)
    query = norm(tape, both.view(arch.q_width), arch.heads, what="q-norm")
    key = norm(tape, linear(tape, source, "k_proj", arch.kv_width), arch.kv_heads, what="k-norm")
    value = linear(tape, source, "v_proj", arch.kv_width)
    out = attend(tape, rotate(tape, query), rotate(tape, key), value)
    tape.keep(out, "attention", "attention.output")
    tape.keep(TapeTensor(arch.q_width, out.size), "attention", "attention.output-gate")
    return linear(tape, new(out), "o_proj", arch.hidden)


def _delta_net(tape: Tape, source: TapeTensor) -> TapeTensor:
    """The roles of either family: Qwen3-Next packs q, k, v and the gate into one matrix."""
    key, value, heads = widths(tape.arch)
    packed = linear(tape, source, "in_proj_qkvz" if "in_proj_qkvz" in tape.linears else "in_proj_qkv", 2 * key + value)
    gate = linear(tape, source, "in_proj_z", value)
    linear(tape, source, "in_proj_b", heads)
    linear(tape, source, "in_proj_a", heads)
    tape.keep(packed, "attention", "delta-rule.convolution-input")
    for width, what in ((key, "q"), (key, "k"), (value, "v")):
        tape.keep(TapeTensor(width, tape.compute), "attention", f"delta-rule.{what}")
    tape.keep(TapeTensor(4 * heads, 4), "attention", "delta-rule.decay-beta-norms")
    tape.keep(TapeTensor(CHUNK * heads, tape.compute), "attention", "delta-rule.chunk-matrices")
    out = TapeTensor(value, tape.compute)
    tape.keep(out, "attention", "delta-rule.output")
    tape.keep(gate, "norm", "delta-rule.gate")
    for what in ("output-norm-input-fp32", "gate-fp32", "activated-gate-fp32"):
        tape.keep(TapeTensor(value, 4), "norm", f"delta-rule.{what}")
    return linear(tape, new(out), "delta_out", tape.arch.hidden)
