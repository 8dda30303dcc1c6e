"""LoRA under ZeRO-3 with non-reentrant activation checkpointing.

ZeRO-3 gives a parameter its full shape only while its module runs. Non-reentrant checkpointing compares shapes between the forward
pass and its repetition, and finds partitioned ones.

## What it costs

The first backward pass stops with a `CheckpointError` (tensors with different metadata). TRL from 0.28.0 uses reentrant checkpointing
whatever is written.

## Failing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
output_dir: out
lora_r: 16
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
gradient_checkpointing: true
gradient_checkpointing_kwargs: {use_reentrant: false}
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
gradient_accumulation_steps: 8
num_train_epochs: 1
gradient_checkpointing: true
gradient_checkpointing_kwargs: {use_reentrant: true}
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- TRL 0.28.0 and 1.16.0 `trainer/sft_trainer.py`: "PEFT + DeepSpeed ZeRO-3 requires reentrant checkpointing"; 0.27.0 does not force
  it. huggingface/trl#2514.
- axolotl 0.18.0 `utils/schemas/validation.py` `warn_qlora_zero3_w_use_reentrant`: warns for qlora.
- PEFT 0.21.2 docs `accelerate/deepspeed.md`: both recipes for ZeRO-3 set `use_reentrant` true.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Safety, Severity, stated


def check(run: RunContext) -> Iterator[Finding]:
    reentrant, shard = run.setting("recompute_reentrant"), run.setting("shard")
    if reentrant is None or shard is None or shard.value != "zero3" or run.value("adapter") != "lora":
        return
    if not stated(reentrant) or reentrant.value is not False or run.value("recompute", "full") == "none" or not _asks(run):
        return
    yield run.finding(
        reentrant,
        "use_reentrant false with LoRA under ZeRO-3: the backward pass recomputes with partitioned weights and stops with a CheckpointError"
        + _by_trl(run),
        help="use_reentrant: true",
        because=[shard],
        fixes=run.set(reentrant, True, safety=Safety.UNSAFE),
        severity=Severity.INFO if _by_trl(run) else None,
    )


def _asks(run: RunContext) -> bool:
    """axolotl itself warns for a quantised base only."""
    trainer = run.run.trainer
    return trainer is not None and (trainer.format != "axolotl" or run.value("quant") in ("nf4", "fp4"))


def _by_trl(run: RunContext) -> str:
    trainer = run.run.trainer
    trl = trainer is not None and trainer.format in TRL_ARGUMENTS
    return " (TRL before 0.28; newer ones overrule it)" if trl and run.at_least("trl", "0.28.0") is None else ""


RULE = Rule(
    code="BL420",
    name="peft-zero3-non-reentrant",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRAINER_RUNS,
    words=("shard=zero3",),
    harm=9.5,
)
