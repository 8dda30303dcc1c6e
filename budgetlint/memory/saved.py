"""What one layer keeps for its backward, tensor by tensor, in bytes per token.

The rule behind every row: a linear keeps its input if its weight (or its LoRA A) trains; a norm keeps what its derivative
needs; attention keeps q, k, v, its output and the softmax statistics; an element-wise product keeps both factors. Dtypes
follow torch's own rules. Checked against fake-tensor traces of transformers 5.24.0, torch 2.13.0, peft 0.21.2
(`docs/memory.md` names every row).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from budgetlint.memory.plan import Plan
from budgetlint.memory.shape import Linear


@dataclass(frozen=True, slots=True)
class Saved:
    """``per_token`` bytes for each token of the micro batch, ``per_pair`` more for each token and each position of its
    sequence (attention scores). ``part`` groups rows on the bill: norm, attention, mlp, adapter."""

    part: str
    what: str
    per_token: int
    per_pair: int = 0

    def bytes(self, tokens: int, seq: int) -> int:
        return tokens * (self.per_token + self.per_pair * seq)


def total(saved: Iterable[Saved], tokens: int, seq: int) -> int:
    return sum(row.bytes(tokens, seq) for row in saved)


# -- dtypes on the way through a layer ---------------------------------------------------------------------------------


def residual_bytes(plan: Plan) -> int:
    """Bytes per element of the residual stream: what the embedding gives (fp32 weights give fp32, even under autocast)."""
    if plan.quant is not None:
        return 4 if plan.quant.upcast == "all" else plan.quant.compute
    return plan.precision.weights if plan.precision.autocast else plan.precision.compute


def norm_output_bytes(plan: Plan) -> int:
    """LayerNorm runs in fp32 under autocast; the Llama RMSNorm multiplies its weight by a tensor of the input's dtype."""
    if plan.precision.autocast and plan.arch.norm == "layernorm":
        return 4
    if plan.quant is not None and plan.quant.upcast in ("norms", "all"):
        return 4
    return residual_bytes(plan)


FP32_SCALED = frozenset({"gemma", "gemma2", "gemma3", "gemma3_text"})
"""Families whose RMSNorm multiplies by ``1 + weight`` in fp32 before it casts back (modeling_gemma.py)."""

DROPPED_SCORES = frozenset({"gpt2", "bert", "roberta", "distilbert", "electra"})
"""Families whose eager attention takes the softmax in its own dtype and drops probabilities (p = 0.1)."""


def score_bytes(plan: Plan) -> int:
    """Bytes kept per pair of positions and head by math or eager attention: the softmax in fp32 and its 16-bit copy; where
    probabilities are dropped the softmax, its mask and the dropped copy; Gemma-2's soft-cap adds its tanh."""
    size, autocast = plan.precision.compute, plan.precision.autocast
    if plan.arch.family in DROPPED_SCORES and plan.attention == "eager":
        return (4 if autocast else size) + 1 + size
    capped = size if plan.arch.family == "gemma2" else 0
    return (6 if size == 2 else 4) + capped


# -- blocks ------------------------------------------------------------------------------------------------------------


def norm(plan: Plan, width: int, groups: int = 1, source: int | None = None, what: str = "norm") -> Iterator[Saved]:
    """One norm over ``width`` elements in ``groups`` independent groups (heads); ``source`` is its input's dtype."""
    stream = residual_bytes(plan) if source is None else source
    if plan.arch.norm == "layernorm":
        kept = 4 if plan.precision.autocast else stream
        yield Saved("norm", f"{what} input, mean and 1/std", kept * width + 8 * groups)
    elif "rms_norm" in plan.kernels:
        yield Saved("norm", f"{what} input and 1/rms (fused)", stream * width + 4 * groups)
    else:
        yield Saved("norm", f"{what} input in fp32 and 1/rms", 4 * width + 4 * groups)
        if plan.full:
            yield Saved("norm", f"{what} output before its weight", (4 if plan.arch.family in FP32_SCALED else stream) * width)


