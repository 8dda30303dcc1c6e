"""torch.compile: what of a step is compiled, what a compiled layer keeps, and where a compiled run holds more.

Sources, torch 2.13.0: ``_functorch/partitioners.py`` ``min_cut_rematerialization_partition`` (matmuls and attention are never run again;
``ban_recompute_reductions``: the statistics of a row are kept; ``ban_recompute_materialized_backward``: so is what a matmul of the backward
reads; any other chain of element-wise operations is run again); ``_inductor/lowering.py`` (an embedding's gradient is summed in fp32);
``_functorch/config.py`` ``donated_buffer`` (a gradient may take the place of what it was made of). ``benchmarks/compiled_rows.py`` holds
all of it beside 109 steps that went through the whole compiler.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.families import family_of
from budgetlint.memory.estimate import Phase
from budgetlint.memory.notes import Notes
from budgetlint.memory.plan import Compiled, Plan
from budgetlint.memory.saved import Saved, residual_bytes
from budgetlint.memory.term import Bucket, Term, tensor
from budgetlint.settings.run import Settings

LAYERS = ("families.pre_norm", "families.output_norm", "families.gpt_neox", "families.two_norms")
"""Programs of layers (`families.py`) whose compiled form was traced."""

_WORKLOAD = ("micro_batch", "seq_len", "compile")


def compiled_of(settings: Settings, default: tuple[str, ...], *, loss_inside: bool) -> Compiled:
    """``compile_parts``: ``layers``, each block for itself; ``model``, all of it in one graph; ``loss``, a graph of its own; ``step``, both
    in one graph, which gives nothing but the loss. ``default``: what the framework compiles where nothing says; ``loss_inside``: its model
    makes the loss itself, beside logits that it gives back (transformers: ``labels`` go into the forward)."""
    on, said = settings.value("compile", False), settings.value("compile_parts")
    parts = (default if said is None else tuple(said)) if on else ("loss",) if "loss" in (said or ()) else ()
    if "step" in parts:
        return Compiled("model", "inside")
    if "layers" in parts:
        return Compiled("layers", "apart" if "loss" in parts else "")
    if "model" in parts:
        inside = loss_inside and "loss" not in parts
        return Compiled("model", "apart" if "loss" in parts else "inside" if inside else "", returned=inside)
    return Compiled("", "apart" if "loss" in parts else "")


def note(plan: Plan, notes: Notes) -> None:
    """What the figures of a compiled run rest on."""
    if not plan.compiled.scope:
        return
    if knows(plan):
        what = "each layer" if plan.compiled.scope == "layers" else "the whole model"
        notes.assume(f"torch.compile of {what}: what its generated programs keep, traced with torch 2.6 and 2.13", "compile")
    else:
        notes.assume("torch.compile keeps about what fused norms, rotary embeddings and activations keep; the range is wide", "compile")


def whole(plan: Plan) -> bool:
    """One graph runs the model, and a compiled layer of this kind was traced."""
    return plan.compiled.scope == "model" and knows(plan)


def knows(plan: Plan) -> bool:
    """The layer is one whose compiled form was traced: a dense decoder, 16-bit or fp32 weights, fused attention; LoRA on every linear."""
    arch = plan.arch
    if not plan.compiled.scope or arch.kind != "decoder" or arch.experts or arch.mla or arch.number("attention_layers"):
        return False
    plain = plan.quant is None and plan.vision is None and plan.shape.encoder is None and not plan.parallel.on
    return plain and (_fused(plan) or _eager(plan) > 0) and family_of(arch.family).layer in LAYERS and (plan.full or _every_linear(plan))


def _fused(plan: Plan) -> bool:
    return plan.attention in ("flash", "efficient") and not family_of(plan.arch.family).position_bias


def _eager(plan: Plan) -> int:
    """Bytes a score that attention in Python keeps, where that was traced: the scores and the probabilities, and the tanh of a soft cap;
    fp32 probabilities beside their cast under autocast. 0: not traced, or a fused kernel."""
    if plan.attention != "eager" or plan.precision.compute != 2 or (plan.arch.attention_dropout or plan.arch.dropout):
        return 0
    wide = residual_bytes(plan) > 2
    return {("fp32", False): 4, ("capped", False): 6, ("capped", True): 8}.get((family_of(plan.arch.family).eager, wide), 0)


def _every_linear(plan: Plan) -> bool:
    adapter = plan.adapter
    return adapter is not None and not adapter.dora and not adapter.dropout and all(plan.adapted(linear) for linear in plan.shape.layer)


def attention(plan: Plan, kernel: str) -> str:
    """transformers 4.51.3 and 5.24.0 masking_utils.py: while a graph is traced ``_ignore_causal_mask_sdpa`` skips no mask, and flash takes
    none. Blocks that are compiled for themselves get a mask that was made outside, or none."""
    return "efficient" if plan.compiled.returned and kernel == "flash" else kernel


# -- what a layer keeps ------------------------------------------------------------------------------------------------------


def layer(plan: Plan) -> tuple[Saved, ...]:
    """What is alive of one layer from its forward to its backward."""
    return (*_norms(plan), *_stream(plan), *_attention(plan), *_mlp(plan), *_beside(plan))


def _norms(plan: Plan) -> Iterator[Saved]:
    """What the matmuls behind a norm read, in the compute dtype, and a norm's statistics: two norms of one stream share theirs."""
    arch, size = plan.arch, plan.precision.compute
    yield Saved("norm", "attention-norm.output", size * arch.hidden, size=size)
    yield Saved("norm", "mlp-norm.output", size * arch.hidden, size=size)
    each = 8 if arch.norm == "layernorm" else 4
    yield Saved("norm", "norms.statistics", each * (1 if _side_by_side(plan) else arch.norms_per_layer), size=4)
    if arch.norms_per_layer == 4:
        for name in ("attention-output-norm", "mlp-output-norm"):
            yield Saved("norm", f"{name}.output", size * arch.hidden, size=size)
    if arch.qk_norm is not None:
        yield Saved("norm", "q-norm.input", size * arch.q_width, size=size)
        yield Saved("norm", "k-norm.input", size * arch.kv_width, size=size)
        groups = arch.heads + arch.kv_heads if arch.qk_norm == "head" else 2
        yield Saved("norm", "q-norm.and-k-norm.statistics", 4 * groups, size=4)


