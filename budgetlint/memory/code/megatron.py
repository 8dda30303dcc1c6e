"""Megatron's own model code: what its layer keeps on one rank.

Sources: Korthikanti et al. 2022 (arXiv 2205.05198): sections 4.1 (``s b h (34 + 5 a s / h)`` by tensor), 4.2 (tensor and sequence
parallelism: what lies between the blocks is whole on each rank, or split by positions), 5 (``selective`` makes the scores again);
megatron-core 0.14.0 ``tensor_parallel/layers.py`` ``LinearWithGradAccumulationAndAsyncCommunication`` (keeps its split input and
gathers it again), ``fusions/fused_bias_swiglu.py`` (keeps the packed gate and up), ``transformer/moe/experts.py``.
GPT-NeoX and Megatron-DeepSpeed are forks of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.code.base import PEFT, CodePlaces, ModelCode, Splits, is_adapters
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.term import Source
from budgetlint.settings.run import Settings, Stack

INDEX = 8
"""Bytes of an int64."""

_KERNEL = {
    True: ("extensions/transformer_engine.py", "TEDotProductAttention"),
    False: ("transformer/dot_product_attention.py", "DotProductAttention"),
}
"""By whether attention is fused."""
_LAYER = CodePlaces(
    "megatron-core",
    "0.14.0",
    (
        ("norms.*", "transformer/transformer_layer.py", "TransformerLayer"),
        ("final-norm.*", "transformer/transformer_block.py", "TransformerBlock"),
        ("qkv.input", "tensor_parallel/layers.py", "LinearWithGradAccumulationAndAsyncCommunication"),
        ("mlp.input", "tensor_parallel/layers.py", "LinearWithGradAccumulationAndAsyncCommunication"),
        ("attention.latents-and-norms", "transformer/multi_latent_attention.py", "MLASelfAttention"),
        ("attention.[qkv]", "transformer/attention.py", "Attention"),
        ("dropout.masks", "fusions/fused_bias_dropout.py", "bias_dropout_add_fused_train"),
        ("mlp.*", "transformer/mlp.py", "MLP"),
        ("shared-expert.*", "transformer/moe/shared_experts.py", "SharedExpertMLP"),
        ("experts.row-indices", "transformer/moe/moe_utils.py", "permute"),
        ("experts.*", "transformer/moe/experts.py", ""),
        ("router.*", "transformer/moe/router.py", "TopKRouter"),
    ),
)
_OF_ITS_OPTIMIZER = ("gradients.stored", "weights.master", "step.fp32-gradients")
_STEP = CodePlaces(
    "megatron-core",
    "0.14.0",
    (
        ("embedding.dropout-mask", "models/common/embeddings/language_model_embedding.py", "LanguageModelEmbedding"),
        ("rotary.tables", "models/common/embeddings/rotary_pos_embedding.py", "RotaryEmbedding"),
        ("head.input", "tensor_parallel/layers.py", "LinearWithGradAccumulationAndAsyncCommunication"),
        ("checkpoints.*", "tensor_parallel/random.py", "CheckpointFunction"),
        ("pipeline.in-flight", "pipeline_parallel/schedules.py", "forward_backward_pipelining_without_interleaving"),
        ("gradients.stored", "distributed/param_and_grad_buffer.py", "_ParamAndGradBuffer"),
        ("weights.master", "optimizer/optimizer.py", "Float16OptimizerWithFloat16Params"),
        ("step.fp32-gradients", "optimizer/optimizer.py", "_copy_model_grads_to_main_grads"),
    ),
)


class Megatron(ModelCode):
    splits = Splits(sequence=False, embedding=True, logits=True, step=128)
    """megatron-core 0.14.0 tensor_parallel/layers.py: column- and row-parallel linears, vocabulary-parallel tables, which are padded to a
    multiple of ``make_vocab_size_divisible_by`` (128) for each rank; ``sequence_parallel`` is off unless a run turns it on."""

    gradient_buffer = True
    """megatron-core 0.14.0 distributed/param_and_grad_buffer.py."""

    casts_gradients = True
    """megatron-core 0.14.0 optimizer/optimizer.py ``_copy_model_grads_to_main_grads``."""

    drops_embedding = True
    """megatron-core 0.14.0 models/common/embeddings/language_model_embedding.py."""

    def stacks_experts(self, stack: Stack) -> bool:
        """Experts are grouped linears, whatever transformers lies beside them (megatron-core 0.14.0 transformer/moe/experts.py)."""
        return False

    def loops_experts(self, stack: Stack) -> bool:
        """The rows of all experts are kept at once, grouped or not (the same file)."""
        return False

    def layer(self, plan: Plan) -> tuple[Saved, ...]:
        return layer(plan) if plan.arch.kind in ("decoder", "encoder") else super().layer(plan)

    def checkpoints(self, kind: str, every: int) -> tuple[str, int, int]:
        """``selective`` makes only the scores again; ``--recompute-num-layers`` layers share a checkpoint (megatron-core 0.14.0
        transformer/transformer_block.py ``_checkpointed_forward``)."""
        return "core" if kind == "selective" else kind, 1, every

    def loss_recipe(self, plan: Plan, stack: Stack) -> str:
        """tensor_parallel/cross_entropy.py works in place of one fp32 copy."""
        return "full-split" if plan.loss == "full" else super().loss_recipe(plan, stack)

    def leaves_gradients(self, stack: Stack, size: int) -> bool:
        """Megatron-LM 2.0 to 2.5, ``--DDP-impl local``; fp32 gradients need its contiguous buffers. (megatron-core is at 0.x.)"""
        return size != 4 and _is_local(stack)

    def kept_outputs_over(self, settings: Settings, stack: Stack, tensor: int) -> int:
        """DeepSpeed 0.18.6 runtime/pipe/engine.py ``_exec_forward_pass`` keeps its rank's part of each output; Megatron-LM before 2.6
        kept it whole (schedules.py ``output_tensors``; then ``deallocate_output_tensor``)."""
        return tensor if "deepspeed" in stack.releases or "zero_bucket" in settings else int(_is_local(stack))

    def place_in_layer(self, name: str, plan: Plan) -> Source | None:
        if is_adapters(name):
            return PEFT
        if name in ("attention.output", "attention.statistics") or name.startswith(("attention.prob", "attention.drop")):
            return Source("megatron-core", "0.14.0", *_KERNEL[plan.attention not in ("eager", "math")])
        return _LAYER.find(name)

    def place(self, slug: str, plan: Plan) -> Source | None:
        return None if plan.sharding.is_zero and slug in _OF_ITS_OPTIMIZER else _STEP.find(slug)


def _is_local(stack: Stack) -> bool:
    """Megatron-LM from 2.0 to 2.5, for certain."""
    return stack.at_least("megatron", "2.0") is True and stack.at_least("megatron", "2.6") is False


def layer(plan: Plan) -> tuple[Saved, ...]:
    """One layer, training whole or under adapters."""
    return (*_norms(plan), *_inputs(plan), *_attention(plan), *_dropped(plan), *_mlp(plan), *_adapters(plan))


def _norms(plan: Plan) -> Iterator[Saved]:
    """Fused norms keep their input and their statistics."""
    size, count = plan.precision.compute, plan.arch.norms_per_layer
    yield Saved("norm", "norms.inputs", count * size * plan.stream, size=size)
    yield Saved("norm", "norms.statistics", count * 8, size=4)


def _inputs(plan: Plan) -> Iterator[Saved]:
    """The inputs of the column-parallel linears, split as the stream is."""
    size = plan.precision.compute
    for roles, name in ((("q_proj", "k_proj", "v_proj", "qkv_proj", "q_a_proj", "kv_a_proj"), "qkv"), (_UP, "mlp")):
        if any(linear.role in roles and (plan.trains(linear) or plan.adapted(linear)) for linear in plan.shape.layer):
            yield Saved("linear", f"{name}.input", size * plan.stream, size=size)


_UP = ("gate_proj", "up_proj", "gate_up_proj", "router", "shared_gate_proj", "shared_up_proj")


def _attention(plan: Plan) -> Iterator[Saved]:
    arch, size = plan.arch, plan.precision.compute
    query, value = arch.q_width, arch.kv_width
    if arch.mla:
        query = arch.heads * (arch.mla_number("qk_nope_head_dim") + arch.mla_number("qk_rope_head_dim"))
        value = arch.heads * arch.mla_number("v_head_dim")
        latent = arch.mla_number("q_lora_rank") + arch.mla_number("kv_lora_rank")
        yield Saved("attention", "attention.latents-and-norms", 2 * size * latent, size=size)
    widths = (("q", query), ("k", query if arch.mla else value), ("v", value), ("output", value if arch.mla else query))
    for name, width in widths:
        yield Saved("attention", f"attention.{name}", size * width, size=size)
    if plan.attention not in ("eager", "math"):
        yield Saved("attention", "attention.statistics", 4 * arch.heads, size=4)
    elif plan.recompute.kind != "core":
        yield from _scores(plan)


def _scores(plan: Plan) -> Iterator[Saved]:
    """What unfused attention keeps for each pair of positions: 2 a, and under dropout a byte of mask and the product."""
    heads, size = plan.arch.heads, plan.precision.compute
    yield Saved("attention", "attention.probabilities", 0, heads * size, size=size)
    if plan.arch.dropout if plan.arch.attention_dropout is None else plan.arch.attention_dropout:
        yield Saved("attention", "attention.dropout-mask", 0, heads, size=1)
        yield Saved("attention", "attention.dropped-probabilities", 0, heads * size, size=size)


def _dropped(plan: Plan) -> Iterator[Saved]:
    """Masks after attention and MLP."""
    if plan.arch.dropout:
        yield Saved("dropout", "dropout.masks", 2 * plan.stream, size=1)


def _mlp(plan: Plan) -> Iterator[Saved]:
    arch, size = plan.arch, plan.precision.compute
    gates = 2 if arch.glu else 1
    if not arch.experts:
        yield from _activated("mlp", size, gates, arch.intermediate)
        return
    yield from _experts(plan, gates)
    width = arch.shared_intermediate or (arch.moe_intermediate or arch.intermediate) * (arch.shared_experts or 0)
    if width:
        yield from _activated("shared-expert", size, gates, width)


def _activated(name: str, size: int, gates: int, width: int) -> Iterator[Saved]:
    """Before and after the activation."""
    yield Saved("mlp", f"{name}.before-activation", size * gates * width, size=size)
    yield Saved("mlp", f"{name}.activation", size * width, size=size)


def _experts(plan: Plan, gates: int) -> Iterator[Saved]:
    """Rows of the routed tokens: what comes in, before and after the activation, and what goes out. Where experts are split less
    than the rest, each rank has that many times fewer rows; their sum is rounded up, not each."""
    arch, size = plan.arch, plan.precision.compute
    count, width = arch.experts_per_token or 1, arch.moe_intermediate or arch.intermediate
    fewer = max(1, plan.parallel.tensor // plan.parallel.expert_tensor)
    parts = (("inputs", size, arch.hidden), ("before-activation", size, gates * width), ("activation", size, width))
    whole = 0
    for name, one, many in (*parts, ("outputs", size, arch.hidden), ("row-indices", INDEX, 2)):
        before, whole = -(-whole // fewer), whole + count * one * many
        yield Saved("mlp", f"experts.{name}", -(-whole // fewer) - before, size=one)
    yield Saved("mlp", "router.logits-and-probabilities", 8 * (arch.experts or 0), size=4)


def _adapters(plan: Plan) -> Iterator[Saved]:
    """peft's LoRA on the packed linears: a dropped copy of the input with its mask, and what A gives."""
    adapter, size = plan.adapter, plan.precision.compute
    if adapter is None:
        return
    packed = {linear.reads: linear for linear in plan.shape.layer if plan.adapted(linear)}
    for linear in packed.values():
        rows = plan.arch.experts_per_token or 1 if linear.role.startswith("expert_") else 1
        if adapter.dropout:
            yield Saved("adapter", f"{linear.role}.lora_A-input", rows * size * linear.inputs, size=size)
            yield Saved("adapter", f"{linear.role}.dropout-mask", rows * linear.inputs, size=1)
        yield Saved("adapter", f"{linear.role}.lora_A-output", rows * size * adapter.r, size=size)
