"""LitGPT's own model code: what its layer keeps, and its chunked loss.

Sources: litgpt 0.5 litgpt/model.py and litgpt/lora.py (RMSNorm in fp32; ``LoRAQKVLinear`` drops its input once for q, k and v and
scatters the adapted widths with ``index_copy``; v is a view of the packed qkv; grouped keys are expanded), litgpt/utils.py
``chunked_cross_entropy`` (128 positions at a time, but the list of logits is kept), lightning fabric/plugins/precision/half.py
(module outputs are converted to fp32). Agreed with 24 measured LoRA rows at a median of 0.2 % before any constant was taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.estimate import Bucket, Term, tensor
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
        yield Saved("norm", "norm.input", size * arch.hidden, size=size)
        yield Saved("norm", "norm.statistics", 16, size=4)
    else:
        for name in ("first-norm", "second-norm"):
            yield Saved("norm", f"{name}.input-fp32", 4 * arch.hidden, size=4)
            yield Saved("norm", f"{name}.rms", 4, size=4)
            if plan.full:
                yield Saved("norm", f"{name}.normed", size * arch.hidden, size=size)
    if plan.full:
        for name in ("qkv", "mlp"):
            yield Saved("linear", f"{name}.input", size * arch.hidden, size=size)


def _attention(plan: Plan) -> Iterator[Saved]:
    arch, size = plan.arch, plan.precision.compute
    if arch.kv_heads < arch.heads:
        kept = [("q", 1), ("k-every-head", 1), ("v-every-head", 1), ("output", 1)]
    else:
        kept = [("qkv", 3), ("q", 1), ("k", 1), ("output", 1)]
    for name, times in kept:
        yield Saved("attention", f"attention.{name}", times * size * arch.q_width, size=size)
    yield Saved("attention", "attention.statistics", 4 * arch.heads, size=4)


def _mlp(plan: Plan) -> Iterator[Saved]:
    arch, size = plan.arch, plan.precision.compute
    for name in (*(("gate", "up", "activation") if arch.glu else ("up",)), *(("product",) if plan.full else ())):
        yield Saved("mlp", f"mlp.{name}", size * arch.intermediate, size=size)


def _adapters(plan: Plan) -> Iterator[Saved]:
    adapter, size = plan.adapter, plan.precision.compute
    if adapter is None:
        return
    for name, width, count in _adapted_inputs(plan):
        yield Saved("adapter", f"{name}.lora_A-input", size * width, size=size)
        if adapter.dropout > 0:
            yield Saved("adapter", f"{name}.dropout-mask", width, size=1)
        yield Saved("adapter", f"{name}.lora_A-output", size * adapter.r * count, size=size)
    widths = {"q_proj": plan.arch.q_width, "k_proj": plan.arch.kv_width, "v_proj": plan.arch.kv_width}
    some = [width for role, width in widths.items() if role in adapter.targets]
    if 0 < len(some) < len(QKV):
        yield Saved("adapter", "qkv.scattered-updates", size * sum(some), size=size)


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
    vocab, rows = ("vocab", plan.arch.vocab), plan.rows
    why = plan.because("micro_batch", "seq_len", "model", "loss", "stack")
    yield tensor(Bucket.LOGITS, "logits.chunks-fp32", why, (*rows, vocab), 4)
    yield tensor(Bucket.LOGITS, "logits.log-softmax", why, (*rows, vocab), 4)
    yield tensor(Bucket.LOGITS, "logits.chunk-in-flight", why, (("batch", plan.batch or 1), ("seq", min(CHUNK, plan.length)), vocab), 8)
