"""`save_only_model` with something that needs more than the model.

Under DeepSpeed and FSDP the best checkpoint is loaded back by the engine, which needs its own files; FSDP's sharded checkpoints are
no model files at all.

## What it costs

The run stops at start: "DeepSpeed can't be used with `save_only_model` along with `load_best_model_at_end`", "not compatible with FSDP
state dict type 'SHARDED_STATE_DICT'".

## Failing

```yaml train.yaml
per_device_train_batch_size: 8
gradient_accumulation_steps: 8
learning_rate: 0.00002
eval_strategy: epoch
save_strategy: epoch
save_only_model: true
load_best_model_at_end: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 8
gradient_accumulation_steps: 8
learning_rate: 0.00002
eval_strategy: epoch
save_strategy: epoch
save_only_model: false
load_best_model_at_end: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- transformers 5.24.0, 4.57.6 and 4.41.0 `trainer.py` `create_accelerator_and_postprocess`; the check of the sharded state dict is in
  4.50.3 and not in 4.49.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Safety, Setting, Severity, is_on, stated, written_in

ENGINES = {"zero1": "DeepSpeed", "zero2": "DeepSpeed", "zero3": "DeepSpeed", "fsdp": "FSDP", "fsdp2": "FSDP"}


def check(run: RunContext) -> Iterator[Finding]:
    only, best = _on(run, "save_only_model"), _on(run, "load_best_model_at_end")
    shard, kind = run.setting("shard"), run.setting("state_dict_type")
    engine = _engine(shard)
    if only is None or shard is None or not engine:
        return
    if best is not None:
        yield run.finding(
            only,
            f"save_only_model: {only.text} and load_best_model_at_end: {best.text} under {engine}: the Trainer stops at start",
            help="keep one of them",
            because=[best, shard],
            fixes=run.set(only, False, safety=Safety.UNSAFE),
        )
    elif engine == "FSDP" and kind is not None and kind.value == "SHARDED_STATE_DICT" and stated(kind) and _checked(run):
        yield run.finding(
            only,
            f"save_only_model: {only.text} with FSDP's {kind.text}: the Trainer stops at start",
            help="FULL_STATE_DICT, or save_only_model: false",
            because=[kind, shard],
            fixes=run.set(only, False, safety=Safety.UNSAFE),
        )


def _on(run: RunContext, name: str) -> Setting | None:
    found = (written_in(reading, name) for reading in run.run.readings if reading.format in TRAINER_RUNS)
    first = next((one for one in found if one is not None), None)
    return first if is_on(first) else None


def _engine(shard: Setting | None) -> str:
    """By the setting, or by every reading of one that hangs on the version."""
    if shard is None or shard.is_default:
        return ""
    values = (shard.value,) if shard.known else shard.readings
    names = {ENGINES.get(str(value), "") for value in values}
    return names.pop() if len(names) == 1 else ""


def _checked(run: RunContext) -> bool:
    return run.at_least("transformers", "4.50") is not False


RULE = Rule(
    "BL522",
    "save-only-model-combos",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    applies="with SHARDED_STATE_DICT: transformers >= 4.50",
    words=("save_only_model",),
    harm=5.0,
)
