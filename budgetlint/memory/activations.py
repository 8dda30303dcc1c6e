"""Activations: what the layers keep, whole or as checkpoints, and the working set of one layer's backward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.catalog.families import family_of
from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Bucket, Term
from budgetlint.memory.families import dense_layer_saved
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved, linear_output_bytes, norm_output_bytes, residual_bytes, total

_WORKLOAD = ("micro_batch", "seq_len")


def checkpointed_layers(plan: Plan) -> int:
    """Layers whose inputs are kept instead of their tensors."""
    if not plan.recompute.on:
        return 0
    layers = all_layers(plan) if plan.recompute.first is None else min(all_layers(plan), plan.recompute.first)
    return -(-layers // (plan.recompute.every * plan.recompute.chunk))


def all_layers(plan: Plan) -> int:
    """The usual layers, and the first, dense ones of a mixture."""
    return plan.shape.layers + (plan.arch.first_dense_layers or 0)


def checkpoint_bytes(plan: Plan) -> int:
    """What a checkpointed layer keeps per token: its input; selective checkpointing also the attention output."""
    kept = residual_bytes(plan) * plan.stream // (plan.parallel.tensor if plan.parallel.partition else 1)
    if plan.recompute.kind == "selective":
        kept += plan.precision.compute * plan.arch.q_width + 4 * plan.arch.heads + pick(plan).selective_bytes(plan)
    return kept


def kept_layers(plan: Plan, layer: tuple[Saved, ...], freed: bool = False) -> Iterator[Term]:
    """Everything the layers hold at the end of the forward; ``freed``: once the last one's MLP has run backward."""
    tokens, stored = plan.tokens, checkpointed_layers(plan)
    whole = max(0, all_layers(plan) - stored * plan.recompute.chunk)
    if stored and not plan.recompute.offload:
        size = checkpoint_bytes(plan)
        yield Term(
            Bucket.ACTIVATIONS,
            stored * tokens * size,
            f"{stored} layer inputs (checkpoints) x {tokens:,} tokens x {size:,} B",
            plan.because(*_WORKLOAD, "recompute", "model"),
        )
    dense = min(plan.arch.first_dense_layers or 0, whole)
    if whole > dense:
        yield from _by_part(plan, layer, whole - dense, freed)
    if dense:
        yield from _by_part(plan, dense_layer_saved(plan), dense, freed and whole == dense)


def in_flight(plan: Plan, layer: tuple[Saved, ...], gradients: int) -> Iterator[Term]:
    """What a pipeline stage keeps of the other micro batches whose backward has not come yet, and the ring's second block of keys
    and values (transformer_engine context_parallel.py ``p2p_comm_buffers``)."""
    stage, size = plan.stage, plan.precision.compute
    if stage is None:
        return
    more = stage.flying - stage.chunks
    if more > 0:
        own = sum(term.bytes for term in kept_layers(plan, layer)) + _embedding_mask(plan)
        held = own * more // stage.chunks - _never_together(plan, own, gradients)
        what = f"{more / stage.chunks:.3g} more micro batches in flight on stage {stage.index} of {stage.of}"
        yield Term(Bucket.ACTIVATIONS, held, what, plan.because("pipeline_parallel", "grad_accum", *_WORKLOAD, "recompute"))
    yield from _sent(plan)
    if plan.parallel.context > 1:
        block = 2 * plan.tokens * plan.arch.kv_width * size
        yield Term(Bucket.BUFFERS, 2 * block, "keys and values on their way round the ring, two blocks", plan.because("context_parallel"))


