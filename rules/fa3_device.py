"""FlashAttention 3 or 4 on a GPU that it does not run on.

Version 3 needs compute capability 9.0 before transformers 5.9 and 8.0 since (its kernels are written for Hopper); version 4 needs 9.0.

## What it costs

The model does not load: "FlashAttention4 requires compute capability >= 9".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
attn_implementation: flash_attention_4
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
```

```budget
device a100-80gb
stack transformers@5.24
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
attn_implementation: flash_attention_2
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
```

```budget
device a100-80gb
stack transformers@5.24
```

## When it is meant

A kernel of the hub (`kernels-community/...`) has limits of its own.

## Sources

- transformers 5.9.0, 5.10.1 and 5.24.0 `modeling_flash_attention_utils.py` `cuda_min_major_version`: 8 and 9.
- transformers 4.57.6 and 5.0.0 `modeling_utils.py`: "Flash Attention 3 requires compute capability >= 9.0". Version 4 is not there.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity, capability_of, card_words, device_line

THIRD, FOURTH = "flash_attention_3", "flash_attention_4"
AMPERE, HOPPER = (8, 0), (9, 0)
ON_AMPERE_SINCE, HOPPER_ONLY_UNTIL = "5.9.0", "5.0.1"
"""transformers whose check asks for 8.0, and the last one read, 5.0.0, whose check asks for 9.0."""


def check(run: RunContext) -> Iterator[Finding]:
    attention, capability = run.setting("attention"), capability_of(run)
    if attention is None or capability is None or attention.text not in (THIRD, FOURTH) or capability >= HOPPER:
        return
    sure = attention.text == FOURTH or capability < AMPERE or run.at_least("transformers", HOPPER_ONLY_UNTIL) is False
    if not sure and run.at_least("transformers", ON_AMPERE_SINCE):
        return
    low_enough = attention.text == THIRD and capability < AMPERE and run.at_least("transformers", HOPPER_ONLY_UNTIL) is not False
    needed = AMPERE if low_enough else HOPPER
    since = "" if sure else f" before transformers {ON_AMPERE_SINCE}"
    yield run.finding(
        attention,
        f"{attention.text} on {card_words(run)}: it needs {needed[0]}.{needed[1]}{since}, the model does not load",
        help="flash_attention_2" if capability >= AMPERE else "sdpa",
        related=device_line(run),
        fixes=run.set(attention, "flash_attention_2" if capability >= AMPERE else "sdpa", safety=Safety.UNSAFE),
        numbers={"compute_capability": f"{capability[0]}.{capability[1]}", "needed": f"{needed[0]}.{needed[1]}"},
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    "BL714",
    "fa3-device",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    needs=("device", "attention"),
    supersedes=("fa2-turing",),
    applies="flash_attention_3 on compute capability 8.x: transformers < 5.9.0",
    harm=5.0,
)
