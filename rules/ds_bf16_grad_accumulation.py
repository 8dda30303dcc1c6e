"""DeepSpeed adds up the gradients of many micro batches in bf16.

Without `data_types.grad_accum_dtype`, ZeRO sums gradients in the model's dtype. In bf16 a contribution below 1/256 of the sum is
rounded away, and after N micro batches a usual contribution is 1/N of it.

## What it costs

Small gradients of late micro batches are lost, the more the longer the accumulation. fp32 sums cost 2 more bytes per parameter,
divided over the ranks from ZeRO-2 on.

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 64, "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}}
```

```budget
config ds.json
model qwen2.5-1.5b
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 64, "zero_optimization": {"stage": 2}, "bf16": {"enabled": true},
 "data_types": {"grad_accum_dtype": "fp32"}}
```

```budget
config ds.json
model qwen2.5-1.5b
```

## When it is meant

Runs that are short of memory; runs with an offloaded optimizer are not told.

## Sources

- DeepSpeed 0.14.4, 0.18.6 and 0.19.8 `runtime/engine.py` `get_data_types`; `zero/stage_1_and_2.py`, `zero/stage3.py`
  `gradient_accumulation_dtype`.
- transformers 5.24.0 documentation, "DeepSpeed": bf16 accumulation is lossy, see `grad_accum_dtype`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, written_in

MANY = 32
"""A usual contribution is then 1/32 of the sum, of which bf16 keeps three bits."""


def check(run: RunContext) -> Iterator[Finding]:
    engine, dtype, steps, shard = run.reading("deepspeed"), run.setting("engine_dtype"), run.setting("grad_accum"), run.setting("shard")
    if engine is None or dtype is None or steps is None or shard is None or dtype.value != "bf16" or not steps.known:
        return
    chosen = written_in(engine, "data_types.grad_accum_dtype")
    if steps.value < MANY or shard.value not in ("zero1", "zero2", "zero3") or run.value("offload_optimizer", "none") != "none":
        return
    if chosen is None or str(chosen.value) in ("bf16", "bfloat16"):
        yield run.finding(
            chosen or dtype,
            f"gradients of {steps.value:,} micro batches are added up in bf16, which drops what is below 1/256 of the sum",
            help='"data_types": {"grad_accum_dtype": "fp32"}, for 2 more bytes per parameter',
            because=[steps, dtype],
            numbers={"grad_accum_steps": steps.value},
        )


RULE = Rule(
    "BL220",
    "ds-bf16-grad-accumulation",
    Severity.INFO,
    Confidence.MEDIUM,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    words=("deepspeed",),
    harm=4.0,
)