def _side_by_side(plan: Plan) -> bool:
    program = family_of(plan.arch.family).layer
    return program == "families.two_norms" or (program == "families.gpt_neox" and not plan.arch.number("sequential_residual"))


def _stream(plan: Plan) -> Iterator[Saved]:
    """The residual stream: in 16 bit it is added up again from what attention and MLP gave; an fp32 one is kept at each norm that reads
    it, once where both read the same. Norms of the outputs (OLMo 2) read these, not the stream."""
    hidden, size, wide = plan.arch.hidden, plan.precision.compute, residual_bytes(plan)
    if wide == size or family_of(plan.arch.family).layer == "families.output_norm":
        for name in ("o_proj.output", "down_proj.output"):
            yield Saved("linear", name, size * hidden, size=size)
    elif _side_by_side(plan):
        yield Saved("norm", "norm.input", wide * hidden, size=wide)
        yield Saved("linear", "o_proj.output", size * hidden, size=size)
    else:
        for name in ("attention-norm.input", "mlp-norm.input"):
            yield Saved("norm", name, wide * hidden, size=wide)


def _attention(plan: Plan) -> Iterator[Saved]:
    arch, size = plan.arch, plan.precision.compute
    grouped = 1 < arch.kv_heads < arch.heads
    copied = grouped and (plan.attention in ("efficient", "eager") or plan.compiled.repeats or plan.repeat_kv)
    keys = arch.q_width if copied else arch.kv_width
    yield Saved("attention", "attention.q", size * arch.q_width, size=size)
    yield Saved("attention", "attention.k", size * keys, size=size)
    cast = arch.kv_heads == 1 and plan.attention == "efficient" and residual_bytes(plan) > size
    yield Saved("attention", "attention.v", size * (arch.q_width if cast else keys), size=size)
    yield Saved("attention", "attention.output", size * arch.q_width, size=size)
    scores = _eager(plan)
    if scores:
        yield Saved("attention", "attention.scores-and-probabilities", 0, scores * arch.heads)
    if not scores or residual_bytes(plan) == size:
        yield Saved("attention", "attention.statistics", (8 if scores else 4) * arch.heads, size=4)
    packed = any(linear.role == "qkv_proj" for linear in plan.shape.layer) and arch.position == "rope"
    if packed and _side_by_side(plan):
        yield Saved("attention", "attention.qkv", size * arch.q_width, size=size)
    elif (packed or plan.compiled.views) and not copied:
        yield Saved("attention", "attention.qkv", size * (arch.q_width + arch.kv_width), size=size)
    if plan.compiled.head_major:
        yield Saved("attention", "attention.q-by-heads", size * arch.q_width, size=size)


def _mlp(plan: Plan) -> Iterator[Saved]:
    width, size = plan.arch.intermediate, plan.precision.compute
    for name in ("gate", "up", "product") if plan.arch.glu else ("up", "activation"):
        yield Saved("mlp", f"mlp.{name}", size * width, size=size)


def _beside(plan: Plan) -> Iterator[Saved]:
    """Masks of dropout, a byte each; what an adapter's first factor gives, and q once more."""
    arch, size = plan.arch, plan.precision.compute
    if arch.dropout:
        yield Saved("dropout", "dropout.masks", 2 * arch.hidden, size=1)
    if plan.adapter is not None:
        for linear in plan.shape.layer:
            yield Saved("adapter", f"{linear.role}.lora_A-output", size * plan.adapter.r, size=size)
        yield Saved("adapter", "attention.q-before-update", size * arch.q_width, size=size)
    if plan.compiled.scope == "layers" and plan.padded and plan.attention == "efficient":
        yield Saved("attention", "attention.padding-bias", 0, size, size=size)


# -- outside the layers ------------------------------------------------------------------------------------------------------


