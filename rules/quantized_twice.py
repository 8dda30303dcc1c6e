"""A GPTQ or AWQ checkpoint is to be quantised once more, in 4 or 8 bits of bitsandbytes.

Such a checkpoint is quantised already, and stays as it is stored.

## What it costs

transformers stops: "The model is quantized with GPTQConfig but you are passing a BitsAndBytesConfig config". LLaMA-Factory ignores
`quantization_bit` with a warning: an 8-bit checkpoint does not become a 4-bit one.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8
dataset_name: data
use_peft: true
load_in_4bit: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
dataset_name: data
use_peft: true
load_in_4bit: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

## Sources

- transformers 5.24.0 and 4.57.6 `quantizers/auto.py` `merge_quantization_configs`.
- llamafactory 0.9.5 `model/model_utils/quantization.py` `configure_quantization`; hiyouga/LLaMA-Factory#2939.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, Finding, Rule, RunContext, Severity, as_written, stated

from ._adapters import packed_checkpoint

_BITS = {"nf4": 4, "fp4": 4, "int8": 8}


def check(run: RunContext) -> Iterator[Finding]:
    quant, model, trainer = run.setting("quant"), run.setting("model"), run.run.trainer
    kind = packed_checkpoint(run)
    if not kind or quant is None or model is None or trainer is None or not stated(quant) or quant.value not in _BITS:
        return
    ignored = trainer.format == "llamafactory"
    cost = "LLaMA-Factory ignores it" if ignored else "transformers stops when it loads the model"
    yield run.finding(
        quant,
        f"'{as_written(quant)}' on {model.value}, which is stored in {kind}: {cost}",
        help=f"remove it to train on the {kind} weights, or name the 16-bit checkpoint to have it quantised to {_BITS[quant.value]} bits",
        because=[model],
        numbers={"asked_bits": _BITS[quant.value]},
        severity=Severity.WARNING if ignored else Severity.ERROR,
    )


RULE = Rule(
    code="BL411",
    name="quantized-twice",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRAINING_ARGUMENTS,
    aliases=("ptq-quantization-bit-ignored",),
    words=("quant",),
    harm=7.0,
)
