"""transformers 5 loads a bf16 checkpoint in bf16 when no dtype is given, and full fine-tuning becomes pure bf16.

Up to 4.57 the default was fp32. Told only when the stack says transformers 5, the checkpoint is known to be bf16, and it is certain
that no ZeRO or FSDP keeps an fp32 copy.

## What it costs

The same file trained fp32 weights before the upgrade; now steps below 1/512 of a weight are rounded away. Memory drops from 16 to
8 bytes per parameter as well, so the old budget is wrong too.

## Failing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.2-1B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
learning_rate: 0.00001
bf16: true
```

```budget
device 1x a100-80gb
stack transformers@5.24
```

## Passing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.2-1B
torch_dtype: float32
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
learning_rate: 0.00001
bf16: true
```

```budget
device 1x a100-80gb
stack transformers@5.24
```

## Sources

- transformers 5.24.0 `modeling_utils.py` `from_pretrained`: dtype defaults to "auto"; 4.57.6: to float32.
- Run: a bf16 checkpoint loaded without a dtype by 5.24.0 has bf16 weights.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, full_tuning, unsharded

from ._bf16 import SMALL_RATE, cost, rounding_optimizer


def check(run: RunContext) -> Iterator[Finding]:
    weights, rate, model = run.setting("weights_dtype"), run.setting("learning_rate"), run.setting("model")
    if weights is None or model is None or not weights.is_default or weights.value != "auto" or not weights.known:
        return
    if run.plan is None or run.plan.arch.checkpoint_dtype != "bf16" or not unsharded(run):
        return
    if not full_tuning(run) or run.value("quant", "none") != "none" or run.value("learning_rate", 0.0) > SMALL_RATE:
        return
    if rounding_optimizer(run) is None:
        return
    words, numbers = cost(rate)
    yield run.finding(
        model,
        f"no dtype is given for {model.text}: transformers 5 loads it in bf16, weights, gradients and states alike; {words}",
        help="write dtype: float32 (torch_dtype before 4.56) to train fp32 weights under bf16 autocast as transformers 4 did",
        because=[setting for setting in (weights, rate) if setting],
        numbers=numbers,
    )


RULE = Rule(
    code="BL211",
    name="v5-dtype-auto-pure-bf16",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    applies="transformers >= 5.0.0",
    needs=("model", "weights_dtype"),
    words=("weights_dtype=auto",),
    harm=13.0,
)
