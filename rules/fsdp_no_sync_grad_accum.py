"""Gradient accumulation under FSDP keeps every gradient whole, and the run lacks that memory.

Between optimizer steps the Trainer runs the model under `no_sync`: nothing is reduced, so the gradients of all parameters lie
unsharded on every rank until the last micro batch.

## What it costs

2 bytes a parameter in bf16 on every GPU, however many there are: 15 GiB for 8 billion. Accelerate's documentation tells of
Mixtral 8x7B on eight 80 GB cards: 69 GB with one step, out of memory with two, 69 GB again with `sync_each_batch`.

## Failing

```budget
device 8x rtx-4090; model meta-llama/Llama-3.1-8B; precision bf16-autocast; optimizer adamw; batch 1 accum=4; seq 1024
recompute full; attention flash; shard fsdp; stack torch@2.13 transformers@5.24
```

## Passing

```budget
device 8x rtx-4090; model meta-llama/Llama-3.1-8B; precision bf16-autocast; optimizer adamw; batch 1; seq 1024
recompute full; attention flash; shard fsdp; stack torch@2.13 transformers@5.24
```

## Sources

- transformers 5.3.0 `trainer.py`: `accelerator.no_sync` for all but the last micro batch, unless `sync_each_batch` (which
  4.46 to 5.1 do not look at); accelerate 1.12.0 `accelerator.py` `no_sync`, `docs/source/concept_guides/gradient_synchronization.md`.
- torch 2.13 `distributed/fsdp/_runtime_utils.py` `_post_backward_hook`: without sync the gradient stays unsharded.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Bucket, Confidence, Finding, Rule, RunContext, Severity, bytes_at_peak, figures, gib


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan = run.estimate, run.plan
    if estimate is None or plan is None or not plan.accumulation.unreduced or estimate.limit is None or not estimate.near:
        return
    whole = bytes_at_peak(estimate, (Bucket.GRADIENTS,))
    saved = whole - whole // plan.sharding.grads_over
    if estimate.need.bytes - saved >= estimate.limit:
        return
    yield run.finding(
        run.setting("grad_accum"),
        f"{run.label} accumulates {plan.accum} micro batches under FSDP without reducing them: {gib(whole)} of gradients lie whole "
        "on every GPU; sharded, it would fit",
        help="accelerator_config: {gradient_accumulation_kwargs: {sync_each_batch: true}} (transformers 5.2 or newer), "
        "or more GPUs in place of accumulation",
        because=[setting for setting in (run.setting("shard"), run.setting("sync_each_batch")) if setting],
        numbers={**figures(estimate), "whole_bytes": whole, "saved_bytes": saved},
    )


RULE = Rule(
    code="BL111",
    name="fsdp-no-sync-grad-accum",
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
