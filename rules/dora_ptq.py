"""DoRA on a checkpoint that is stored in GPTQ or AWQ.

DoRA needs the norm of every weight row, which PEFT computes for 16-bit and bitsandbytes weights only.

## What it costs

The run stops once the model is loaded: PEFT says "GPTQLoraLinear does not support DoRA yet", LLaMA-Factory "DoRA is not compatible
with PTQ-quantized models".

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct-AWQ
stage: sft
do_train: true
finetuning_type: lora
use_dora: true
template: qwen
per_device_train_batch_size: 1
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
quantization_bit: 4
stage: sft
do_train: true
finetuning_type: lora
use_dora: true
template: qwen
per_device_train_batch_size: 1
```

## Sources

- PEFT 0.21.2 and 0.13.0 `tuners/lora/gptq.py`; 0.21.2 `tuners/lora/awq.py`.
- llamafactory 0.9.5 and 0.9.4 `model/adapter.py` `_setup_lora_tuning`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, Finding, Rule, RunContext, Severity, as_written, stated

from ._adapters import packed_checkpoint


def check(run: RunContext) -> Iterator[Finding]:
    dora, model = run.setting("lora_dora"), run.setting("model")
    if dora is None or model is None or not stated(dora) or dora.value is not True or run.value("adapter") != "lora":
        return
    kind = packed_checkpoint(run)
    if not kind:
        return
    yield run.finding(
        dora,
        f"'{as_written(dora)}' on the {kind} checkpoint {model.value}: DoRA has no form for these weights, the run stops",
        help=f"train plain LoRA on the {kind} checkpoint, or DoRA on the 16-bit one (bitsandbytes 4 bits work)",
        because=[model],
    )


RULE = Rule(
    code="BL428",
    name="dora-ptq",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRAINING_ARGUMENTS,
    words=("lora_dora",),
    harm=3.0,
)
