"""What the tensors of a bill are called.

A term is known by its id (`Term.id`); its words are made here, when somebody reads them. Most follow from the id: ``logits.fp32-copy`` is
``logits, fp32 copy``. Where that reads badly, `LABELS` says it better. Nothing asks for a term by these words.
"""

from __future__ import annotations

LABELS = {
    "weights.base": "weights",
    "weights.adapter": "adapter weights",
    "weights.saved-tables": "saved tables that train beside the adapter",
    "weights.unquantised": "unquantised weights (embeddings, head, norms)",
    "weights.group-index": "group index of the quantised weights",
    "weights.master": "master weights",
    "gradients.stored": "gradients",
    "gradients.one-layer-or-table": "gradients of one layer or table at a time (the step is in the backward)",
    "gradients.adapters-of-one-layer": "gradients of the adapters of one layer at a time (the step is in the backward)",
    "gradients.head-and-last-down": "gradients of the head and the last down projection",
    "gradients.head-and-first-down": "gradients of the head and the first down projection",
    "gradients.own-partition": "this rank's gradients, each tensor whole",
    "gradients.not-reduced-yet": "gradients that are not reduced yet",
    "gradients.weight-added-next": "gradient of the weight that is added next",
    "gradients.this-mlp": "gradients of this layer's MLP",
    "gradients.of-this-layer": "this layer's gradient on top",
    "gradients.unsharded-earlier-batches": "unsharded gradients of earlier micro batches (no_sync)",
    "gradients.unsharded-root": "unsharded gradients of the root unit",
    "gradients.layer-added-next": "a compiled layer's gradients, before they are added",
    "gradients.head-as-made": "the head's gradient, as the compiled graph makes it",
    "gradients.embedding-in-fp32": "the embedding's gradient, summed in fp32 by the compiled graph",
    "gradients.of-this-micro-batch": "gradients of this micro batch, all returned before they are added",
    "gradients.head-of-chunks": "the head's gradient of one chunk beside the sum of those before",
    "gradients.tied-embedding-and-sum": "the tied embedding's second gradient and their sum",
    "gradients.embedding-of-this-batch": "the embedding's gradient of this micro batch",
    "gradients-left.main-grad": "main_grad of the step before (Megatron-LM < 2.6)",
    "gradients-left.fp32": "fp32 gradients of the step before (Megatron-LM < 2.6)",
    "logits.output": "logits",
    "logits.gradient-of-output": "zero gradient of the logits that the compiled graph gives back",
    "logits.fp32-output": "logits in fp32",
    "logits.then-gradient": "logits, then their gradient in place",
    "logits.gradient": "gradient of the logits",
    "logits.one-tile": "logits of one tile",
    "logits.weights-of-one-tile": "16-bit copy of a tile's part of the head",
    "logits.summed-hidden-gradient": "gradient of the last hidden state, summed in fp32",
    "logits.summed-hidden-gradient-cast": "its cast to the dtype of the hidden state",
    "logits.summed-head-gradient": "gradient of the head, summed in fp32",
    "logits.summed-head-gradient-cast": "its cast to the dtype of the head",
    "logits.one-chunk": "logits of one chunk, with what the loss makes of it",
    "logits.chunks-fp32": "logits of all chunks, kept in fp32",
    "logits.gradient-of-hidden-state": "gradient of the last hidden state, made in the forward",
    "logits.gradient-of-head": "gradient of the head, made in the forward",
    "last-hidden-state": "last hidden state",
    "final-norm.statistics": "final norm, 1/rms",
    "head.input": "input of the head",
    "rotary.tables": "rotary tables",
    "pipeline.in-flight": "other micro batches of the pipeline stage",
    "pipeline.stage-outputs": "outputs of the pipeline stage",
    "ring.keys-and-values": "keys and values on their way round the ring",
    "fsdp.held-hidden-states": "hidden states that FSDP1 holds",
    "in-flight.gradient-of-a-hidden-state": "gradient of a hidden state",
    "in-flight.gradients-in-mlp": "gradients in flight in the MLP",
    "in-flight.gradients-in-attention": "gradients in flight in the attention",
    "autocast.copies-of-weights": "autocast copies of the weights",
    "autocast.copies-of-adapters": "autocast copies of the adapter weights",
    "autocast.copies-of-head": "more 16-bit copies of the head, one a chunk",
    "adapter.folded-experts": "adapted experts, folded",
    "cublas.workspaces": "cuBLAS workspaces",
    "quantised.one-dequantised-weight": "one dequantised weight",
    "ddp.buckets": "DDP buckets, a copy of the gradients",
    "deepspeed.reduce-bucket": "DeepSpeed reduce bucket",
    "deepspeed.gradient-partition": "DeepSpeed's partition of the gradients",
    "deepspeed.gradient-on-its-way": "buffer of the largest gradient, on its way to the host",
    "deepspeed.flat-copy-to-reduce": "flat copy of the gradients that are reduced",
    "deepspeed.16-bit-gradients": "16-bit gradients beside the fp32 ones (DeepSpeed BF16_Optimizer)",
    "deepspeed.secondary-copy": "second copy of the parameters (ZeRO++)",
    "gathered.root": "gathered root unit (embeddings, head)",
    "gathered.layers": "gathered layers",
    "gathered.quantised-layers": "gathered layers, quantised weights",
    "gathered.parameters": "gathered parameters",
    "gathered.small-parameters": "small parameters, whole on every rank",
    "gathered.flat-buffers": "flat buffers that parameters were gathered into",
    "gathered.to-generate": "the whole model, gathered to generate",
    "reduce-scatter.root-input": "reduce-scatter input of the root unit",
    "step.flat-gradients": "this rank's gradients, copied flat",
    "step.overflow-masks": "a gradient looked through for overflow",
    "step.norm-fp64": "the largest gradient in fp64, for its norm",
    "step.fp32-gradients": "gradients cast to fp32 for the step",
    "step.foreach-temporaries": "step temporaries (foreach)",
    "step.for-loop-temporaries": "temporaries of the largest tensor (for-loop)",
    "rollout.engine-share": "share of the rollout engine",
    "kv-cache.keys": "KV cache, keys",
    "kv-cache.values": "KV cache, values",
    "kv-cache.one-layer-copied": "one layer's keys, copied as the cache grows",
    "evaluation.residual": "residual stream beside the layer that passes",
    "evaluation.keys-and-values": "keys and values of every layer, kept by an evaluation",
    "context.cuda": "CUDA context and libraries",
    "context.process": "the process and the system, in the same memory",
    "context.offloaded": "what is offloaded stays here",
    "context.communicators": "communicators (NCCL)",
    "allocator.fragmentation": "fragmentation that cannot be given back",
}

WRAPS = {
    "layers": "{}",
    "dense-layers": "{}, dense layers",
    "passing": "{}, in passing",
    "recomputed": "{}, made again",
    "encoder": "encoder: {}",
    "vision": "vision tower: {}",
    "critic": "critic model: {}",
    "reference": "reference model: {}",
    "reward": "reward model: {}",
    "teacher": "teacher model: {}",
    "scoring": "log-probability pass: {}",
    "sampling": "logits of one token: {}",
}
"""Where a tensor stands, by the first part of its id."""


WORDS = {"mlp": "MLP", "rms": "1/rms", "std": "1/std", "kv": "KV", "lora_A": "LoRA A", "lora_B": "LoRA B"}


def label(slug: str) -> str:
    """The words of an id."""
    said = LABELS.get(slug)
    if said is not None:
        return said
    first, _, rest = slug.partition(".")
    if rest and first in WRAPS:
        return WRAPS[first].format(label(rest))
    return ", ".join([" ".join([WORDS.get(word, word) for word in part.split("-")]) for part in slug.split(".")])
