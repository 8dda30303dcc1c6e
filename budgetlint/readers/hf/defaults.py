"""What ``transformers.TrainingArguments`` and ``from_pretrained`` fill in, by version.

Source: transformers 5.24.0, 4.57.6 and 4.46.3 ``training_args.py``; ``modeling_utils.py`` for dtype and ``use_reentrant``;
``utils/quantization_config.py``. The bounds were read from 34 wheels between 4.45.2 and 5.24.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.readers.base import default, hidden, unsettled
from budgetlint.readers.derived import loss_by_kernels
from budgetlint.settings.run import Setting, Settings, Stack

_ARGUMENTS = "transformers TrainingArguments."
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("micro_batch", 8, "per_device_train_batch_size"),
    ("grad_accum", 1, "gradient_accumulation_steps"),
    ("eval_batch", 8, "per_device_eval_batch_size"),
    ("weight_decay", 0.0, "weight_decay"),
    ("adam_beta1", 0.9, "adam_beta1"),
    ("adam_beta2", 0.999, "adam_beta2"),
    ("adam_epsilon", 1e-8, "adam_epsilon"),
    ("max_grad_norm", 1.0, "max_grad_norm"),
    ("lr_scheduler", "linear", "lr_scheduler_type"),
    ("max_steps", -1, "max_steps"),
    ("num_epochs", 3.0, "num_train_epochs"),
    ("compile", False, "torch_compile"),
    ("eval_on", False, "eval_strategy"),
    ("save_strategy", "steps", "save_strategy"),
    ("kernels", (), "use_liger_kernel"),
)
"""The same in every version from 4.46 to 5.24."""


_METRICS = "transformers Trainer.evaluate: true where the program gives no compute_metrics, else TrainingArguments.prediction_loss_only"


def plain_defaults(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """Defaults of a script around the plain Trainer, whose model comes from ``from_pretrained`` (assumed)."""
    yield from shared_defaults(settings, stack)
    yield default("learning_rate", 5e-5, _ARGUMENTS + "learning_rate")
    yield default("autocast", "none", _ARGUMENTS + "bf16, fp16")
    yield default("recompute", "none", _ARGUMENTS + "gradient_checkpointing")
    yield weights_dtype(stack)
    yield default("adapter", "none", "no adapter key in the file")
    yield from _loss(settings)


def shared_defaults(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """What TRL and the plain Trainer have in common."""
    yield from (default(name, value, _ARGUMENTS + key) for name, value, key in _FIXED)
    yield hidden("prediction_loss_only", (), _METRICS)
    yield optimizer(stack)
    yield from _reentrant(stack)
    yield from _fsdp(settings, stack)
    yield from _quant(settings)


def by_version(name: str, newer: bool | None, values: tuple[Any, Any], note: str) -> Setting:
    """The newer or the older value, or both readings where the stack does not tell."""
    if newer is None:
        return unsettled(name, values, note)
    return default(name, values[0 if newer else 1], note)


def weights_dtype(stack: Stack) -> Setting:
    note = "transformers from_pretrained: float32 before 5.0.0, the checkpoint's dtype since"
    return by_version("weights_dtype", stack.at_least("transformers", "5.0.0"), ("auto", "fp32"), note)


def packed_dtype(stack: Stack) -> Setting:
    """``quantizers/quantizer_bnb_4bit.py`` and ``_8bit.py`` ``update_torch_dtype``: float16 where none is named, which 5 does itself."""
    note = "transformers from_pretrained: float16 beside bitsandbytes before 5.0.0, the checkpoint's dtype since"
    return by_version("weights_dtype", stack.at_least("transformers", "5.0.0"), ("auto", "fp16"), note)


def optimizer(stack: Stack) -> Setting:
    """training_args.py ``default_optim``: both have AdamW's two moments; the step's temporaries differ."""
    note = _ARGUMENTS + "optim: adamw_torch_fused with torch 2.8 and transformers 4.54, adamw_torch before"
    if stack.at_least("transformers", "4.32.0") is False:
        return default("optimizer", "adamw_hf", _ARGUMENTS + "optim: adamw_hf before 4.32.0")
    bounds = (stack.at_least("torch", "2.8"), stack.at_least("transformers", "4.54.0"))
    fused = False if False in bounds else None if None in bounds else True
    return by_version("optimizer", fused, ("adamw_torch_fused", "adamw"), note)


def _reentrant(stack: Stack) -> Iterator[Setting]:
    note = "transformers gradient_checkpointing_enable: use_reentrant true before 5.0.0, false since"
    yield by_version("recompute_reentrant", stack.at_least("transformers", "5.0.0"), (False, True), note)


def _fsdp(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """Only where FSDP is on."""
    shard = settings.get("shard")
    if shard is None or not ({shard.value, *shard.readings} & {"fsdp", "fsdp2"}):
        return
    note = "transformers TrainingArguments.fsdp_config: every layer is wrapped from 5.10.0, nothing before without auto_wrap"
    yield by_version("wrap", stack.at_least("transformers", "5.10.0"), ("layer", "none"), note)
    yield default("shard_strategy", "full", "accelerate FullyShardedDataParallelPlugin: full_shard")
    yield default("offload_params", "none", "transformers TrainingArguments.fsdp_config.cpu_offload")
    yield default("offload_optimizer", "none", "transformers TrainingArguments.fsdp_config.cpu_offload")
    yield default("reshard_after_forward", True, "transformers TrainingArguments.fsdp_config.reshard_after_forward")


def _quant(settings: Settings) -> Iterator[Setting]:
    quant = settings.get("quant")
    if quant is None:
        yield default("quant", "none", "no quantisation key in the file")
    elif quant.value in ("nf4", "fp4"):
        yield default("quant_double", False, "transformers BitsAndBytesConfig.bnb_4bit_use_double_quant")
        yield default("quant_compute_dtype", "fp32", "transformers BitsAndBytesConfig.bnb_4bit_compute_dtype")
        yield default("quant_storage", "uint8", "transformers BitsAndBytesConfig.bnb_4bit_quant_storage")


def _loss(settings: Settings) -> Iterator[Setting]:
    """The model's own loss needs full logits unless Liger fuses head and loss."""
    yield loss_by_kernels(settings, "use_liger_kernel", "transformers loss_utils.py ForCausalLMLoss")
