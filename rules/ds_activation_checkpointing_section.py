"""The DeepSpeed file configures activation checkpointing that a Hugging Face model never calls.

The section sets up `deepspeed.checkpointing.checkpoint`, which Megatron-DeepSpeed models call themselves. Models of transformers
call torch's checkpointing, and only when the trainer switches it on.

## What it costs

Nothing is recomputed and nothing goes to the host: every activation of the step stays on the GPU.

## Failing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 0.00002
deepspeed: ds.json
```

```json ds.json
{
  "zero_optimization": {"stage": 2},
  "train_micro_batch_size_per_gpu": "auto",
  "activation_checkpointing": {"partition_activations": true, "cpu_checkpointing": true}
}
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 0.00002
gradient_checkpointing: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- deepspeed 0.19.8 `runtime/activation_checkpointing/checkpointing.py` `configure`: the model's code calls it.
- transformers 5.24.0, accelerate 1.15.0, TRL 1.16.0, axolotl 0.19.0 and LLaMA-Factory 0.9.5: none of them names
  `deepspeed.checkpointing`.
- transformers `docs/source/en/deepspeed.md`: "Activation and gradient checkpointing".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINER_RUNS,
    Confidence,
    Finding,
    Mapping,
    Reading,
    Rule,
    RunContext,
    Setting,
    Severity,
    is_on,
    is_own_script,
    written_in,
)

SECTION = "activation_checkpointing"
SWITCHES = ("cpu_checkpointing", "partition_activations", "contiguous_memory_optimization", "number_checkpoints")


def check(run: RunContext) -> Iterator[Finding]:
    trainer, engine, recompute = run.run.trainer, run.reading("deepspeed"), run.setting("recompute")
    if trainer is None or engine is None or trainer.format not in TRAINER_RUNS or is_own_script(trainer.settings):
        return
    entry = engine.document.entry(SECTION)
    asked = _asked(engine)
    if entry is None or asked is None or recompute is None or not recompute.known:
        return
    off = recompute.value == "none"
    if not off and not is_on(written_in(engine, f"{SECTION}.cpu_checkpointing")):
        return
    name = "activation_checkpointing" if run.at_least("transformers", "5.23") else "gradient_checkpointing"
    yield run.finding(
        engine.document.source.locate(entry.key.span),
        f"{SECTION} asks for {asked.name.rpartition('.')[2]}, but models of transformers never call DeepSpeed's checkpointing: "
        + ("no activation is recomputed" if off else "the trainer's own checkpoints stay on the GPU"),
        help=f"delete the section and write {name}: true in the trainer's file" if off else "delete the section",
        because=[recompute],
        severity=None if off else Severity.INFO,
        key=SECTION,
    )


def _asked(engine: Reading) -> Setting | None:
    """A switch of the section that is on; a section of defaults asks for nothing."""
    if not isinstance(engine.document.get(SECTION), Mapping):
        return None
    found = (written_in(engine, f"{SECTION}.{name}") for name in SWITCHES)
    return next((one for one in found if one is not None and one.known and one.value not in (False, 0, "false")), None)


RULE = Rule(
    "BL512",
    "ds-activation-checkpointing-section",
    Severity.WARNING,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("recompute",),
    formats=("deepspeed",),
    harm=11.4,
)
