"""Keys of Hugging Face trainers and their scripts that map one to one onto settings.

Sources: transformers 5.24.0 ``training_args.py`` (older names: 4.46.3), TRL 1.16.0 ``trainer/model_config.py`` and
``trainer/*_config.py`` (older names: 0.19.1), PEFT 0.21.2 ``tuners/lora/config.py``. In a table a later row wins.
"""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Sequence
from budgetlint.readers.base import AUTO, Key, Unreadable, to_bool, to_count, to_dtype, to_float, to_int, to_text, to_words

_ATTENTION = {
    "eager": "eager",
    "sdpa": "sdpa",
    "flex_attention": "flex",
    "flash_attention_2": "flash",
    "flash_attention_3": "flash",
    "flash_attention_4": "flash",
}


def to_attention(value: Any) -> Any:
    """``kernels-community/flash-attn2`` and the like load a flash kernel from the hub (transformers integrations/hub_kernels.py)."""
    word = to_text(value).partition("|")[-1] or to_text(value)
    if word in _ATTENTION:
        return _ATTENTION[word]
    if "/" in word:
        return "flash" if "flash" in word else None
    raise Unreadable(f"'{value}' is no attention implementation", "write flash_attention_2, sdpa, eager or flex_attention")


def to_strategy(value: Any) -> Any:
    """YAML reads a bare ``no`` as false."""
    return {"false": "no", "true": "yes"}.get(str(value).lower(), to_text(value))


def to_evaluates(value: Any) -> Any:
    word = to_strategy(value)
    if word not in ("no", "steps", "epoch", "best"):
        raise Unreadable(f"'{value}' is no evaluation strategy", "write no, steps or epoch")
    return word != "no"


def _flash_switch(value: Any) -> Any:
    return "flash" if to_bool(value) else None


def _adafactor_switch(value: Any) -> Any:
    return "adafactor" if to_bool(value) else None


def _given(value: Any) -> Any:
    """``torch_compile_mode: default`` turns compilation on (training_args.py, step 6)."""
    return True if value else None


def truthy(value: Any) -> Any:
    """HfArgumentParser puts YAML and JSON values into the dataclass as they are: a quoted "false" counts as true."""
    return value if isinstance(value, bool) else to_bool(value) or isinstance(value, str)


TRAINING = (
    Key("per_device_train_batch_size", "micro_batch", to_count),
    Key("per_gpu_train_batch_size", "micro_batch", to_count),
    Key("gradient_accumulation_steps", "grad_accum", to_count),
    Key("accelerator_config.gradient_accumulation_kwargs.num_steps", "grad_accum", to_count),
    Key("accelerator_config.gradient_accumulation_kwargs.sync_each_batch", "sync_each_batch", to_bool),
    Key("per_device_eval_batch_size", "eval_batch", to_count),
    Key("per_gpu_eval_batch_size", "eval_batch", to_count),
    Key("packing", "packing", to_bool),
    Key("padding_free", "padding_free", to_bool),
    Key("adafactor", "optimizer", _adafactor_switch),
    Key("learning_rate", "learning_rate", to_float),
    Key("weight_decay", "weight_decay", to_float),
    Key("adam_beta1", "adam_beta1", to_float),
    Key("adam_beta2", "adam_beta2", to_float),
    Key("adam_epsilon", "adam_epsilon", to_float),
    Key("max_grad_norm", "max_grad_norm", to_float),
    Key("lr_scheduler_type", "lr_scheduler", to_text),
    Key("warmup_steps", "warmup_steps", to_float),
    Key("warmup_ratio", "warmup_ratio", to_float),
    Key("max_steps", "max_steps", to_int),
    Key("num_train_epochs", "num_epochs", to_float),
    Key("tf32", "tf32", to_bool),
    Key("torch_compile_backend", "compile", _given),
    Key("torch_compile_mode", "compile", _given),
    Key("torch_compile", "compile", to_bool),
    Key("use_cache", "use_cache", to_bool),
    Key("do_eval", "eval_on", to_bool),
    Key("evaluation_strategy", "eval_on", to_evaluates),
    Key("eval_strategy", "eval_on", to_evaluates),
    Key("eval_accumulation_steps", "eval_accumulation_steps", to_count),
    Key("prediction_loss_only", "prediction_loss_only", to_bool),
    Key("save_strategy", "save_strategy", to_strategy),
    Key("parallelism_config.tp_size", "tensor_parallel", to_count),
    Key("parallelism_config.cp_size", "context_parallel", to_count),
)
"""The keys of TrainingArguments and of TRL's subclasses."""

MODEL = (
    Key("model", "model", to_text),
    Key("base_model", "model", to_text),
    Key("model_id", "model", to_text),
    Key("model_name", "model", to_text),
    Key("name_or_path", "model", to_text),
    Key("model_path", "model", to_text),
    Key("pretrained_model_name_or_path", "model", to_text),
    Key("model_name_or_path", "model", to_text),
    Key("trust_remote_code", "trust_remote_code", to_bool),
    Key("torch_dtype", "weights_dtype", to_dtype),
    Key("dtype", "weights_dtype", to_dtype),
    Key("model_init_kwargs.torch_dtype", "weights_dtype", to_dtype),
    Key("model_init_kwargs.dtype", "weights_dtype", to_dtype),
    Key("use_flash_attention", "attention", _flash_switch),
    Key("use_flash_attention_2", "attention", _flash_switch),
    Key("use_flash_attn", "attention", _flash_switch),
    Key("attn_implementation", "attention", to_attention),
    Key("model_init_kwargs.attn_implementation", "attention", to_attention),
    Key("model_init_kwargs.use_cache", "use_cache", to_bool),
)
"""The keys of TRL's ModelConfig and of the usual scripts, at the top or in a ``model`` section."""


def to_more_targets(value: Any) -> Any:
    """Parameters among the targets (PEFT 0.17 ``tuners/lora/config.py`` target_parameters): what trains beside the modules is open."""
    return AUTO if not isinstance(value, Sequence) or value.items else None


LORA = (
    Key("lora_rank", "lora_r", to_count),
    Key("lora_dim", "lora_r", to_count),
    Key("lora_r", "lora_r", to_count),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
    Key("lora_target_modules", "lora_targets", to_words),
    Key("lora_target_parameters", "lora_targets", to_more_targets),
    Key("lora_modules_to_save", "lora_modules_to_save", to_words),
    Key("use_dora", "lora_dora", to_bool),
    Key("use_rslora", "lora_rslora", to_bool),
)

PEFT_CONFIG = (
    Key("r", "lora_r", to_count),
    Key("lora_r", "lora_r", to_count),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
    Key("target_modules", "lora_targets", to_words),
    Key("lora_target_modules", "lora_targets", to_words),
    Key("target_parameters", "lora_targets", to_more_targets),
    Key("modules_to_save", "lora_modules_to_save", to_words),
    Key("use_dora", "lora_dora", to_bool),
    Key("use_rslora", "lora_rslora", to_bool),
)
"""The fields of PEFT's LoraConfig inside a ``peft_config`` or ``lora`` section."""


def unparsed(keys: tuple[Key, ...]) -> tuple[Key, ...]:
    """The table as plain HfArgumentParser reads it: YAML and JSON values are taken as they are."""
    return tuple(replace(key, convert=truthy) if key.convert is to_bool else key for key in keys)
