"""LLaMA-Factory's second schema: ``model`` and ``train_dataset`` beside plugin blocks (``dist_config: {name: fsdp2}``).

Sources: llamafactory 0.9.5 ``v1/config/{model,data,training}_args.py``, ``v1/core/model_engine.py`` (``dtype="auto"``; full tuning
goes to fp32), ``v1/core/base_trainer.py``, ``v1/plugins/model_plugins/{peft,quantization}.py``,
``v1/plugins/trainer_plugins/distributed/fsdp2.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.documents import Document, Loader, Mapping
from budgetlint.readers.base import Key, Unreadable, default, loader_of, read_keys, to_bool, to_count, to_float, to_int, to_text, to_words
from budgetlint.readers.llamafactory.keys import to_attention, to_names, to_targets
from budgetlint.readers.view import View
from budgetlint.settings.run import Misread, Reference, Role, Setting, Settings, Stack

BLOCKS = ("dist_config", "peft_config", "kernel_config", "quant_config", "init_config", "optim_config", "lr_scheduler_config")


def to_checkpointing(value: Any) -> Any:
    return "full" if to_bool(value) else "none"


def to_padding_free(value: Any) -> Any:
    return "padding_free" in str(value)


def to_autocast(value: Any) -> Any:
    return "bf16" if to_bool(value) else "none"


def to_quant(value: Any) -> Any:
    return {4: "nf4", 8: "int8"}.get(to_int(value))


def to_type(value: Any) -> Any:
    if value not in ("nf4", "fp4"):
        raise Unreadable(f"'{value}' is no 4-bit type", "write nf4 or fp4")
    return value


def to_plugin_targets(value: Any) -> Any:
    return to_targets(value) if isinstance(value, str) else to_words(value)


KEYS = (
    Key("model", "model", to_text),
    Key("trust_remote_code", "trust_remote_code", to_bool),
    Key("flash_attn", "attention", to_attention),
    Key("micro_batch_size", "micro_batch", to_count),
    Key("global_batch_size", "global_batch", to_count),
    Key("cutoff_len", "seq_len", to_count),
    Key("batching_strategy", "padding_free", to_padding_free),
    Key("learning_rate", "learning_rate", to_float),
    Key("num_train_epochs", "num_epochs", to_float),
    Key("max_steps", "max_steps", to_int),
    Key("max_grad_norm", "max_grad_norm", to_float),
    Key("bf16", "autocast", to_autocast),
    Key("enable_activation_checkpointing", "recompute", to_checkpointing),
    Key("quant_config.quantization_bit", "quant", to_quant),
    Key("dist_config.reshard_after_forward", "reshard_after_forward", to_bool),
    Key("dist_config.cp_size", "context_parallel", to_count),
    Key("dist_config.ep_size", "expert_parallel", to_count),
)
FOUR_BITS = (
    Key("quant_config.quantization_type", "quant", to_type),
    Key("quant_config.double_quantization", "quant_double", to_bool),
)
LORA = (
    Key("peft_config.r", "lora_r", to_count),
    Key("peft_config.lora_alpha", "lora_alpha", to_float),
    Key("peft_config.lora_dropout", "lora_dropout", to_float),
    Key("peft_config.target_modules", "lora_targets", to_plugin_targets),
    Key("peft_config.modules_to_save", "lora_modules_to_save", to_names),
    Key("peft_config.use_dora", "lora_dora", to_bool),
    Key("peft_config.use_rslora", "lora_rslora", to_bool),
)


def is_second(document: Document) -> bool:
    """A ``train_dataset`` beside one of its blocks or ``micro_batch_size``, and a ``model`` that is a text (NeMo's is a block)."""
    mapping = document.mapping
    if mapping is None or "train_dataset" not in mapping or "model" not in mapping or isinstance(mapping.get("model"), Mapping):
        return False
    return any(block in mapping for block in BLOCKS) or "micro_batch_size" in mapping


def settings_of(document: Document, misreads: list[Misread]) -> Settings:
    loader = loader_of(document, Loader.OMEGACONF)
    view = View(document, loader)
    method = view.word("peft_config.name")
    settings, wrong = read_keys(document, loader, (*KEYS, *(LORA if method == "lora" else ()), *(FOUR_BITS if _four_bits(view) else ())))
    misreads.extend(wrong)
    return Settings((*_method(view, method), *_shard(view), *_kernels(view), *_bare_bnb(view), *settings))


def references(document: Document) -> tuple[Reference, ...]:
    view = View(document, loader_of(document, Loader.OMEGACONF))
    return view.reference(Role.ENGINE, "dist_config.config_file") if view.word("dist_config.name") == "deepspeed" else ()


def _method(view: View, method: str) -> list[Setting]:
    path = "peft_config.name"
    if method == "freeze":
        return [view.setting("adapter", "none", path), view.symbolic("freeze", path, "all but freeze_trainable_layers")]
    return [view.setting("adapter", "lora" if method == "lora" else "other", path)] if method else []


def _four_bits(view: View) -> bool:
    """The bnb plugin takes 4 bits when none are given (v1/plugins/model_plugins/quantization.py quantization_with_bnb)."""
    return view.word("quant_config.name") == "bnb" and view.word("quant_config.quantization_bit") in ("", "4")


def _bare_bnb(view: View) -> list[Setting]:
    return [view.setting("quant", "nf4", "quant_config.name")] if _four_bits(view) else []


def _shard(view: View) -> list[Setting]:
    sharded = view.word("dist_config.name") in ("fsdp2", "fsdpturbo")  # the latter with experts over ep_size ranks
    return [view.setting("shard", "fsdp2", "dist_config.name")] if sharded else []


def _kernels(view: View) -> list[Setting]:
    """``auto`` and ``liger_kernel`` pick kernels by the model; which ones is not in the file."""
    path = "kernel_config.name"
    return [view.symbolic("kernels", path)] if view.word(path) not in ("", "none") else []


_V1 = "llamafactory v1/config/"
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "sft", "llamafactory v1/launcher.py: the command says sft, dpo or rm"),
    ("adapter", "none", f"{_V1}model_args.py peft_config"),
    ("quant", "none", f"{_V1}model_args.py quant_config"),
    ("micro_batch", 1, f"{_V1}training_args.py micro_batch_size"),
    ("seq_len", 2048, f"{_V1}training_args.py cutoff_len"),
    ("learning_rate", 1e-4, f"{_V1}training_args.py learning_rate"),
    ("num_epochs", 3.0, f"{_V1}training_args.py num_train_epochs"),
    ("max_steps", -1, f"{_V1}training_args.py max_steps"),
    ("max_grad_norm", 1.0, f"{_V1}training_args.py max_grad_norm"),
    ("autocast", "bf16", f"{_V1}training_args.py bf16"),
    ("recompute", "full", f"{_V1}training_args.py enable_activation_checkpointing"),
    ("padding_free", False, f"{_V1}training_args.py batching_strategy"),
    ("attention", "sdpa", f"{_V1}model_args.py flash_attn"),
    ("kernels", (), f"{_V1}model_args.py kernel_config"),
    ("loss", "full", f"{_V1}model_args.py kernel_config"),
    ("optimizer", "adamw", "llamafactory v1/core/base_trainer.py: torch.optim.AdamW"),
    ("weight_decay", 0.01, "torch.optim.AdamW"),
    ("lr_scheduler", "constant", "llamafactory v1/core/base_trainer.py: LambdaLR of 1"),
    ("eval_on", False, "llamafactory v1/core/base_trainer.py"),
)


