"""`modules_to_save` beside LoRA, on fp16 weights with fp16 mixed precision.

PEFT keeps the adapter's matrices in fp32, but a module that trains in full keeps the dtype the base was loaded in. The gradient
scaler takes no fp16 gradients.

## What it costs

The first optimizer step stops: "Attempting to unscale FP16 gradients".

## Failing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-2-7b-hf
dataset_name: data
use_peft: true
lora_modules_to_save: [embed_tokens, lm_head]
dtype: float16
fp16: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

```budget
device 1x a100-80gb
devices 1
```

## Passing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-2-7b-hf
dataset_name: data
use_peft: true
lora_modules_to_save: [embed_tokens, lm_head]
dtype: float32
fp16: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

```budget
device 1x a100-80gb
devices 1
```

## Sources

- PEFT 0.21.2 `tuners/tuners_utils.py` `cast_adapter_dtype`: adapter weights only. Run on an fp16 base: LoRA is fp32, the copy in
  `modules_to_save` fp16.
- torch 2.13.0 `amp/grad_scaler.py` `_unscale_grads_`.
- LLaMA-Factory casts what trains to fp32 itself (0.9.5 `model/adapter.py` `init_adapter`); DeepSpeed keeps fp32 copies.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    HUGGING_FACE,
    PYTHON,
    TRL_FORMATS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    as_written,
    stated,
    unsharded,
)


def check(run: RunContext) -> Iterator[Finding]:
    saved, weights, autocast = run.setting("lora_modules_to_save"), run.setting("weights_dtype"), run.setting("autocast")
    if saved is None or not saved.known or not saved.value or weights is None or autocast is None or run.value("adapter") != "lora":
        return
    half = stated(weights) and weights.value == "fp16" and autocast.value == "fp16"
    alone = unsharded(run)
    if not half or alone is False or run.value("quant", "none") != "none" or _recast(run):
        return
    sure = bool(alone) and run.run.trainer is not None and run.run.trainer.format in (*TRL_FORMATS, *PYTHON)
    yield run.finding(
        saved,
        f"{', '.join(map(str, saved.value))} trains in fp16, the dtype of '{as_written(weights)}', under '{as_written(autocast)}': the "
        "first optimizer step stops with 'Attempting to unscale FP16 gradients'",
        help="load the weights in fp32 (dtype: float32, torch_dtype before transformers 4.56), use bf16, or cast what trains to fp32 "
        "(peft.cast_mixed_precision_params)",
        because=[weights, autocast],
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


def _recast(run: RunContext) -> bool:
    """A script that casts what trains itself."""
    trainer = run.run.trainer
    text = trainer.document.source.text if trainer is not None and trainer.format in PYTHON else ""
    return any(word in text for word in ("cast_mixed_precision_params", ".float()", "float32", "prepare_model_for"))


RULE = Rule(
    code="BL417",
    name="modules-to-save-half-precision",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*HUGGING_FACE, *PYTHON),
    words=("lora_modules_to_save",),
    harm=9.0,
)