def inputs(plan: Plan, width: int, source: int, linears: Iterable[Linear], *, kept: bool = False) -> Iterator[Saved]:
    """What linears reading one tensor of ``width`` elements of ``source`` bytes keep of it; ``kept``: something else
    keeps that very tensor already."""
    precision, shared = plan.precision, False
    for linear in linears:
        if plan.trains(linear):
            if precision.autocast and source != precision.compute:
                yield Saved("linear", f"{linear.role} input, its own {precision.compute}-byte copy", precision.compute * width)
            else:
                shared = True
        if plan.adapted(linear):
            own, rows = _adapter_input(plan, linear, width, source)
            shared = shared or not own
            yield from rows
    if shared and not kept:
        yield Saved("linear", "linear input", source * width)


def _adapter_input(plan: Plan, linear: Linear, width: int, source: int) -> tuple[bool, list[Saved]]:
    """peft ``tuners/lora/layer.py`` 0.21.2: ``lora_B(lora_A(dropout(x.to(lora_A.weight.dtype))))``. Returns whether the
    branch keeps a tensor of its own."""
    adapter, precision = plan.adapter, plan.precision
    assert adapter is not None
    fused = "lora" in plan.kernels
    inner = precision.compute if precision.autocast else adapter.dtype
    own = adapter.dropout > 0 or source != inner or (precision.autocast and adapter.dtype != inner)
    rows = [Saved("adapter", f"{linear.role} lora_A output", inner * adapter.r)]
    if fused and adapter.dropout == 0:
        return False, rows
    if own:
        rows.append(Saved("adapter", f"{linear.role} lora_A input copy", inner * width))
    if adapter.dropout > 0:
        rows.append(Saved("adapter", f"{linear.role} dropout mask", width))
    return own, rows


def attention(plan: Plan, output: Iterable[Linear]) -> Iterator[Saved]:
    """The attention core and the input of the output projection.

    flash: q, k, v, out and the fp32 logsumexp. Memory-efficient: the same with k, v repeated to every head (torch 2.13 has no
    grouped-query kernel) and, behind a padding mask, a bias of s x s. math and eager: both operands of both products and the
    softmax in fp32 (and its 16-bit copy), so bytes grow with the square of the length.
    """
    arch, size = plan.arch, plan.precision.compute
    heads, q, kv = arch.heads, arch.q_width, arch.kv_width
    output = tuple(output)
    if plan.attention == "flash":
        yield Saved("attention", "q, k, v and output", size * (2 * q + 2 * kv))
        yield Saved("attention", "softmax statistics", 4 * heads)
    elif plan.attention == "efficient":
        yield Saved("attention", "q, k and v of every head, output", size * 4 * q)
        yield Saved("attention", "softmax statistics", 4 * heads)
        if plan.padded:
            yield Saved("attention", "padding mask as a bias", 0, size)
    else:
        yield Saved("attention", "q, k and v of every head", size * 3 * q)
        yield Saved("attention", "attention probabilities", 0, score_bytes(plan) * heads)
        if any(plan.trains(linear) or plan.adapted(linear) for linear in output):
            yield Saved("attention", "attention output", size * q)
    kept = plan.attention in ("flash", "efficient") or any(plan.trains(linear) for linear in output)
    yield from inputs(plan, q, size, output, kept=kept or plan.attention in ("math", "eager"))


def gated_mlp(plan: Plan, width: int, down: Iterable[Linear]) -> Iterator[Saved]:
    """``down(act(gate(x)) * up(x))``: gate (for the activation), up and act(gate) (for the product), and the product."""
    size = plan.precision.compute
    tensors = 2 if "swiglu" in plan.kernels else 3
    yield Saved("mlp", "gate, up" + (" and activation" if tensors == 3 else " (fused activation)"), tensors * size * width)
    yield from inputs(plan, width, size, down)


def plain_mlp(plan: Plan, width: int, down: Iterable[Linear], *, python_gelu: bool = False) -> Iterator[Saved]:
    """``down(act(up(x)))``. transformers' own ``gelu_new`` is written in Python and keeps five tensors in all; under autocast
    ``pow`` runs in fp32, and with it everything up to the last product."""
    size = plan.precision.compute
    inner = 4 if plan.precision.autocast and python_gelu else size
    yield Saved("mlp", "up output", inner * width)
    if python_gelu:
        yield Saved("mlp", "gelu_new intermediates", (2 * inner + size) * width)
    yield from inputs(plan, width, inner, down)
