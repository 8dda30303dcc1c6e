"""Activations: what the layers keep, whole or as checkpoints, and the working set of one layer's backward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.catalog.families import family_of
from budgetlint.memory import compiled
from budgetlint.memory.code import pick
from budgetlint.memory.families import dense_layer_saved
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import (
    Held,
    LayerTerms,
    Saved,
    layer_terms,
    norm_output_bytes,
    residual_bytes,
    total,
)
from budgetlint.memory.term import Bucket, Term, tensor

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
    return kept + sum(width * size for _, width, size in _selected(plan))


def kept_layers(plan: Plan, layer: tuple[Saved, ...], freed: bool = False) -> Iterator[Term | LayerTerms]:
    """Everything the layers hold at the end of the forward; ``freed``: once the last one's MLP has run backward."""
    stored = checkpointed_layers(plan)
    whole = max(0, all_layers(plan) - stored * plan.recompute.chunk)
    if stored and not plan.recompute.offload:
        yield from checkpoints(plan, stored)
    dense = min(plan.arch.first_dense_layers or 0, whole)
    if whole > dense:
        yield of_layers(plan, layer, whole - dense, freed=freed, spared=0 if dense else _frozen_first_norm(plan))
    if dense:
        first, last = _frozen_first_norm(plan), freed and whole == dense
        yield of_layers(plan, dense_layer_saved(plan), dense, "dense-layers", freed=last, spared=first)