def outside(plan: Plan) -> Iterator[Term]:
    """One graph for all: the head's input, the last stream unless layers are made again, the rows of the loss, and one mask for all
    layers."""
    why, size = plan.because(*_WORKLOAD, "model"), plan.precision.compute
    wide = (*plan.rows, ("hidden", plan.arch.hidden))
    if plan.full and plan.ends_here:
        yield tensor(Bucket.ACTIVATIONS, "head.input", why, wide, size)
    if plan.full and not plan.recompute.on:
        yield tensor(Bucket.ACTIVATIONS, "embedding.output", why, wide, residual_bytes(plan) if _keeps_wide(plan) else size)
    yield tensor(Bucket.ACTIVATIONS, "final-norm.statistics", why, plan.rows, 4)
    yield tensor(Bucket.ACTIVATIONS, "loss.rows", why, (*plan.rows, ("statistic", 2)), 4)
    if plan.compiled.returned and plan.attention == "efficient" and not plan.recompute.on:
        yield tensor(Bucket.ACTIVATIONS, "attention.padding-bias", why, (*plan.rows, ("position", plan.length)), size)


def _keeps_wide(plan: Plan) -> bool:
    """The embedding itself is kept where the first norm does not keep it: scaled (Gemma), or not normed (OLMo 2)."""
    family = family_of(plan.arch.family)
    return family.layer == "families.output_norm" or (family.norm == "rms-wide" and plan.arch.tied)


# -- where it is more --------------------------------------------------------------------------------------------------------


def at_the_loss(plan: Plan) -> Iterator[Term]:
    """A loss that gives no logits back writes its gradient into them; then comes the head's gradient, in the compute dtype."""
    if whole(plan) and plan.compiled.loss == "inside" and not plan.compiled.returned and plan.full and plan.makes_logits:
        shape = (("vocab", plan.arch.vocab), ("hidden", plan.arch.hidden))
        yield tensor(Bucket.GRADIENTS, "gradients.head-as-made", plan.because("model", "compile"), shape, plan.precision.compute)


def may_be_more(plan: Plan, phase: Phase) -> int:
    """What a program that was not read may keep beside: queries as a copy by heads, where its rotary embedding ends in a ``cat`` (+ 2.9 %
    of one measured run); logits that its loss shifts into a copy (traced); fp32 logits of a loss that its framework compiles, and a
    measured run shows as eager (torchtune, + 8.5 %)."""
    own_loop = plan.compiled.loss == "inside" and not plan.compiled.returned and phase.buckets[Bucket.ACTIVATIONS]
    layers = 0 if plan.recompute.on and plan.recompute.every == 1 else plan.shape.layers
    by_heads = plan.precision.compute * plan.arch.q_width * plan.tokens * layers if own_loop and plan.arch.position == "rope" else 0
    wide = any(term.id == "logits.fp32-output" for part in phase.parts for term in part.terms) and phase.name == "backward"
    shifted = plan.precision.compute if own_loop and plan.makes_logits and phase.buckets[Bucket.LOGITS] else 0
    return by_heads + (shifted + 4 * wide) * plan.scored * plan.arch.vocab


def mlp_in_flight(plan: Plan) -> int:
    """Widths of the MLP in flight while it runs backward: the gradient of the product, those of gate and up take the place of what they
    were made of; in a layer that is made again they stand beside it."""
    return 3 if plan.recompute.on else 1


def at_the_embedding(plan: Plan) -> Iterator[Term]:
    """What stands beside all gradients at the end of a graph of the whole model. Under accumulation that is the gradients of this micro
    batch once more: a graph returns all of its own before one is added. The embedding's is summed in fp32; a tied table's second part, the
    head's, waits beside it, or the logits' gradient does where that is less."""
    if not whole(plan) or not plan.full or plan.sharding.is_fsdp:
        return
    arch, shape, why = plan.arch, plan.shape, plan.because("model", "compile", "weights_dtype")
    size, tied = plan.precision.compute, not plan.shape.head and plan.makes_logits
    table = (("vocab", arch.vocab), ("hidden", arch.hidden))
    if tied or plan.precision.grads < 4:
        yield tensor(Bucket.GRADIENTS, "gradients.embedding-in-fp32", why, table, 4)
    else:
        yield Term(Bucket.ACTIVATIONS, 14 * plan.tokens * arch.hidden, "in-flight.gradients-in-attention", plan.because(*_WORKLOAD))
    if tied:
        waits = min(arch.hidden, plan.scored) if plan.precision.weights == size else arch.hidden
        yield tensor(Bucket.GRADIENTS, "gradients.head-as-made", why, (("vocab", arch.vocab), ("width", waits)), size)
    if plan.accum > 1 and not plan.accumulation.one_buffer and plan.sharding.kind == "none":
        whose = (("gradient", shape.total),)
        yield tensor(Bucket.GRADIENTS, "gradients.of-this-micro-batch", plan.because("grad_accum", "compile"), whose, plan.precision.grads)


def before_it_is_added(plan: Plan) -> int:
    """Elements of the gradients that a compiled layer returns together, before they are added to those of earlier micro batches."""
    return plan.shape.layer_total if plan.compiled.scope == "layers" and plan.accum > 1 and plan.full and knows(plan) else 0
