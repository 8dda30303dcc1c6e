"""The run computes in fp32 although nothing says so.

Neither `bf16` nor `fp16` is on, and the weights are loaded in fp32.

## What it costs

Matrix products without the 16-bit tensor cores (on an A100 19.5 or, with TF32, 156 TFLOP/s instead of 312) and activations of twice
the size. Only models of 100 million parameters or more are told, on a card that has bf16.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
```

```budget
device 1x a100-80gb
stack transformers@4.57
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
```

```budget
device 1x a100-80gb
stack transformers@4.57
```

## When it is meant

Looking for a numerical problem.

## Sources

- LLaMA-Factory 0.9.5 `hparams/parser.py`: "We recommend enable mixed precision training."
- transformers 4.12.5 and 4.13.0 `training_args.py`: the argument `bf16` came with 4.13.
- transformers 5.24.0 `training_args.py`: bf16 and fp16 are off by default; weights are fp32 by default before 5.0.0.
- NVIDIA A100 data sheet: FP32 19.5, TF32 156, BF16 312 TFLOP/s.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    Bucket,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    as_written,
    device_of,
    gib,
    stated,
    trainer_of,
    unsharded,
)

SMALLEST = 100_000_000
BF16 = "4.13.0"


def check(run: RunContext) -> Iterator[Finding]:
    autocast, weights, card = run.setting("autocast"), run.setting("weights_dtype"), device_of(run)
    if autocast is None or weights is None or card is None or not card.bf16 or trainer_of(run) is None:
        return
    if autocast.value != "none" or weights.value != "fp32" or not unsharded(run) or run.value("quant", "none") != "none":
        return
    params = run.estimate.params if run.estimate else None
    if not params or params < SMALLEST:
        return
    held = _activations(run)
    size = f" ({gib(held)} here)" if held else ""
    how = f"'{as_written(autocast)}'" if stated(autocast) else "no bf16 and no fp16"
    yield run.finding(
        autocast,
        f"{how}, with weights in fp32: the run computes in fp32, without the 16-bit tensor cores of {card.official}, and its "
        f"activations{size} take about twice the bytes",
        help="fp16: true" if run.at_least("transformers", BF16) is False else "bf16: true",
        because=[weights],
        numbers={"params": params, **({"activation_bytes": held} if held else {})},
    )


def _activations(run: RunContext) -> int:
    """Bytes of the estimate; 0 where batch or length are not known."""
    if run.estimate is None or run.plan is None or run.plan.batch is None or run.plan.seq is None:
        return 0
    return run.estimate.buckets.get(Bucket.ACTIVATIONS, 0)


RULE = Rule(
    "BL214",
    "no-mixed-precision",
    Severity.INFO,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("device", "autocast", "weights_dtype"),
    harm=11.0,
)
