"""Very many accumulation steps: the Trainer fetches all micro batches of a step before the first of them trains.

From transformers 4.46 on `get_batch_samples` collects `gradient_accumulation_steps` batches to count their labels, and accelerate's
loader has moved them to the device already.

## What it costs

24 bytes a token: some megabytes for text. Images, audio and padded answer pairs are held as often, and one long sample among so many
is met in almost every step.

## Failing

```budget
device a100-80gb
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
dtype: bfloat16
per_device_train_batch_size: 1
gradient_accumulation_steps: 128
learning_rate: 0.00001
num_train_epochs: 1
max_length: 2048
```

## Passing

```budget
device a100-80gb
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
dtype: bfloat16
per_device_train_batch_size: 4
gradient_accumulation_steps: 32
learning_rate: 0.00001
num_train_epochs: 1
max_length: 2048
```

## Sources

- transformers 4.46.3, 4.57.6, 5.24.0 `trainer.py` `get_batch_samples`; 4.41.0 has none.
- accelerate 1.15.0 `data_loader.py` `DataLoaderShard.__iter__`: `send_to_device`.
- hiyouga/LLaMA-Factory#10175: 128 steps run out of memory where fewer than 64 do not.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINERS_AND_AXOLOTL, Confidence, Finding, Rule, RunContext, Severity, gib, stated, trainer_of

SINCE = "4.46.0"
MANY = 64
TOKEN = 24
"""``input_ids``, ``attention_mask`` and ``labels`` are int64."""

GENERATES = ("grpo", "ppo")
"""Their batches are written by the model, a step at a time."""


def check(run: RunContext) -> Iterator[Finding]:
    plan, accum = run.plan, run.setting("grad_accum")
    if plan is None or accum is None or not accum.known or not stated(accum) or accum.value < MANY:
        return
    if trainer_of(run, TRAINERS_AND_AXOLOTL) is None or run.value("task") in GENERATES or run.at_least("transformers", SINCE) is False:
        return
    held = accum.value * plan.tokens * TOKEN if plan.batch and plan.seq else 0
    size = f": {gib(held)} of token ids, and as often whatever else a batch has" if held else ""
    yield run.finding(
        accum,
        f"the Trainer fetches the {accum.value} micro batches of a step before the first of them trains and holds them on the device{size}",
        help="a larger micro batch with fewer steps, where it fits",
        because=[micro] if (micro := run.setting("micro_batch")) else [],
        numbers={"micro_batches": accum.value, "held_bytes": held},
    )


RULE = Rule(
    code="BL127",
    name="ga-prefetches-all-micro-batches",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("device",),
    applies="transformers >= 4.46.0",
    harm=2.5,
)
