"""Options of a quantised base where nothing quantises it.

LLaMA-Factory quantises where `quantization_bit` is written, and only there; `quantization_type` and `double_quantization` say how. ms-swift
has `quant_bits` for this, axolotl `load_in_4bit`. A `quantization_method` alone is not told: LLaMA-Factory's web page writes it always.

## What it costs

The base stays in 16 bit: four times the weights that the options speak of, or an out-of-memory error many steps in.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
template: qwen
quantization_method: bnb
quantization_type: nf4
double_quantization: true
per_device_train_batch_size: 1
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
template: qwen
quantization_bit: 4
quantization_type: nf4
double_quantization: true
per_device_train_batch_size: 1
```

## Sources

- llamafactory 0.9.4 `model/model_utils/quantization.py` `configure_quantization`: everything is under `quantization_bit is not None`.
- ms_swift 3.6.0 `llm/argument/base_args/quant_args.py` `get_quantization_config`: without `quant_method` the other fields are not read,
  with it and without `quant_bits` the run stops ("Please set the quant_bits").
- axolotl 0.18.0 `loaders/model.py` `_set_quantization_config`: `bnb_config_kwargs` updates the config that `load_in_4bit` makes.
- hiyouga/LLaMA-Factory#10367 (27B on 3 cards of 48 GB, out of memory at step 128).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.readers.base import entry_under
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Setting, Severity, trainer_of, written_by


@record
class _Words:
    """``switches`` quantise the base, each by itself; ``options`` say how; ``cure`` is the switch as it is written."""

    switches: tuple[str, ...]
    options: tuple[str, ...]
    cure: str


_BY_FORMAT = {
    "llamafactory": _Words(("quantization_bit",), ("quantization_type", "double_quantization"), "quantization_bit: 4"),
    "ms_swift": _Words(
        ("quant_bits", "quantization_bit", "quant_method"),
        ("bnb_4bit_quant_type", "bnb_4bit_use_double_quant", "bnb_4bit_compute_dtype", "bnb_4bit_quant_storage"),
        "quant_method: bnb and quant_bits: 4",
    ),
    "axolotl": _Words(("load_in_4bit", "load_in_8bit", "gptq", "quantization"), ("bnb_config_kwargs",), "load_in_4bit: true"),
}


def check(run: RunContext) -> Iterator[Finding]:
    trainer = trainer_of(run, tuple(_BY_FORMAT))
    if trainer is None or run.value("quant", "none") != "none":
        return
    words = _BY_FORMAT[trainer.format]
    roots = [reading.document.root for reading in run.run.readings]
    options = [found for key in words.options if (found := written_by(run, key)) is not None and not _is_off(found)]
    if not options or any(entry_under(root, key) is not None for root in roots for key in words.switches):
        return
    first, *rest = options
    yield run.finding(
        first,
        f"'{first.origin.key}' has no effect: nothing quantises the base without {words.cure}, and it stays in 16 bit",
        help=f"write {words.cure}, or remove {' and '.join(one.origin.key for one in options)}",
        because=rest,
        fixes=run.advice(f"add {words.cure}"),
    )


def _is_off(option: Setting) -> bool:
    return str(option.value).lower() in ("false", "0", "no")


RULE = Rule(
    code="BL435",
    name="quant-options-without-switch",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    formats=tuple(_BY_FORMAT),
    words=tuple(option for words in _BY_FORMAT.values() for option in words.options),
    harm=9.0,
)
