"""fp16 in a torchtune recipe.

torchtune keeps weights, gradients and optimizer states in one dtype and has no loss scaler, so its recipes refuse fp16.

## What it costs

The run stops at start: "full fp16 training is not supported with this recipe" (or "fp16 precision is not supported in this recipe").

## Failing

```yaml recipe.yaml
model:
  _component_: torchtune.models.llama3_2.llama3_2_1b
optimizer:
  _component_: torch.optim.AdamW
  lr: 0.00002
batch_size: 2
dtype: fp16
```

## Passing

```yaml recipe.yaml
model:
  _component_: torchtune.models.llama3_2.llama3_2_1b
optimizer:
  _component_: torch.optim.AdamW
  lr: 0.00002
batch_size: 2
dtype: bf16
```

## Sources

- torchtune 0.6.1 `recipes/`: all training recipes (full, LoRA, DPO, PPO, GRPO, QAT, distillation, distributed or not) raise.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Role, Rule, Safety, Severity, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    dtype = written_in(document.reading, "dtype")
    if dtype is None or str(dtype.value) not in ("fp16", "float16") or document.reading.role is not Role.TRAINER:
        return
    yield document.finding(
        dtype,
        f"dtype {dtype.text}: torchtune's training recipes refuse it, since nothing scales the loss",
        help="dtype: bf16, or fp32 on a card without bf16",
        fixes=document.set(dtype, "bf16", safety=Safety.UNSAFE),
    )


RULE = Rule(
    "BL217",
    "torchtune-fp16",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("torchtune",),
    flags=True,
    harm=6.5,
)
