"""FlashAttention with everything in fp32.

FlashAttention computes fp16 and bf16 only. fp32 weights are fine under bf16 or fp16 autocast, which casts before the kernel; without
it the kernel gets fp32.

## What it costs

The first forward pass stops: "FlashAttention only support fp16 and bf16 data type".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
torch_dtype: float32
attn_implementation: flash_attention_2
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: false
```

```budget
device 1x a100-80gb
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
torch_dtype: float32
attn_implementation: flash_attention_2
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
```

```budget
device 1x a100-80gb
```

## Sources

- transformers 4.57.6 and 5.24.0 `integrations/flash_attention.py`: fp32 queries are cast to the autocast dtype, else to the
  weights' own; `modeling_utils.py` warns at load.
- Dao-AILab/flash-attention `csrc/flash_attn/flash_api.cpp`: the message.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    HUGGING_FACE,
    PYTHON,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Severity,
    as_written,
    stated,
    trainer_of,
    unsharded,
)


def check(run: RunContext) -> Iterator[Finding]:
    attention, weights, compute = run.setting("attention"), run.setting("weights_dtype"), run.setting("autocast")
    if trainer_of(run, (*HUGGING_FACE, *PYTHON)) is None or attention is None or weights is None or compute is None:
        return
    if attention.value != "flash" or not stated(attention) or weights.value != "fp32" or compute.value != "none":
        return
    if unsharded(run) is not True or run.value("quant", "none") != "none":
        return
    sure = stated(weights) and stated(compute)
    loaded = f"'{as_written(weights)}'" if stated(weights) else "weights in fp32, the default,"
    yield run.finding(
        attention,
        f"'{as_written(attention)}' with {loaded} and no 16-bit autocast: the kernel takes fp16 and bf16 only, the first forward stops",
        help="bf16: true",
        because=[weights, compute],
        fixes=run.set(compute, True, safety=Safety.UNSAFE) if stated(compute) and compute.origin.key.endswith("bf16") else (),
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    "BL710",
    "fa2-fp32",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    needs=("attention", "weights_dtype", "autocast"),
    words=("autocast=none",),
    harm=7.5,
)