def checkpoints(plan: Plan, layers: int) -> Iterator[Term]:
    """What so many checkpointed layers keep: inputs, and under selective checkpointing what is not made again."""
    why = plan.because(*_WORKLOAD, "recompute", "model")
    stream, split = residual_bytes(plan), plan.parallel.tensor if plan.parallel.partition else 1
    own = stream * plan.stream // split
    width = () if own % stream else (("layer", layers), *plan.rows, ("hidden", own // stream))
    yield Term(Bucket.ACTIVATIONS, layers * plan.tokens * own, "checkpoints.layer-input", why, width, stream if width else 0)
    for name, width_of, size in _selected(plan):
        yield tensor(Bucket.ACTIVATIONS, f"checkpoints.{name}", why, (("layer", layers), *plan.rows, ("width", width_of)), size)


def _selected(plan: Plan) -> Iterator[tuple[str, int, int]]:
    """Name, width and bytes an element of what selective checkpointing keeps beside the input."""
    if plan.recompute.kind != "selective":
        return
    yield "attention-output", plan.arch.q_width, plan.precision.compute
    yield "attention-statistics", plan.arch.heads, 4
    more = pick(plan).selective_bytes(plan)
    if more:
        yield "by-the-policy", more // plan.precision.compute, plan.precision.compute


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
        why = plan.because("pipeline_parallel", "grad_accum", *_WORKLOAD, "recompute")
        said = f"{more / stage.chunks:.3g} more micro batches in flight on stage {stage.index} of {stage.of}"
        yield Term(Bucket.ACTIVATIONS, held, "pipeline.in-flight", why, detail=said)
    yield from _sent(plan)
    if plan.parallel.context > 1:
        shape = (("block", 2), ("keys and values", 2), *plan.rows, ("width", plan.arch.kv_width))
        yield tensor(Bucket.BUFFERS, "ring.keys-and-values", plan.because("context_parallel"), shape, size)


def _sent(plan: Plan) -> Iterator[Term]:
    """Outputs that the stage keeps of every micro batch in flight."""
    stage, over = plan.stage, plan.parallel.sent
    if stage is None or stage.last or not over:
        return
    one, size = plan.precision.compute, -(-plan.precision.compute * plan.tokens * plan.stream // over)
    count = -(-stage.flying // stage.chunks)
    why, shape = plan.because("pipeline_parallel", "grad_accum"), (("micro batch", count), ("element", size // one))
    yield Term(Bucket.ACTIVATIONS, count * size, "pipeline.stage-outputs", why, () if size % one else shape, one)


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


def of_layers(plan: Plan, layer: Iterable[Saved], layers: int, name: str = "layers", *, freed: bool = False, spared: int = 0) -> LayerTerms:
    """What so many layers keep, tensor by tensor; ``freed``: the last one's MLP has run backward; ``spared``: bytes that the norm of the
    first of all layers does not keep."""
    tokens, length = plan.tokens, plan.length
    held: list[Held] = []
    for row in layer:
        many, one = layers, row.bytes(tokens, length)
        if freed and is_freed_by_the_mlp(row):
            many -= 1
        less = min(spared, one) if spared and many and row.part == "norm" else 0
        spared -= less
        if less == one:  # the first layer keeps nothing of it
            many, less = many - 1, 0
        held.append((row, many, many * one - less, not less))
    return layer_terms(plan, name, _SETS, held)


def of_one_layer(plan: Plan, layer: Iterable[Saved], *, freed: bool = False) -> LayerTerms:
    """What one layer holds when its own backward begins; ``freed``: once its MLP has run backward."""
    return _once(plan, (row for row in layer if not (freed and is_freed_by_the_mlp(row))), "layers", _WORKLOAD)


def passing_layer(plan: Plan, layer: Iterable[Saved], why: tuple[str, ...]) -> LayerTerms:
    """One layer's tensors where nothing is kept: they come and go. ``why``: names of the settings that set them."""
    return _once(plan, layer, "passing", why)


def _once(plan: Plan, rows: Iterable[Saved], name: str, why: tuple[str, ...]) -> LayerTerms:
    tokens, length = plan.tokens, plan.length
    return layer_terms(plan, name, {"": why}, [(row, 1, row.bytes(tokens, length), True) for row in rows])


_SETS = {
    "norm": (*_WORKLOAD, "model", "recompute", "kernels"),
    "linear": (*_WORKLOAD, "model", "recompute"),
    "attention": (*_WORKLOAD, "attention", "recompute", "model"),
    "mlp": (*_WORKLOAD, "model", "recompute", "kernels"),
    "adapter": (*_WORKLOAD, "lora_targets", "lora_dropout", "lora_r", "recompute"),
    "dropout": (*_WORKLOAD, "model", "recompute"),
}


def _frozen_first_norm(plan: Plan) -> int:
    """With frozen embeddings nothing before the first adapter needs a gradient: the first norm keeps nothing."""
    late = plan.stage is not None and not plan.stage.first
    if late or plan.full or plan.recompute.on or plan.arch.norm != "rmsnorm" or "rms_norm" in plan.kernels:
        return 0
    return plan.tokens * (4 * plan.stream + 4)


def outside_layers(plan: Plan) -> Iterator[Term]:
    """The final norm, the head's input, and the rotary tables."""
    if compiled.whole(plan):
        yield from compiled.outside(plan)
        return
    arch, fused, why = plan.arch, "rms_norm" in plan.kernels and not compiled.knows(plan), plan.because("model")
    if plan.ends_here:
        yield from _final_norm(plan, fused)
    yield from masked_head(plan)
    if _embedding_mask(plan):
        yield tensor(Bucket.ACTIVATIONS, "embedding.dropout-mask", why, (*plan.rows, ("hidden", plan.stream)), 1)
    if _scales_embedding(plan):
        shape, workload = (*plan.rows, ("hidden", arch.hidden)), plan.because(*_WORKLOAD, "model")
        yield tensor(Bucket.ACTIVATIONS, "embedding.scaled", workload, shape, plan.precision.compute)
    if arch.position == "rope" and not fused:
        size = 4 if plan.precision.autocast and plan.full else plan.precision.compute
        shape = (("cos and sin", 2), ("position", plan.length), ("dim", arch.head_dim))
        yield tensor(Bucket.ACTIVATIONS, "rotary.tables", plan.because("seq_len", "model"), shape, size)


def _final_norm(plan: Plan, fused: bool) -> Iterator[Term]:
    stream, out, why = residual_bytes(plan), norm_output_bytes(plan), plan.because(*_WORKLOAD, "model")
    wide = (*plan.rows, ("hidden", plan.stream))
    yield tensor(Bucket.ACTIVATIONS, "final-norm.input", why, wide, stream if fused else 4)
    yield tensor(Bucket.ACTIVATIONS, "final-norm.statistics", why, plan.rows, 4)
    if plan.full:
        if not fused:
            yield tensor(Bucket.ACTIVATIONS, "final-norm.normed", why, wide, stream)
        yield tensor(Bucket.ACTIVATIONS, "head.input", why, wide, min(out, plan.precision.compute))


def masked_head(plan: Plan) -> Iterator[Term]:
    """The head of a masked language model: a dense layer with its activation and norm before the output embedding
    (modeling_bert.py BertLMPredictionHead): its input, the dense output, the norm's input and the decoder's."""
    if not (plan.masked and plan.ends_here):
        return
    why, wide = plan.because("model"), (*plan.rows, ("hidden", plan.arch.hidden))
    for name in ("dense-input", "dense-output", "norm-input", "decoder-input"):
        yield tensor(Bucket.ACTIVATIONS, f"masked-head.{name}", why, wide, plan.precision.compute)
    yield tensor(Bucket.ACTIVATIONS, "masked-head.norm-statistics", why, (*plan.rows, ("mean and 1/std", 2)), 4)


def _scales_embedding(plan: Plan) -> bool:
    """Granite multiplies the embedding into a new tensor, while the embedding's own output stays a leaf when only an adapter
    trains (modeling_granite.py; seen in measured rows)."""
    return not plan.full and plan.recompute.on and family_of(plan.arch.family).scales_embedding


def last_hidden_state(plan: Plan) -> Iterator[Term]:
    """The model output keeps the last hidden state until the loss is made, where it is not the head's own input."""
    if not plan.ends_here or compiled.whole(plan) or (plan.full and not plan.precision.autocast):
        return
    size = 4 if plan.full else plan.precision.compute
    yield tensor(Bucket.ACTIVATIONS, "last-hidden-state", plan.because(*_WORKLOAD), (*plan.rows, ("hidden", plan.stream)), size)


# -- one layer's backward ----------------------------------------------------------------------------------------------


def recomputed_layer(plan: Plan, layer: tuple[Saved, ...], *, freed: bool = False) -> Iterator[Term | LayerTerms]:
    """The tensors of one checkpoint's layers, made again before their backward. Reentrant checkpointing also holds the layer's output
    while it runs backward; a norm that keeps its very input shares it with the checkpoint. ``freed``: what the MLP has freed is gone."""
    why, chunk = ("recompute", *_WORKLOAD), plan.recompute.chunk
    tokens, length, held = plan.tokens, plan.length, list[Held]()
    width = residual_bytes(plan) * plan.stream * tokens
    shared = chunk * width if _norm_keeps_its_input(plan) else 0
    elsewhere = shared > chunk * total((row for row in layer if row.part == "norm"), tokens, length)
    for row in layer:
        many, one = chunk - (freed and is_freed_by_the_mlp(row)), row.bytes(tokens, length)
        less = min(shared, many * one) if row.part == "norm" or elsewhere else 0
        shared -= less
        held.append((row, many, many * one - less, not less))
    yield layer_terms(plan, "recomputed", {"": why}, held)
    if plan.recompute.reentrant:
        output = (("layer", chunk), *plan.rows, ("hidden", plan.stream))
        yield tensor(Bucket.ACTIVATIONS, "recomputed.layer-output", plan.because(*why), output, residual_bytes(plan))


def _norm_keeps_its_input(plan: Plan) -> bool:
    """True where the first norm saves the residual stream itself and no fp32 copy of it."""
    if plan.arch.norm == "layernorm":
        return not plan.precision.autocast or residual_bytes(plan) == 4
    return "rms_norm" in plan.kernels or residual_bytes(plan) == 4


def is_freed_by_the_mlp(row: Saved) -> bool:
    """A layer has let go of it when its attention runs backward: the tensors of its MLP and of the norm in front of it."""
    return row.part == "mlp" or row.id.startswith("mlp-norm.")


def freed_by_the_mlp(plan: Plan, layer: Iterable[Saved]) -> int:
    """Bytes of what one layer has let go of by then."""
    return total((row for row in layer if is_freed_by_the_mlp(row)), plan.tokens, plan.length)
