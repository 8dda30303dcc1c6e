"""LoRA with `modules_to_save` trains the embedding or the head in full, beside the original.

Each listed module becomes a second, trainable copy with gradients and optimizer states. A vocabulary table is as large as hundreds
of adapters.

## What it costs

At least 8 bytes an element with a 16-bit base and AdamW (copy 2, gradient 2, states 4), 16 in fp32: for a vocabulary of 128,256
and a width of 4,096, 3.9 GiB for each table.

## Failing

```budget
device rtx-4090
config train.yaml
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: trl-lib/Capybara
dtype: bfloat16
use_peft: true
lora_r: 16
lora_modules_to_save: [embed_tokens, lm_head]
per_device_train_batch_size: 1
learning_rate: 0.0001
num_train_epochs: 1
max_length: 1024
```

## Passing

```budget
device rtx-4090
config train.yaml
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: trl-lib/Capybara
dtype: bfloat16
use_peft: true
lora_r: 16
per_device_train_batch_size: 1
learning_rate: 0.0001
num_train_epochs: 1
max_length: 1024
```

## When it is meant

A new language or many new tokens. For a few new tokens, `trainable_token_indices` trains only their rows.

## Sources

- PEFT 0.21.2 `utils/other.py` `ModulesToSaveWrapper` (a deep copy), `tuners/tuners_utils.py` `cast_adapter_dtype` (casts LoRA layers
  only: run with torch 2.13, a copy of a bf16 base stays bf16).
- unslothai/unsloth#633, ymcui/Chinese-LLaMA-Alpaca#456: the jump in memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.optimizers import state_bytes_of
from budgetlint.memory.plan import Plan
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, device_words, effect_words, figures, gib, matters, stated


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan, saved = run.estimate, run.plan, run.setting("lora_modules_to_save")
    if estimate is None or plan is None or saved is None or not stated(saved) or plan.adapter is None or not plan.adapter.saved_modules:
        return
    cost = least_bytes(plan)
    if not matters(estimate, cost):
        return
    part = f" ({100 * cost // estimate.limit} % of what {device_words(run)} gives)" if estimate.limit else ""
    yield run.finding(
        saved,
        f"{saved.origin.key.rpartition('.')[2] or saved.name} trains {plan.adapter.saved_modules:,} elements of vocabulary tables in full: "
        f"at least {gib(cost)} for copies, gradients and optimizer states{part}{effect_words(estimate, cost)}",
        help="leave them out, or train only the rows of new tokens (trainable_token_indices)",
        numbers={**figures(estimate), "tables_bytes": cost, "table_elements": plan.adapter.saved_modules},
    )


def least_bytes(plan: Plan) -> int:
    """A copy and its gradient in the base's dtype, states of two such elements; on one device."""
    saved = plan.adapter.saved_modules if plan.adapter is not None else 0
    size = plan.quant.compute if plan.quant is not None else plan.precision.weights
    states = state_bytes_of(plan.optimizer, ((saved // plan.arch.hidden, plan.arch.hidden, 1),), size)
    over = plan.sharding
    kept = 0 if over.offload_optimizer else states // over.states_over
    return saved * size // over.params_over + saved * size // over.grads_over + kept


RULE = Rule(
    code="BL114",
    name="modules-to-save-embeddings",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("device", "estimate", "lora_modules_to_save"),
    harm=10.1,
)
