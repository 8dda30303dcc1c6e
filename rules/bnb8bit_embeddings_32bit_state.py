"""An 8-bit bitsandbytes optimizer keeps the embedding's states in 32 bit under the Trainer.

The Trainer registers every `nn.Embedding` for 32-bit states, because 8-bit ones train it badly. An estimate of 2 bytes a parameter
for everything is too low by the table.

## What it costs

8 bytes instead of 2 for each element of the embedding: 2.9 GiB more for a vocabulary of 128,256 and a width of 4,096. An untied head is
a linear and stays in 8 bit.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
output_dir: out
bf16: true
optim: adamw_bnb_8bit
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
```

```text requirements.txt
transformers==5.24.0
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
output_dir: out
bf16: true
optim: adamw_torch
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
```

```text requirements.txt
transformers==5.24.0
```

## When it is meant

Always: it is how the Trainer works. A remark, and a warning only where these bytes decide whether the run fits, or are a tenth of
the device.

## Sources

- transformers 4.53.0 to 5.24.0 `trainer.py` `create_optimizer`: `register_module_override(module, "weight", {"optim_bits": 32})`;
  4.50.0 looks for a class `Adam8bit`, which it never makes.
- bitsandbytes 0.49.0 `optim/optimizer.py` `get_config`: the override wins.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.memory import static
from budgetlint.memory.plan import Plan
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, effect_words, figures, gib, matters, stated

WORTH_A_REMARK = 2**28
"""A quarter of a GiB."""


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan, optimizer = run.estimate, run.plan, run.setting("optimizer")
    if estimate is None or plan is None or optimizer is None or not stated(optimizer) or not plan.full or not plan.wide_embedding:
        return
    extra = _more(plan)
    loud = matters(estimate, extra)
    if extra < WORTH_A_REMARK and not loud:
        return
    yield run.finding(
        optimizer,
        f"{optimizer.text or plan.optimizer.name} keeps the states of the embedding in 32 bit: {gib(extra)} more than in 8 bit for "
        f"{plan.shape.embed // plan.arch.hidden:,} x {plan.arch.hidden:,}{effect_words(estimate, extra)}",
        help="count it in (the estimate does), or take an optimizer whose states are small for every parameter (torchao's 8-bit AdamW)",
        because=[model] if (model := run.setting("model")) else [],
        numbers={**figures(estimate), "extra_bytes": extra, "embedding_elements": plan.shape.embed},
        severity=None if loud else Severity.INFO,
    )


def _more(plan: Plan) -> int:
    """32-bit states of the embedding above 8-bit ones, on one device."""
    train, narrow = static.trainable(plan), replace(plan, wide_embedding=False)
    if plan.sharding.offload_optimizer:
        return 0
    return (static.states_of(plan, train) - static.states_of(narrow, train)) // plan.sharding.states_over


RULE = Rule(
    code="BL123",
    name="bnb8bit-embeddings-32bit-state",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    applies="transformers >= 4.53",
    needs=("estimate", "optimizer"),
    harm=4.0,
)
