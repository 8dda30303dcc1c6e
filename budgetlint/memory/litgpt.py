"""LitGPT's own model code: what its layer keeps, and its chunked loss.

Sources: litgpt 0.5 litgpt/model.py and litgpt/lora.py (RMSNorm in fp32; ``LoRAQKVLinear`` drops its input once for q, k and v and
scatters the adapted widths with ``index_copy``; v is a view of the packed qkv; grouped keys are expanded), litgpt/utils.py
``chunked_cross_entropy`` (128 positions at a time, but the list of logits is kept), lightning fabric/plugins/precision/half.py
(module outputs are converted to fp32). Agreed with 24 measured LoRA rows at a median of 0.2 % before any constant was taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.estimate import Bucket, Term
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved

CHUNK = 128
QKV = ("q_proj", "k_proj", "v_proj")


def layer(plan: Plan) -> Iterator[Saved]:
    """One block, frozen with LoRA or training whole."""
    yield from _norms(plan)
    yield from _attention(plan)
    yield from _mlp(plan)
    yield from _adapters(plan)


def _norms(plan: Plan) -> Iterator[Saved]:
    arch, size = plan.arch, plan.precision.compute
    if arch.norm == "layernorm":
        # parallel residual: both norms read the same stream
        yield Saved("norm", "norm input, mean and 1/std", size * arch.hidden + 16)
    else:
        kept = 4 * arch.hidden + 4 + (size * arch.hidden if plan.full else 0)
        yield Saved("norm", "2 norms: input in fp32, 1/rms", 2 * kept)
    if plan.full:
        yield Saved("linear", "inputs of qkv and MLP", 2 * size * arch.hidden)


def _attention(plan: Plan) -> Iterator[Saved]:
    arch, size = plan.arch, plan.precision.compute
    widths = 4 if arch.kv_heads < arch.heads else 6
    what = "q, expanded k and v, output" if widths == 4 else "packed qkv, rotated q and k, output"
    yield Saved("attention", what, widths * size * arch.q_width)
    yield Saved("attention", "softmax statistics", 4 * arch.heads)


def _mlp(plan: Plan) -> Iterator[Saved]:
    arch, size = plan.arch, plan.precision.compute
    tensors = (3 if arch.glu else 1) + (1 if plan.full else 0)
    yield Saved("mlp", "MLP intermediates", tensors * size * arch.intermediate)


def _adapters(plan: Plan) -> Iterator[Saved]:
    adapter, size = plan.adapter, plan.precision.compute
    if adapter is None:
        return
    mask = 1 if adapter.dropout > 0 else 0
    for name, width, count in _adapted_inputs(plan):
        yield Saved("adapter", f"dropped input of {name} and its mask", (size + mask) * width)
        yield Saved("adapter", f"lora_A outputs of {name}", size * adapter.r * count)
    widths = {"q_proj": plan.arch.q_width, "k_proj": plan.arch.kv_width, "v_proj": plan.arch.kv_width}
    some = [width for role, width in widths.items() if role in adapter.targets]
    if 0 < len(some) < len(QKV):
        yield Saved("adapter", "scattered q, k, v updates", size * sum(some))


def _adapted_inputs(plan: Plan) -> Iterator[tuple[str, int, int]]:
    """Name, input width and number of adapters: q, k and v share one dropped input."""
    adapted = [linear for linear in plan.shape.layer if plan.adapted(linear)]
    packed = [linear for linear in adapted if linear.role in (*QKV, "qkv_proj")]
    if packed:
        yield "qkv", packed[0].inputs, len(packed)
    for linear in adapted:
        if linear not in packed:
            yield linear.role, linear.inputs, 1


def logits(plan: Plan) -> Iterator[Term]:
    """The chunks' logits are all kept (fp32), and so are their log-softmaxes; one chunk is in flight."""
    vocab, tokens = plan.arch.vocab, plan.tokens
    why = plan.because("micro_batch", "seq_len", "model", "loss", "stack")
    yield Term(Bucket.LOGITS, 4 * tokens * vocab, f"chunked logits, kept in fp32: {tokens:,} tokens x {vocab:,} x 4 B", why)
    yield Term(Bucket.LOGITS, 4 * tokens * vocab, f"log-softmax, fp32: {tokens:,} tokens x {vocab:,} x 4 B", why)
    chunk = min(CHUNK, plan.length) * (plan.batch or 1)
    yield Term(Bucket.LOGITS, 8 * chunk * vocab, f"the chunk in flight: {chunk:,} tokens x {vocab:,} x 8 B", why)
