"""Activation checkpointing is off, and the activations it would free are what the run lacks.

Without it every layer keeps its intermediate tensors for the backward pass: memory that grows with tokens and layers, past
weights and optimizer together at a few thousand tokens. Where the length is only a limit (`does-not-fit`), it is told of short rows alone.

## What it costs

The run does not fit, or only just. Checkpointing keeps one layer's input instead and computes the layer again: about a third
more time for the same batch.

## Failing

```budget
device rtx-4090; model qwen2.5-1.5b; precision bf16; lora r=16; optimizer adamw; batch 2; seq 8192; loss fused
recompute none; attention flash; stack torch@2.13 transformers@5.24
```

## Passing

```budget
device rtx-4090; model qwen2.5-1.5b; precision bf16; lora r=16; optimizer adamw; batch 2; seq 8192; loss fused
recompute full; attention flash; stack torch@2.13 transformers@5.24
```

## Sources

- Chen et al. 2016, arXiv 1604.06174: one more forward pass for the activations of all layers but one.
- huggingface/transformers#29822: out of memory on an A100 with 40 GB at a length of 512, checkpointing off.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.plan import Recompute
from budgetlint.rule import (
    Bucket,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    bytes_at_peak,
    decides,
    figures,
    first_located,
    gib,
    is_over,
)

from ._length import of_rows, with_sure_rows
from ._whatif import if_only


def check(run: RunContext) -> Iterator[Finding]:
    if run.estimate is None or not is_over(run.estimate):
        return
    rows, run = of_rows(run), with_sure_rows(run)
    estimate, plan, depth = run.estimate, run.plan, run.setting("recompute")
    if estimate is None or plan is None or not is_over(estimate) or plan.recompute.kind != "none":
        return
    if depth is not None and not depth.known:
        return
    with_it = if_only(run, recompute=Recompute("full", reentrant=plan.recompute.reentrant))
    saved = estimate.need.bytes - with_it.need.bytes if with_it is not None else 0
    if with_it is None or not decides(estimate, saved):
        return
    kept = bytes_at_peak(estimate, (Bucket.ACTIVATIONS,))
    tokens = [setting for name in ("seq_len", "micro_batch") if (setting := run.setting(name))]
    yield run.finding(
        first_located([*([depth] if depth else []), *tokens]),
        f"activation checkpointing is off, so the layers of {run.label} keep {gib(kept)} of activations for {plan.tokens:,} tokens{rows}; "
        f"with it the run needs {gib(with_it.need.bytes)} instead of {gib(estimate.need.bytes)} and would fit",
        help="gradient_checkpointing: true (about a third more time per step)",
        because=[*([depth] if depth else []), *tokens],
        numbers={**figures(estimate), "activation_bytes": kept, "saved_bytes": saved, "checkpointed_need_bytes": with_it.need.bytes},
    )


RULE = Rule(
    code="BL112",
    name="gc-off-long-seq",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    harm=9.5,
)
