"""LitGPT's own model code: what its layer keeps, and its chunked loss.

Sources: litgpt 0.5 litgpt/model.py and litgpt/lora.py (RMSNorm in fp32; ``LoRAQKVLinear`` drops its input once for q, k and v and
scatters the adapted widths with ``index_copy``; v is a view of the packed qkv; grouped keys are expanded), litgpt/utils.py
``chunked_cross_entropy`` (128 positions at a time, but the list of logits is kept), lightning fabric/plugins/precision/half.py
(module outputs are converted to fp32). Agreed with 24 measured LoRA rows at a median of 0.2 % before any constant was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.family import Basis
from budgetlint.catalog.ledger import linears
from budgetlint.memory import loss
from budgetlint.memory.code.base import PACKED, ModelCode
from budgetlint.memory.estimate import Bucket, Term
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.settings.run import Settings, Stack

CHUNK = 128
QKV = ("q_proj", "k_proj", "v_proj")
MEASURED = Basis(100_000, "the model code of another framework, checked on measured runs only", exact=False)


class LitGPT(ModelCode):
    measured = True
    flat_blocks = True
    """fabric wraps whole blocks: their flat parameters hold what is frozen too (torch 2.13 _flat_param.py: parts of one tensor; a run
    on gloo shows it)."""

    def as_built(self, arch: Architecture) -> Architecture:
        """litgpt/model.py never ties ``lm_head`` to ``wte``."""
        return replace(arch, tied=False)

    def lora_roles(self, arch: Architecture, targets: tuple[str, ...], roles: set[str]) -> set[str]:
        """q, k and v are packed into one weight, parts of which are adapted (litgpt/lora.py ``LoRAQKVLinear``)."""
        parts = set(QKV) & (set(targets) | roles)
        packed = any(linear.role == "qkv_proj" for linear in linears(arch))
        return roles | parts | ({"qkv_proj"} if parts and packed else set())

    def layer(self, plan: Plan) -> tuple[Saved, ...]:
        return tuple(layer(plan))

    def basis(self, plan: Plan) -> Basis:
        return PACKED if plan.quant else MEASURED

    def loss_forward(self, plan: Plan) -> Iterator[Term]:
        return self._logits(plan, loss.forward)

    def loss_backward(self, plan: Plan) -> Iterator[Term]:
        return self._logits(plan, loss.backward)

    def _logits(self, plan: Plan, otherwise: Callable[[Plan], Iterator[Term]]) -> Iterator[Term]:
        """The chunks' logits at either moment, but where the head is fused with the loss."""
        return otherwise(plan) if plan.loss == "fused" or not plan.makes_logits else logits(plan)

    def head_copies(self, plan: Plan) -> Iterator[Term]:
        return head_copies(plan)

    def accumulates_unreduced(self, settings: Settings, stack: Stack) -> bool:
        """finetune/lora.py: ``fabric.no_backward_sync`` in all micro batches but the last."""
        return True

    def knows_accumulation(self, stack: Stack) -> bool:
        return True

    def unreduced_gradients(self, plan: Plan, elements: int) -> tuple[int, int]:
        """Under an adapter every weight of the blocks has its place in the gradient (`flat_blocks`)."""
        return (elements if plan.full else plan.shape.layers * plan.shape.layer_total), plan.precision.compute


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


def head_copies(plan: Plan) -> Iterator[Term]:
    """A frozen fp32 head under autocast is cast at every call, and each copy is kept for the backward; it is called once a chunk
    (reproduced in torch: 4 calls of a frozen weight keep 4 copies, of a training one 1)."""
    if plan.full or not plan.precision.autocast or plan.precision.weights != 4:
        return
    calls = -(-plan.length // CHUNK) - 1
    count = calls * plan.shape.head_elements
    why = plan.because("precision", "seq_len", "stack")
    yield Term(Bucket.BUFFERS, count * plan.precision.compute, f"{calls} more 16-bit copies of the head, one a chunk", why)
