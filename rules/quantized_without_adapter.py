"""A 4-bit or 8-bit base in a training run that has no adapter.

Packed integers have no gradient. Only small matrices beside them (LoRA) can train.

## What it costs

transformers stops once the model is loaded: "You cannot perform fine-tuning on purely quantized models". axolotl and LLaMA-Factory
stop when they read the file.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
load_in_4bit: true
learning_rate: 2e-4
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
load_in_4bit: true
adapter: qlora
lora_r: 16
lora_target_linear: true
learning_rate: 2e-4
```

## Sources

- transformers 5.24.0 `trainer_utils.py` `validate_quantization_for_training`.
- axolotl 0.19.0 `utils/schemas/peft.py` `validate_adapter`.
- llamafactory 0.9.5 `hparams/parser.py` `_verify_model_args`.
- TRL 1.16.0 `trainer/utils.py` `get_peft_config`: None unless `use_peft` is on.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRL_FORMATS,
    Confidence,
    Finding,
    Reading,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    is_on,
    stated,
    written_in,
)

_PACKED = ("nf4", "fp4", "int8")
_CURES = {
    "axolotl": "add adapter: qlora (lora with load_in_8bit), or turn the quantisation off",
    "llamafactory": "write finetuning_type: lora, or remove quantization_bit",
    "trl": "write use_peft: true, or turn the quantisation off",
    "": "add lora, or remove quant",
}


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    if trainer is not None and trainer.format == "axolotl":
        packed = _axolotl(trainer)
    else:
        packed = run.setting("quant") if _sees_both(run, trainer) else None
    if packed is not None:
        yield _finding(run, packed, trainer)


def _axolotl(trainer: Reading) -> Setting | None:
    """The reader makes nothing of a quantisation without an adapter, so the keys themselves are asked."""
    if written_in(trainer, "adapter") is not None or is_on(written_in(trainer, "inference")) or is_on(written_in(trainer, "gptq")):
        return None
    return next((key for key in (written_in(trainer, name) for name in ("load_in_4bit", "load_in_8bit")) if is_on(key)), None)


def _sees_both(run: RunContext, trainer: Reading | None) -> bool:
    """Quantised for certain, and no adapter for certain: a script around the plain Trainer may add one by itself."""
    quant, adapter = run.setting("quant"), run.setting("adapter")
    if quant is None or not stated(quant) or quant.value not in _PACKED or "adapter_kind" in run.run.settings:
        return False
    if adapter is None:
        return trainer is None
    by_default = trainer is not None and trainer.format in TRL_FORMATS
    return adapter.known and adapter.value == "none" and (stated(adapter) or by_default)


def _finding(run: RunContext, packed: Setting, trainer: Reading | None) -> Finding:
    kind = trainer.format if trainer else ""
    adapter = run.setting("adapter")
    sure = kind not in TRL_FORMATS or (adapter is not None and stated(adapter))
    return run.finding(
        packed,
        f"'{as_written(packed)}' quantises the base, and no adapter trains beside it: packed weights cannot train, the run stops",
        help=_CURES.get("trl" if kind in TRL_FORMATS else kind, "add a LoRA adapter, or turn the quantisation off"),
        because=[adapter] if adapter is not None and stated(adapter) else (),
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL402",
    name="quantized-without-adapter",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    words=("load_in_4bit", "load_in_8bit", *(f"quant={kind}" for kind in _PACKED)),
    harm=9.0,
    stops=True,
)
