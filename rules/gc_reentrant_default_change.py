"""LoRA with activation checkpointing leaves `use_reentrant` to a default that changed.

transformers before 5.0 checkpoints reentrantly, later ones do not. LoRA is where it matters: DDP needs it false, ZeRO-3 needs it true.

## What it costs

One of the two stacks stops in its first backward pass: "marked ready twice" under DDP, a `CheckpointError` under ZeRO-3. The file that
ran before an upgrade does not after it.

## Failing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
output_dir: out
lora_r: 16
per_device_train_batch_size: 1
num_train_epochs: 1
learning_rate: 0.0001
gradient_checkpointing: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
output_dir: out
lora_r: 16
per_device_train_batch_size: 1
num_train_epochs: 1
learning_rate: 0.0001
gradient_checkpointing: true
gradient_checkpointing_kwargs: {use_reentrant: true}
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- transformers 4.57.6 `modeling_utils.py` `gradient_checkpointing_enable` (true), 5.0.0 (false); torch 2.13 `utils/checkpoint.py` warns.
- TRL 0.28.0 decides by itself. What each engine needs: `ddp-reentrant-marked-twice`, `peft-zero3-non-reentrant`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import HUGGING_FACE, PYTHON, Confidence, Finding, Rule, RunContext, Severity, stated, unsharded


def check(run: RunContext) -> Iterator[Finding]:
    depth, reentrant = run.setting("recompute"), run.setting("recompute_reentrant")
    if depth is None or depth.value != "full" or not stated(depth) or reentrant is None or set(reentrant.readings) != {True, False}:
        return
    needed = _needed(run)
    if needed is None or run.value("adapter") != "lora":
        return
    word, engine = str(needed).lower(), "ZeRO-3" if needed else f"DDP on {run.value('devices')} devices"
    yield run.finding(
        depth,
        f"use_reentrant is not written: transformers' own models take true before 5.0, false since; LoRA under {engine} needs {word}",
        help=f"gradient_checkpointing_kwargs: {{use_reentrant: {word}}}",
        because=[setting for name in ("shard", "devices") if (setting := run.setting(name))],
    )


def _needed(run: RunContext) -> bool | None:
    """What the engine wants; None where both values work, or nobody knows the engine."""
    if run.value("shard") == "zero3":
        return True
    return False if (run.value("devices") or 1) > 1 and unsharded(run) else None


RULE = Rule(
    code="BL805",
    name="gc-reentrant-default-change",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*HUGGING_FACE, *PYTHON),
    applies="an unknown transformers",
    harm=13.0,
)
