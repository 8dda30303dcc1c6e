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
from budgetlint.catalog.families import family_of
from budgetlint.catalog.family import Basis
from budgetlint.catalog.ledger import linears
from budgetlint.memory import loss
from budgetlint.memory.code.base import PACKED, CodePlaces, ModelCode
from budgetlint.memory.plan import Compiled, Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.term import Bucket, Source, Term, tensor
from budgetlint.settings.run import Settings, Stack

CHUNK = 128
QKV = ("q_proj", "k_proj", "v_proj")
MEASURED = Basis(100_000, "the model code of another framework, checked on measured runs only", exact=False)

_LAYER = CodePlaces("litgpt", "0.5", (("*.lora_*", "litgpt/lora.py", "LoRALinear"), ("*", "litgpt/model.py", "")))
_STEP = CodePlaces(
    "litgpt", "0.5", (("logits.chunk*", "litgpt/utils.py", "chunked_cross_entropy"), ("weights.adapter", "litgpt/lora.py", "LoRALinear"))
)


class LitGPT(ModelCode):
    measured = True
    flat_blocks = True
    """fabric wraps whole blocks: their flat parameters hold what is frozen too (torch 2.13 _flat_param.py: parts of one tensor; a run
    on gloo shows it)."""

    def as_built(self, arch: Architecture) -> Architecture:
        """litgpt/model.py never ties ``lm_head`` to ``wte``."""
        return replace(arch, tied=False)

    def stacks_experts(self, stack: Stack) -> bool:
        """litgpt 0.5.13 litgpt/model.py ``LLaMAMoE``: a list of MLPs, each of linears of its own."""
        return False

    def loops_experts(self, stack: Stack) -> bool:
        """The same: ``for mask, expert in zip(masks, self.experts)``."""
        return True

    def lora_roles(self, arch: Architecture, targets: tuple[str, ...], roles: set[str]) -> set[str]:
        """q, k and v are packed into one weight, parts of which are adapted (litgpt/lora.py ``LoRAQKVLinear``)."""
        parts = set(QKV) & (set(targets) | roles)
        packed = any(linear.role == "qkv_proj" for linear in linears(arch))
        return roles | parts | ({"qkv_proj"} if parts and packed else set())

    def layer(self, plan: Plan) -> tuple[Saved, ...]:
        return tuple(layer(plan))

    def compiled(self, settings: Settings, stack: Stack) -> Compiled:
        """litgpt 0.5.9 pretrain.py compiles the model, the loss stays outside. model.py ``CausalSelfAttention``: v is a view of the packed
        qkv; grouped keys are copied (``repeat_interleave``); the rotary embedding ends in a ``torch.cat`` with what is left of each head,
        often nothing, which inductor before torch 2.6 copied by heads."""
        found = super().compiled(settings, stack)
        return replace(found, views=True, repeats=True, head_major=stack.at_least("torch", "2.6") is False) if found.scope else found

    def basis(self, plan: Plan) -> Basis:
        return PACKED if plan.quant else MEASURED

    def loss_recipe(self, plan: Plan, stack: Stack) -> str:
        """litgpt 0.5.9 pretrain.py ``fit``: ``logits`` is a variable of the loop."""
        return "plain-held" if plan.loss == "plain" else super().loss_recipe(plan, stack)

    def loss_forward(self, plan: Plan) -> Iterator[Term]:
        return self._logits(plan, loss.forward)

    def loss_backward(self, plan: Plan) -> Iterator[Term]:
        return self._logits(plan, loss.backward)

    def place_in_layer(self, name: str, plan: Plan) -> Source | None:
        return _LAYER.find(name)

    def place(self, slug: str, plan: Plan) -> Source | None:
        return _STEP.find(slug)

    def _logits(self, plan: Plan, otherwise: Callable[[Plan], Iterator[Term]]) -> Iterator[Term]:
        """The chunks' logits at either moment, but where the head is fused with the loss, or a loop of one's own makes it."""
        return otherwise(plan) if plan.loss in ("fused", *loss.OWN) or plan.compiled.loss or not plan.makes_logits else logits(plan)

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


_PARALLEL = ("families.gpt_neox", "families.parallel", "families.falcon")
"""Layers of the families whose configs have ``parallel_residual`` (litgpt 0.5.13 litgpt/config.py: Pythia, Phi, Falcon)."""


def _norms(plan: Plan) -> Iterator[Saved]:
    """litgpt 0.5.0 to 0.5.13 litgpt/model.py ``Block.forward``: side by side, both norms read the same stream, or there is one for both
    (``shared_attention_norm``); one after the other, the second reads what attention has added. ``RMSNorm`` multiplies by its weight in
    fp32, which a weight that trains keeps."""
    arch, size = plan.arch, plan.precision.compute
    if arch.norm == "layernorm":
        together = family_of(arch.family).layer in _PARALLEL and not arch.number("sequential_residual")
        for name in ("norm",) if together else ("first-norm", "second-norm"):
            yield Saved("norm", f"{name}.input", size * arch.hidden, size=size)
        yield Saved("norm", "norm.statistics", 8 * arch.norms_per_layer, size=4)
    else:
        for name in ("first-norm", "second-norm"):
            yield Saved("norm", f"{name}.input-fp32", 4 * arch.hidden, size=4)
            yield Saved("norm", f"{name}.rms", 4, size=4)
            if plan.full:
                yield Saved("norm", f"{name}.normed", 4 * arch.hidden, size=4)
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
    yield tensor(Bucket.LOGITS, "logits.chunks-log-softmax", why, (*rows, vocab), 4)
    yield tensor(Bucket.LOGITS, "logits.chunk-in-flight", why, (("batch", plan.batch or 1), ("seq", min(CHUNK, plan.length)), vocab), 8)


def head_copies(plan: Plan) -> Iterator[Term]:
    """A frozen fp32 head under autocast is cast at every call, and each copy is kept for the backward; it is called once a chunk
    (reproduced in torch: 4 calls of a frozen weight keep 4 copies, of a training one 1)."""
    if plan.full or not plan.precision.autocast or plan.precision.weights != 4:
        return
    calls = -(-plan.length // CHUNK) - 1
    why, shape = plan.because("precision", "seq_len", "stack"), (("copy", calls), ("weight", plan.shape.head_elements))
    yield tensor(Bucket.BUFFERS, "autocast.copies-of-head", why, shape, plan.precision.compute)
