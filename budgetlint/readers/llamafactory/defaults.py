"""What LLaMA-Factory fills in, under its own two schemas.

Sources: llamafactory 0.9.0 to 0.9.5 ``hparams/*.py``, ``model/adapter.py``, ``model/model_utils/*.py``; ``v1/config/*.py``,
``v1/core/{model_engine,base_trainer}.py`` and ``v1/plugins/model_plugins/peft.py`` of 0.9.5.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.record import replace
from budgetlint.frameworks import patch
from budgetlint.readers.base import default
from budgetlint.readers.derived import derived, patched
from budgetlint.readers.hf.defaults import by_version, optimizer
from budgetlint.readers.llamafactory.ppo import ppo_defaults
from budgetlint.settings.run import Setting, Settings, Stack

_ARGS = "llamafactory hparams/"
_TRAINING = "transformers TrainingArguments."
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "sft", f"{_ARGS}finetuning_args.py stage"),
    ("adapter", "lora", f"{_ARGS}finetuning_args.py finetuning_type"),
    ("quant", "none", f"{_ARGS}model_args.py quantization_bit"),
    ("recompute", "full", f"{_ARGS}model_args.py disable_gradient_checkpointing: false"),
    ("recompute_offload", False, f"{_ARGS}model_args.py use_unsloth_gc"),
    ("attention", "sdpa", f"{_ARGS}model_args.py flash_attn: auto; transformers picks sdpa"),
    ("kernels", (), f"{_ARGS}model_args.py enable_liger_kernel"),
    ("loss", "full", f"{_ARGS}model_args.py enable_liger_kernel"),
    ("use_cache", False, "llamafactory model/model_utils/kv_cache.py: off while training"),
    ("autocast", "none", f"{_TRAINING}bf16, fp16"),
    ("micro_batch", 8, f"{_TRAINING}per_device_train_batch_size"),
    ("eval_batch", 8, f"{_TRAINING}per_device_eval_batch_size"),
    ("grad_accum", 1, f"{_TRAINING}gradient_accumulation_steps"),
    ("learning_rate", 5e-5, f"{_TRAINING}learning_rate"),
    ("weight_decay", 0.0, f"{_TRAINING}weight_decay"),
    ("max_grad_norm", 1.0, f"{_TRAINING}max_grad_norm"),
    ("lr_scheduler", "linear", f"{_TRAINING}lr_scheduler_type"),
    ("max_steps", -1, f"{_TRAINING}max_steps"),
    ("num_epochs", 3.0, f"{_TRAINING}num_train_epochs"),
    ("compile", False, f"{_TRAINING}torch_compile"),
    ("eval_on", False, f"{_TRAINING}eval_strategy"),
    (
        "prediction_loss_only",
        True,
        "transformers Trainer.evaluate without metrics; compute_accuracy keeps only the argmax (train/sft/metric.py)",
    ),
    ("save_strategy", "steps", f"{_TRAINING}save_strategy"),
    ("train_vision", False, f"{_ARGS}finetuning_args.py freeze_vision_tower: true"),
    ("train_projector", False, f"{_ARGS}finetuning_args.py freeze_multi_modal_projector: true (from 0.9.2)"),
)


def settle(settings: Settings, stack: Stack) -> Settings:
    """The dtype that weights are loaded in is the checkpoint's own from 0.9.4 (model/loader.py), the compute dtype before; the loss of
    Unsloth is by its release."""
    settings = patched(settings, stack, patch("unsloth", "loss"))
    written = settings.get("weights_dtype")
    newer = stack.at_least("llamafactory", "0.9.4")
    if written is None or len(written.readings) != 2 or newer is None:
        return settings
    chosen = replace(written, value=written.readings[0 if newer else 1], state="known", readings=())
    return Settings(chosen if setting is written else setting for setting in settings.values())


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """The flat schema."""
    yield optimizer(stack)
    yield from ppo_defaults(settings)
    yield from (default(name, value, note) for name, value, note in _FIXED)
    yield _length(stack)
    yield from _images(settings, stack)
    yield from _packing(settings)
    yield from _reentrant(settings)
    yield from _dtypes(settings, stack)
    yield from _lora(settings)
    yield from _quant(settings)
    yield from _fsdp(settings)


def _length(stack: Stack) -> Setting:
    note = f"{_ARGS}data_args.py cutoff_len: 2048 from 0.9.1, 1024 before"
    return by_version("seq_len", stack.at_least("llamafactory", "0.9.1"), (2048, 1024), note)


def _images(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """Of no model that is known to see nothing."""
    from budgetlint.catalog.models import known_model  # few runs get here

    model = settings.get("model")
    shape = known_model(str(model.value)) if model is not None and model.known else None
    if shape is None or shape.part("vision") is not None:
        note = f"{_ARGS}model_args.py image_max_pixels: 768 * 768 from 0.9.2, image_resolution: 512 * 512 before"
        yield by_version("image_max_pixels", stack.at_least("llamafactory", "0.9.2"), (768 * 768, 512 * 512), note)


def _packing(settings: Settings) -> Iterable[Setting]:
    """Packed sequences are padded to the length (data/processor/supervised.py); else a batch to its longest."""
    packing = settings.get("packing")
    task = settings.get("task")
    pretrain = task is not None and task.value == "pretrain"
    yield derived("packing", pretrain, f"{_ARGS}parser.py: on for stage pt only", task)
    packed = packing.value if packing else pretrain
    yield derived("pad_to_seq_len", bool(packed), "llamafactory data/processor/supervised.py", packing)


def _reentrant(settings: Settings) -> Iterable[Setting]:
    second = settings.value("shard") == "fsdp2"
    note = "model/model_utils/checkpointing.py: false under FSDP 2" if second else "hparams/model_args.py use_reentrant_gc"
    yield default("recompute_reentrant", not second, f"llamafactory {note}")


def _dtypes(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """Full tuning casts every parameter to fp32; what stays frozen keeps the dtype it was loaded in."""
    adapter = settings.value("adapter", "lora" if "adapter" not in settings else None)
    full = adapter == "none" and "freeze" not in settings
    if full:
        yield default("weights_dtype", "fp32", "llamafactory model/adapter.py init_adapter: trainable parameters are cast to float32")
    autocast = settings.value("autocast")
    compute = "fp16" if autocast == "fp16" else "bf16"
    note = f"llamafactory model/loader.py: the checkpoint's dtype from 0.9.4, {compute} before"
    yield by_version("weights_dtype", stack.at_least("llamafactory", "0.9.4"), ("auto", compute), note)
    if adapter in ("lora", "other"):
        yield default("adapter_dtype", "fp32", "llamafactory model/adapter.py init_adapter: trainable parameters are cast to float32")


def _lora(settings: Settings) -> Iterable[Setting]:
    if settings.value("adapter", "lora" if "adapter" not in settings else None) != "lora":
        return
    rank = settings.get("lora_r")
    yield default("lora_r", 8, f"{_ARGS}finetuning_args.py lora_rank")
    yield derived("lora_alpha", 2.0 * (rank.value or 0) if rank else 16.0, f"{_ARGS}finetuning_args.py lora_alpha: twice the rank", rank)
    yield default("lora_dropout", 0.0, f"{_ARGS}finetuning_args.py lora_dropout")
    yield default("lora_targets", ("all-linear",), f"{_ARGS}finetuning_args.py lora_target: all")


def _quant(settings: Settings) -> Iterable[Setting]:
    """Compute and storage dtype are the compute dtype of the run; nothing is upcast unless asked for."""
    if settings.value("quant", "none") == "none":
        return
    dtype = "fp16" if settings.value("autocast") == "fp16" else "bf16"
    note = "llamafactory model/model_utils/quantization.py: compute_dtype"
    if settings.value("quant") in ("nf4", "fp4"):
        yield default("quant_compute_dtype", dtype, note)
        yield default("quant_storage", {"bf16": "bfloat16", "fp16": "float16"}[dtype], note)
    yield default("quant_upcast", "none", f"{_ARGS}model_args.py upcast_layernorm")


def _fsdp(settings: Settings) -> Iterable[Setting]:
    if settings.value("shard") in ("fsdp", "fsdp2"):
        yield default("shard_strategy", "full", "accelerate FullyShardedDataParallelPlugin: FULL_SHARD")
        yield default("offload_params", "none", "accelerate FullyShardedDataParallelPlugin.cpu_offload")
        yield default("offload_optimizer", "none", "accelerate FullyShardedDataParallelPlugin.cpu_offload")