def _sent(plan: Plan) -> Iterator[Term]:
    """Outputs that the stage keeps of every micro batch in flight."""
    stage, over = plan.stage, plan.parallel.sent
    if stage is None or stage.last or not over:
        return
    size = -(-plan.precision.compute * plan.tokens * plan.stream // over)
    count = -(-stage.flying // stage.chunks)
    yield Term(
        Bucket.ACTIVATIONS, count * size, f"{count} outputs of the stage x {size:,} B", plan.because("pipeline_parallel", "grad_accum")
    )


def _never_together(plan: Plan, own: int, gradients: int) -> int:
    """Where every forward of the step comes before the first backward, the gradients stand only once one micro batch less is in flight:
    the higher of both moments is less than their sum by the smaller of the two. A buffer stands from the start."""
    stage, count = plan.stage, plan.parallel.micro_batches
    if stage is None or count is None or plan.accumulation.one_buffer or stage.chunks > 1 or stage.flying < count:
        return 0
    return min(own, gradients)


def _embedding_mask(plan: Plan) -> int:
    """Dropout behind the embedding, outside every checkpoint: a byte each."""
    drops = pick(plan).drops_embedding and plan.arch.dropout and plan.full and plan.recompute.on
    return plan.tokens * plan.stream if drops and (plan.stage is None or plan.stage.first) else 0


def _by_part(plan: Plan, layer: tuple[Saved, ...], layers: int, freed: bool) -> Iterator[Term]:
    parts: dict[str, list[Saved]] = {}
    for row in layer:
        parts.setdefault(row.part, []).append(row)
    first = _frozen_first_norm(plan)
    for part, rows in parts.items():
        count = layers * total(rows, plan.tokens, plan.length)
        spared = first if part == "norm" else 0
        gone = freed_by_the_mlp(plan, rows) if freed else 0
        yield Term(
            Bucket.ACTIVATIONS,
            count - spared - gone,
            f"{layers} layers x {_per_token(plan, rows)}: {part}{_spared(spared)}{_gone(gone)}",
            plan.because(*_WORKLOAD, *_SETS[part]),
        )


_SETS = {
    "norm": ("model", "recompute", "kernels"),
    "linear": ("model", "recompute"),
    "attention": ("attention", "recompute", "model"),
    "mlp": ("model", "recompute", "kernels"),
    "adapter": ("lora_targets", "lora_dropout", "lora_r", "recompute"),
    "dropout": ("model", "recompute"),
}


def _per_token(plan: Plan, rows: list[Saved]) -> str:
    size = sum(row.per_token for row in rows) + plan.length * sum(row.per_pair for row in rows)
    fixed = sum(row.fixed for row in rows)
    text = f"{plan.tokens:,} tokens x {size:,} B"
    return f"({text} and {fixed:,} B of {_beside(plan)})" if fixed else text


def _beside(plan: Plan) -> str:
    return f"{plan.source:,} encoder positions each" if plan.source else "positions"


def _frozen_first_norm(plan: Plan) -> int:
    """With frozen embeddings nothing before the first adapter needs a gradient: the first norm keeps nothing."""
    late = plan.stage is not None and not plan.stage.first
    if late or plan.full or plan.recompute.on or plan.arch.norm != "rmsnorm" or "rms_norm" in plan.kernels:
        return 0
    return plan.tokens * (4 * plan.stream + 4)


def _spared(count: int) -> str:
    return " (less the first norm, which needs no gradient)" if count else ""


def _gone(count: int) -> str:
    return " (less what the last layer's MLP has freed)" if count else ""


def outside_layers(plan: Plan) -> Iterator[Term]:
    """The final norm, the head's input, and the rotary tables."""
    arch, tokens = plan.arch, plan.tokens
    fused = "rms_norm" in plan.kernels
    if plan.ends_here:
        yield _final_norm(plan, fused)
    masked = masked_head(plan)
    if masked:
        yield Term(Bucket.ACTIVATIONS, masked, f"masked-language-model head: {tokens:,} tokens x {arch.hidden:,}", plan.because("model"))
    dropped = _embedding_mask(plan)
    if dropped:
        yield Term(
            Bucket.ACTIVATIONS, dropped, f"mask of the embedding's dropout: {tokens:,} tokens x {plan.stream:,}", plan.because("model")
        )
    scaled = scaled_embedding(plan)
    if scaled:
        yield Term(Bucket.ACTIVATIONS, scaled, f"scaled embedding: {tokens:,} tokens x {arch.hidden:,}", plan.because(*_WORKLOAD, "model"))
    if arch.position == "rope" and not fused:
        table = 2 * plan.length * arch.head_dim * (4 if plan.precision.autocast and plan.full else plan.precision.compute)
        yield Term(
            Bucket.ACTIVATIONS, table, f"rotary tables: 2 x {plan.length:,} positions x {arch.head_dim}", plan.because("seq_len", "model")
        )


def _final_norm(plan: Plan, fused: bool) -> Term:
    stream, out, tokens = residual_bytes(plan), norm_output_bytes(plan), plan.tokens
    kept = (stream if fused else 4) * plan.stream + 4
    if plan.full:
        kept += 0 if fused else stream * plan.stream
        kept += min(out, plan.precision.compute) * plan.stream
    return Term(
        Bucket.ACTIVATIONS, tokens * kept, f"final norm and head input: {tokens:,} tokens x {kept:,} B", plan.because(*_WORKLOAD, "model")
    )


def masked_head(plan: Plan) -> int:
    """The head of a masked language model: a dense layer with its activation and norm before the output embedding
    (modeling_bert.py BertLMPredictionHead): its input, the dense output, the norm's input and the decoder's."""
    if not (plan.masked and plan.ends_here):
        return 0
    return plan.tokens * (4 * plan.precision.compute * plan.arch.hidden + 8)


def scaled_embedding(plan: Plan) -> int:
    """Granite multiplies the embedding into a new tensor, while the embedding's own output stays a leaf when only an adapter
    trains (modeling_granite.py; seen in measured rows)."""
    if plan.full or not plan.recompute.on or not family_of(plan.arch.family).scales_embedding:
        return 0
    return plan.precision.compute * plan.tokens * plan.arch.hidden


def last_hidden_state(plan: Plan) -> int:
    """The model output keeps the last hidden state until the loss is made, where it is not the head's own input."""
    if not plan.ends_here:
        return 0
    if plan.precision.autocast and plan.full:
        return 4 * plan.tokens * plan.stream
    return 0 if plan.full else plan.precision.compute * plan.tokens * plan.stream


# -- one layer's backward ----------------------------------------------------------------------------------------------


def recomputed_layer(plan: Plan, layer: tuple[Saved, ...]) -> int:
    """Bytes of one layer's tensors, made again before its backward. Reentrant checkpointing also holds the layer's output
    while it runs backward; a norm that keeps its very input shares it with the checkpoint."""
    width = residual_bytes(plan) * plan.stream
    output = width if plan.recompute.reentrant else 0
    shared = width if _norm_keeps_its_input(plan) else 0
    return total(layer, plan.tokens, plan.length) + (output - shared) * plan.tokens


def _norm_keeps_its_input(plan: Plan) -> bool:
    """True where the first norm saves the residual stream itself and no fp32 copy of it."""
    if plan.arch.norm == "layernorm":
        return not plan.precision.autocast or residual_bytes(plan) == 4
    return "rms_norm" in plan.kernels or residual_bytes(plan) == 4


def mlp_backward(plan: Plan) -> int:
    """In flight while the MLP runs backward: gradients of product, activation and up, and of the residual; the product
    itself (or the adapter's copy of it) is freed first."""
    size = linear_output_bytes(plan)
    width = _flying_width(plan)
    down = [linear for linear in plan.shape.layer if linear.reads in ("mlp_product", "expert_product")]
    frees = any(plan.trains(linear) or plan.adapted(linear) for linear in down)
    return plan.tokens * ((2 if frees else 3) * size * width + residual_bytes(plan) * plan.stream)


def _flying_width(plan: Plan) -> int:
    """MLP width that is in flight per token. A loop over experts (transformers before 5) runs them one after the other, so a
    balanced expert sees k/E of the tokens; a grouped matmul runs all at once."""
    arch = plan.arch
    if not arch.experts:
        return arch.intermediate
    width = (arch.moe_intermediate or arch.intermediate) * (arch.experts_per_token or 1)
    return width // arch.experts if plan.expert_loop else width


def freed_by_the_mlp(plan: Plan, layer: Iterable[Saved]) -> int:
    """What one layer has let go of when its attention runs backward: the tensors of its MLP and of the norm in front of it."""
    return total((row for row in layer if row.part == "mlp" or row.what.startswith("MLP norm")), plan.tokens, plan.length)


def attention_backward(plan: Plan) -> int:
    """In flight while attention runs backward; `freed_by_the_mlp` of the layer's own tensors are gone by then."""
    arch, size = plan.arch, plan.precision.compute
    residual = residual_bytes(plan) * plan.stream
    if plan.attention in ("eager", "math"):
        # softmax backward: the gradients of its output and input, in fp32 or 16 bit; nothing of q, k, v exists yet
        flight = plan.length * arch.heads * (8 if size == 4 else 6)
    else:
        # csrc/flash_attn/flash_api.cpp mha_bwd: fp32 dq accumulator and row sums; grouped keys get expanded dk, dv
        grouped = 2 * size * arch.q_width if arch.kv_heads < arch.heads else 0
        flight = 4 * arch.q_width + 4 * arch.heads + grouped + size * (arch.q_width + 2 * arch.kv_width)
    return plan.tokens * (residual + flight)
