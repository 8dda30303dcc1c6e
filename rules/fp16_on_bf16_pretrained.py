"""fp16 for a model whose activations need the range of bf16.

T5, mT5 and Gemma were trained in bf16, and some of their activations exceed 65,504, the largest fp16 number. Loss scaling does not
help: it moves gradients, the overflow is in the forward pass.

## What it costs

A loss of NaN or 0 after some steps. The loss scaler skips every step and halves its scale until DeepSpeed stops with "Current loss
scale already at minimum". The Trainer's log may hide it: `logging_nan_inf_filter` replaces NaN by the last average.

## Failing

```yaml train.yaml
model_name_or_path: google/flan-t5-xl
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
fp16: true
```

## Passing

```yaml train.yaml
model_name_or_path: google/flan-t5-xl
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
```

## When it is meant

Unsloth patches Gemma for fp16 and is not told, nor is QLoRA that computes in bf16 or fp32. Other models with a bf16 checkpoint (Llama 3,
Qwen) usually train in fp16 mixed precision: those are told as information, for full fine-tuning on a card that has bf16.

## Sources

- huggingface/transformers#5651, #9295, #11461, #23918 (T5; t5-small is not told), google/gemma_pytorch#24 (Gemma): NaN in fp16.
- hiyouga/LLaMA-Factory#4202 and zai-org/GLM-4#96 (its authors: bf16 and no fp16), hiyouga/LLaMA-Factory#950 (Baichuan2-13B): a loss of 0
  with fp16, with LoRA as well.
- bitsandbytes 0.46.1 `nn/modules.py` `Linear4bit.forward`: the input goes to `compute_dtype` and the output back; PEFT 0.21.2
  `utils/other.py` `prepare_model_for_kbit_training` casts what is in 16 bit to fp32.
- huggingface/transformers#14579: models trained in bf16 overflow in fp16.
- DeepSpeed 0.19.8 `runtime/fp16/loss_scaler.py` `DynamicLossScaler.update_scale`: "Current loss scale already at minimum".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.catalog.families import family_of
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Setting, Severity, as_written, device_of, full_tuning, stated

from ._unsloth import is_unsloth

_NAMES = expression(r"(?:^|[/_-])(?:flan-|long-|um|m|by)?t5(?:[-_]|$)|(?:^|/)gemma-?[0-9]", re.IGNORECASE)
_REPORTED = expression(r"(?:^|[/_-])(?:glm-?4-9b|baichuan2-13b)(?:[-_]|$)", re.IGNORECASE)
"""Made in bf16, and reported to lose their loss in fp16, with adapters too."""
_TOLERANT = expression(r"(?:^|/)t5-small$", re.IGNORECASE)
"""Stays in range: huggingface/transformers#23918, #4586; t5-base does not always (#5651: 66,246 in its feed-forward)."""


def check(run: RunContext) -> Iterator[Finding]:
    half, model = _half(run), run.setting("model")
    if half is None or model is None or not model.known or is_unsloth(run) or _computes_wider(run):
        return
    family = run.plan.arch.family if run.plan is not None else ""
    name = str(model.value)
    if _TOLERANT.search(name):
        return
    if family_of(family).tools.fp16_overflows and _googles(run) if family else _NAMES.search(name):
        yield _finding(run, half, model, f"activations of {name} exceed 65,504, the largest fp16 number: the loss turns NaN or 0", None)
    elif _REPORTED.search(name):
        cost = f"{name} was made in bf16, whose range fp16 does not have, and is reported to overflow: the loss turns 0 or NaN"
        yield _finding(run, half, model, cost, None)
    elif run.plan is not None and run.plan.arch.checkpoint_dtype == "bf16" and full_tuning(run) and _has_bf16(run):
        yield _finding(run, half, model, f"{name} was trained in bf16, whose range fp16 does not have: steps may overflow", Severity.INFO)


def _googles(run: RunContext) -> bool:
    """A checkpoint of Google's, trained in bf16, or nobody knows whose; others trained models of the same code on their own (CodeT5)."""
    owner = run.plan.arch.hub_id.partition("/")[0] if run.plan is not None else ""
    return owner in ("", "google", "google-t5")


def _half(run: RunContext) -> Setting | None:
    """The line that asks for fp16 arithmetic."""
    for name in ("engine_dtype", "precision", "autocast"):
        setting = run.setting(name)
        if setting is not None and stated(setting) and str(setting.value).startswith("fp16"):
            return setting
    return None


def _computes_wider(run: RunContext) -> bool:
    """bitsandbytes computes its 4-bit layers in a dtype of their own, whatever autocast says; the stream between them is fp32 after
    PEFT's preparation. Nothing is in fp16 unless that dtype is."""
    return run.value("quant") in ("nf4", "fp4") and run.value("quant_compute_dtype") != "fp16"


def _has_bf16(run: RunContext) -> bool:
    device = device_of(run)
    return device is None or device.bf16 is not False


def _finding(run: RunContext, half: Setting, model: Setting, cost: str, severity: Severity | None) -> Finding:
    return run.finding(
        half,
        f"'{_shown(half)}': {cost}",
        help="bf16: true" if _has_bf16(run) else "this card has no bf16: train in fp32 (fp16: false)",
        because=[model],
        severity=severity,
        numbers={"largest_fp16": 65504},
    )


def _shown(half: Setting) -> str:
    """``fp16.enabled: true`` of a DeepSpeed file, which says nothing without its section."""
    return f"{half.origin.key}: {half.text}" if half.origin.key.endswith(".enabled") else as_written(half)


RULE = Rule(
    "BL213",
    "fp16-on-bf16-pretrained",
    Severity.WARNING,
    Confidence.MEDIUM,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("model",),
    aliases=("ds-loss-scale-exhausted",),
    words=("engine_dtype=fp16", "precision=fp16", "precision=fp16-autocast", "precision=fp16-pure", "autocast=fp16"),
    harm=11.0,
)
