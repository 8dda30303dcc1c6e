"""The weights that train are loaded in fp16 and trained with fp16 mixed precision.

Mixed precision wants fp32 weights: the gradient scaler refuses fp16 gradients. DeepSpeed and FSDP make their own fp32 copy and are
not told; nor are adapters, which PEFT keeps in fp32 since 0.12.

## What it costs

The first optimizer step stops with "Attempting to unscale FP16 gradients".

## Failing

```yaml train.yaml
model_name_or_path: facebook/opt-1.3b
torch_dtype: float16
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
fp16: true
```

```budget
device 1x v100-32gb
```

## Passing

```yaml train.yaml
model_name_or_path: facebook/opt-1.3b
torch_dtype: float32
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
fp16: true
```

```budget
device 1x v100-32gb
```

## Sources

- PEFT 0.12.0 `mapping.py`, `tuners/tuners_utils.py`: `autocast_adapter_dtype`, which 0.11.1 does not have: LoRA on fp16 weights too.
- torch 2.13.0 `amp/grad_scaler.py` `_unscale_grads_`; run: a scaler on an fp16 linear raises at `unscale_`.
- transformers 5.0.0 and newer load an fp16 checkpoint in fp16 when no dtype is given (`modeling_utils.py` `from_pretrained`).
- PEFT docs, "Troubleshooting", "ValueError: Attempting to unscale FP16 gradients".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    HUGGING_FACE,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    full_tuning,
    stated,
    unsharded,
)


def check(run: RunContext) -> Iterator[Finding]:
    autocast, weights, alone = run.setting("autocast"), run.setting("weights_dtype"), unsharded(run)
    if autocast is None or weights is None or autocast.value != "fp16" or alone is False:
        return
    if not _half(run, weights) or not (full_tuning(run) or _half_adapter(run)) or run.value("quant", "none") != "none":
        return
    trainer = run.run.trainer
    sure = bool(alone) and stated(weights) and trainer is not None and trainer.format in HUGGING_FACE
    yield run.finding(
        weights if stated(weights) else autocast,
        f"{_loaded(run, weights, autocast)} with fp16 mixed precision: the first optimizer step stops with "
        "'Attempting to unscale FP16 gradients'",
        help="load the weights in fp32 (dtype: float32, torch_dtype before transformers 4.56), or use bf16",
        because=[weights, autocast],
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        severity=Severity.ERROR if sure else Severity.WARNING,
    )


def _half_adapter(run: RunContext) -> bool:
    """Adapters take the dtype of the weights they stand beside, until PEFT keeps them in fp32 by itself (``autocast_adapter_dtype``)."""
    return run.value("adapter") == "lora" and run.at_least("peft", "0.12.0") is False


def _half(run: RunContext, weights: Setting) -> bool:
    """fp16 as written, or by the checkpoint's own dtype."""
    if weights.value == "auto" and run.plan is not None and run.value("shard") is None:
        return bool(run.plan.arch.checkpoint_dtype == "fp16")
    return bool(weights.value == "fp16")


def _loaded(run: RunContext, weights: Setting, autocast: Setting) -> str:
    """How the weights come to be fp16, and what trains them."""
    if not stated(weights):
        loaded = f"no dtype is given, so transformers 5 loads the fp16 checkpoint {run.value('model')} as it is"
    elif weights.origin.span == autocast.origin.span:
        return f"'{as_written(weights)}' loads the weights in fp16 and trains them"
    else:
        loaded = f"'{as_written(weights)}' loads the weights in fp16"
    return f"{loaded}, and '{as_written(autocast)}' trains them"


RULE = Rule(
    code="BL207",
    name="fp16-weights-amp-unscale",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    aliases=("v5-dtype-auto-fp16-checkpoint", "fp16-full-ft-packing"),
    words=("autocast=fp16",),
    harm=11.5,
)
