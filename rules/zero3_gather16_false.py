"""ZeRO-3 saves no model that can be loaded, only shards.

Under stage 3 every GPU holds a slice of each parameter. Unless `stage3_gather_16bit_weights_on_model_save` is true, the
Trainer writes a sharded DeepSpeed checkpoint and no model file. `"auto"` is filled with false.

## What it costs

The job ends without `model.safetensors`: `zero_to_fp32.py` has to be run on the shards (4 bytes for each parameter in host
memory), and `load_best_model_at_end` or a push to the hub finds nothing to take. True needs a 16-bit copy of the model on
rank 0's host while it saves.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
bf16: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
bf16: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": true}, "train_micro_batch_size_per_gpu": "auto"}
```

## When it is meant

A pipeline that converts the shards afterwards. LoRA on transformers 5.0 and newer saves its adapter either way.

## Sources

- DeepSpeed 0.19.8 `runtime/zero/config.py` `gather_16bit_weights_on_model_save` and its two aliases.
- transformers 5.24.0 and 4.57.6 `trainer.py` `save_model`; accelerate 1.15.0 `utils/dataclasses.py` fills false for `auto`.
- huggingface/transformers#20082: size-0 tensors in the saved file.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINER_RUNS,
    Confidence,
    Finding,
    Reading,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    is_on,
    written_in,
)

SPELLINGS = (
    "stage3_gather_16bit_weights_on_model_save",
    "gather_16bit_weights_on_model_save",
    "stage3_gather_fp16_weights_on_model_save",
)


def check(run: RunContext) -> Iterator[Finding]:
    trainer, stage = run.run.trainer, run.setting("shard")
    engines = sorted((reading for reading in run.run.readings if reading.format in ("deepspeed", "accelerate")), key=_strength)
    engine = next((reading for reading in engines if _key(reading) is not None), engines[0] if engines else None)
    if trainer is None or stage is None or engine is None or trainer.format not in TRAINER_RUNS or run.value("shard") != "zero3":
        return
    told = _key(engine)
    if "inference" in engine.document.path.rpartition("/")[2].lower():
        return  # ZeRO-Inference: nothing trains, nothing is saved
    if run.value("zero_gathers_on_save"):
        return
    if is_on(told) or (told is not None and told.state == "symbolic") or run.value("save_strategy") == "no" or _adapter_is_saved(run):
        return
    adapter = run.value("adapter") == "lora"
    unsure = adapter and run.at_least("transformers", "5.0.0") is None
    automatic = told is not None and told.state == "auto"
    yield run.finding(
        told or stage,
        f"{_said(told)} under ZeRO-3: {_cost(adapter, unsure)}",
        help=f'"{_cure(engine)}": true, or plan the conversion with zero_to_fp32.py',
        because=[stage],
        fixes=run.set(told, True, safety=Safety.UNSAFE) if told is not None else (),
        severity=Severity.INFO if unsure or automatic else None,
        confidence=Confidence.MEDIUM if unsure else None,
    )


def _strength(engine: Reading) -> bool:
    """DeepSpeed's own file first; accelerate's keys count without one."""
    return engine.format != "deepspeed"


def _key(engine: Reading) -> Setting | None:
    if engine.format == "accelerate":
        return written_in(engine, "deepspeed_config.zero3_save_16bit_model")
    return written_in(engine, *(f"zero_optimization.{name}" for name in SPELLINGS))


def _cure(engine: Reading) -> str:
    return "zero3_save_16bit_model" if engine.format == "accelerate" else SPELLINGS[0]


def _said(told: Setting | None) -> str:
    return f"{told.name.rpartition('.')[2]} is {told.text}" if told else f"{SPELLINGS[0]} is not set"


def _cost(adapter: bool, unsure: bool) -> str:
    if not adapter:
        return "the run ends with sharded checkpoints and no model file that from_pretrained can load"
    when = "with transformers before 5.0 " if unsure else ""
    return f"{when}no adapter file is written, only sharded checkpoints"


def _adapter_is_saved(run: RunContext) -> bool:
    return run.value("adapter") not in (None, "none") and run.at_least("transformers", "5.0.0") is True


RULE = Rule(
    "BL504",
    "zero3-gather16-false",
    Severity.WARNING,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("deepspeed", "accelerate"),
    applies="LoRA runs: transformers < 5.0.0; all others: all versions",
    harm=14.8,
)
