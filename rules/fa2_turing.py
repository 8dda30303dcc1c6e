"""FlashAttention 2 on a GPU older than Ampere.

## What it costs

The first forward pass raises "FlashAttention only supports Ampere GPUs or newer".

## Failing

```budget
device t4
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 1
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
attn_implementation: flash_attention_2
```

## Passing

```budget
device t4
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 1
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
attn_implementation: sdpa
```

## Sources

- Dao-AILab/flash-attention#562 and #762: Turing and Volta are not supported by version 2 and later.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity, device_of

AMPERE = (8, 0)


def check(run: RunContext) -> Iterator[Finding]:
    attention, card = run.setting("attention"), device_of(run)
    if attention is None or attention.value != "flash" or attention.is_default or card is None:
        return
    capability = card.compute_capability
    if card.vendor.lower() != "nvidia" or capability is None or capability >= AMPERE:
        return
    switch = str(attention.text).lower() in ("true", "yes", "on")
    name = attention.origin.key.rpartition(".")[2] or attention.name
    yield run.finding(
        attention,
        f"{name} {attention.text} on {card.name} (compute capability {capability[0]}.{capability[1]}): FlashAttention needs 8.0, "
        "the first forward pass stops",
        help="attn_implementation: sdpa" if not switch else "switch it off; sdpa is the default",
        because=[device] if (device := run.setting("device")) else (),
        fixes=run.set(attention, False if switch else "sdpa", safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL702",
    name="fa2-turing",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("device", "attention"),
    harm=9.5,
)