def defaults(settings: Settings, _stack: Stack) -> Iterable[Setting]:
    yield from (default(name, value, note) for name, value, note in _FIXED)
    adapter = settings.value("adapter", "none")
    note = "llamafactory v1/core/model_engine.py: full tuning goes to float32, else the checkpoint's dtype"
    yield default("weights_dtype", "fp32" if adapter == "none" and "freeze" not in settings else "auto", note)
    if adapter == "lora":
        yield from _lora_defaults()
    if settings.value("quant") in ("nf4", "fp4"):
        yield default("quant_double", True, "llamafactory v1/plugins/model_plugins/quantization.py")
        yield default("quant_compute_dtype", "fp16", "llamafactory v1/plugins/model_plugins/quantization.py")
        yield default("quant_storage", "float16", "llamafactory v1/plugins/model_plugins/quantization.py")
    if settings.value("shard") == "fsdp2":
        yield default("wrap", "layer", "llamafactory v1/plugins/trainer_plugins/distributed/fsdp2.py")
        yield default("reshard_after_forward", True, "llamafactory v1/plugins/trainer_plugins/distributed/fsdp2.py")


def _lora_defaults() -> Iterable[Setting]:
    note = "llamafactory v1/plugins/model_plugins/peft.py get_lora_model"
    rows = (("lora_r", 8), ("lora_alpha", 16.0), ("lora_dropout", 0.05), ("lora_targets", ("all-linear",)), ("adapter_dtype", "fp32"))
    yield from (default(name, value, note) for name, value in rows)
