"""Where to look first when a run does not fit: the bucket that is largest at the peak decides, never the batch by itself."""

from __future__ import annotations

from budgetlint.rule import Bucket, Estimate, RunContext, bytes_at_peak, gib

from ._fit import FIXED, largest

_BUFFERS = (
    ("gathered.to-generate", "ds3_gather_for_generation: false generates layer by layer, an engine (use_vllm) keeps a model of its own"),
    (
        "rollout.",
        "give the engine a smaller share (gpu_memory_utilization), let it sleep while the policy trains, or use other devices for it",
    ),
    ("deepspeed.", "a smaller reduce_bucket_size; overlap_comm doubles it"),
    ("step.foreach-temporaries", "a fused optimizer (adamw_torch_fused) has none"),
    ("ddp.", "sharding has none of them; gradient_as_bucket_view saves the copy"),
    ("gathered.", "smaller units to gather: each layer wrapped and resharded after the forward, a smaller stage3_max_live_parameters"),
    ("autocast.", "weights loaded in 16 bit need none"),
    ("step.flat-gradients", "sharding over more devices; ZeRO-3 casts one sub_group_size at a time"),
    ("step.norm-fp64", "ZeRO-3, which splits the largest tensor too"),
    ("step.fp32-gradients", "a smaller sub_group_size, or sharding over more devices"),
)
"""What helps against a buffer, by how its id begins."""


def advice(run: RunContext, estimate: Estimate) -> str:
    fixed, moving = bytes_at_peak(estimate, FIXED), bytes_at_peak(estimate, (Bucket.ACTIVATIONS, Bucket.LOGITS))
    buffers = bytes_at_peak(estimate, (Bucket.BUFFERS,))
    if fixed > (estimate.usable_high or 0):
        return f"weights, gradients and optimizer alone exceed the device: {_less_state(run, alone=True)}; no batch size helps"
    if buffers > max(fixed, moving):
        return _less_buffer(estimate)
    if moving < fixed:
        return f"most of it is weights, gradients and optimizer: {_less_state(run, alone=False)} frees more than a smaller batch"
    return _less_batch(run, estimate, moving)


def _less_state(run: RunContext, *, alone: bool) -> str:
    """What shrinks weights, gradients and states, without what the run has already."""
    adapted = run.plan is not None and run.plan.adapter is not None
    quantised = run.plan is not None and run.plan.quant is not None
    small = adapted or "8bit" in str(run.value("optimizer", ""))
    cures = (
        (not adapted, "an adapter"),
        (not quantised and (adapted or alone), "a quantised base"),
        (not small, "an 8-bit optimizer"),
        (True, "sharding over more devices" if alone else "sharding"),
    )
    return _either([cure for wanted, cure in cures if wanted], comma=alone)


def _either(words: list[str], *, comma: bool) -> str:
    if len(words) == 1:
        return words[0]
    return ", ".join(words[:-1]) + (", or " if comma and len(words) > 2 else " or ") + words[-1]


def _less_buffer(estimate: Estimate) -> str:
    buffer = largest(term for term in estimate.bill if term.bucket is Bucket.BUFFERS)
    if buffer is None:
        return "most of it is buffers"
    cure = next((f": {cure}" for mark, cure in _BUFFERS if buffer.id.startswith(mark)), "")
    return f"most of it is one buffer, {buffer.label} ({gib(buffer.bytes)}){cure}"


def _less_batch(run: RunContext, estimate: Estimate, moving: int) -> str:
    if bytes_at_peak(estimate, (Bucket.LOGITS,)) > moving // 2:
        return "most of the activations are logits: a fused or chunked loss, or a smaller micro batch with more accumulation"
    if run.plan is not None and run.plan.recompute.on:
        kept = gib(bytes_at_peak(estimate, (Bucket.ACTIVATIONS,)))
        return (
            f"most of it is activations, {kept} although checkpointing is on: it keeps every layer's input and makes one layer again; "
            "a smaller micro batch with more accumulation, shorter or split sequences (context parallelism), or offloaded checkpoints"
        )
    return (
        "most of it is activations: recomputation (gradient checkpointing), a smaller micro batch with more accumulation, "
        "or shorter sequences"
    )
