"""The key/value cache is switched on for training.

Training reads every position at once and never asks the cache. With activation checkpointing the model switches it off again
with a warning at each step; without, it keeps every layer's keys and values until the loss is done.

## What it costs

2 x layers x key/value width x tokens x 2 bytes: 0.94 GB for an 8B Llama and 7,168 tokens, for nothing. Under checkpointing, a
warning in the log. The fix is unsafe: only without a cache does transformers look for the ends of packed sequences in the positions,
so a packed run may attend to other tokens.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
max_length: 4096
gradient_checkpointing: false
use_cache: true
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
max_length: 4096
gradient_checkpointing: false
use_cache: false
```

## When it is meant

Reinforcement learning that generates with the model itself; those trainers are left alone.

## Sources

- transformers 5.24.0 and 4.57.6 `modeling_layers.py` GradientCheckpointingLayer; 5.24.0 `trainer.py` sets the model's
  `use_cache` from the argument, false by default.
- transformers 5.24.0 and 4.57.6 `masking_utils.py`: packed sequences are looked for where there is no cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.base.units import both
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity

GENERATES = ("grpo", "ppo")
CACHE_BYTES = 2


def check(run: RunContext) -> Iterator[Finding]:
    cache = run.setting("use_cache")
    if cache is None or cache.value is not True or cache.is_default or run.value("task") in GENERATES:
        return
    recompute = run.setting("recompute")
    checkpointed = recompute is not None and recompute.known and recompute.value != "none"
    size = _size(run.plan)
    if checkpointed:
        cost = "the model switches it off again at every step, with a warning"
    else:
        cost = (
            f"every layer keeps its keys and values, {both(size)} for nothing"
            if size
            else "every layer keeps its keys and values for nothing"
        )
    yield run.finding(
        cache,
        f"{cache.origin.key.rpartition('.')[2] or cache.name} {cache.text} in training: {cost}",
        help="use_cache: false",
        because=[recompute] if recompute else (),
        fixes=run.set(cache, False, safety=Safety.UNSAFE),
        numbers={} if checkpointed or not size else {"cache_bytes": size},
        severity=Severity.INFO if checkpointed or not size else None,
    )


def _size(plan: Any) -> int | None:
    if plan is None or plan.batch is None or plan.seq is None or plan.arch.kind != "decoder":
        return None
    return int(2 * plan.arch.layers * plan.arch.kv_width * plan.batch * plan.seq * CACHE_BYTES)


RULE = Rule(
    code="BL801",
    name="use-cache-with-checkpointing",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("use_cache",),
    aliases=("use-cache-with-gc", "kv-cache-in-training"),
    harm=2.5,
)
