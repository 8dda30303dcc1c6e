"""ms-swift's keys beside those of TrainingArguments, today's and the names of 1.x and 2.x.

Sources: ms_swift 4.6.0 ``swift/arguments/{sft_args,rlhf_args,tuner_args}.py``, ``arguments/base_args/*.py``, ``trainers/arguments.py``; 2.5
``swift/llm/utils/argument.py`` (``sft_type``, ``lora_target_modules``, ``use_flash_attn``, ``quantization_bit``).
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import AUTO, Key, Unreadable, to_bool, to_count, to_dtype, to_float, to_text, to_words
from budgetlint.readers.hf.keys import TRAINING, to_more_targets
from budgetlint.readers.unmodelled import asks

_ATTENTION = {
    "flash_attn": "flash", "flash_attention": "flash", "flash_attention_2": "flash",
    "flash_attention_3": "flash", "flash_attention_4": "flash",
    "sdpa": "sdpa", "eager": "eager", "flex_attention": "flex",
}  # fmt: skip


def to_attention(value: Any) -> Any:
    word = to_text(value).lower()
    if word in ("auto", "none"):
        return None
    if word not in _ATTENTION:
        return "flash" if "flash" in word else None
    return _ATTENTION[word]


def to_old_attention(value: Any) -> Any:
    """``--use_flash_attn true|false|auto`` of 2.x."""
    if str(value).lower() == "auto":
        return None
    return "flash" if to_bool(value) is True else None


def to_weights(value: Any) -> Any:
    """``AUTO`` (2.x) is the checkpoint's own."""
    word = str(value).lower()
    return "auto" if word == AUTO else to_dtype(value)


def to_own_dtype(value: Any) -> Any:
    """``AUTO`` leaves the default."""
    word = str(value).lower()
    return None if word in (AUTO, "none") else to_dtype(value)


def to_targets(value: Any) -> Any:
    """``ALL`` and ``all-linear`` are every block linear; ``DEFAULT``, ``EMBEDDING`` and ``AUTO`` hang on the model."""
    words = to_words(value)
    if any(word.lower() in ("all", "all-linear") for word in words):
        return ("all-linear",)
    return None if any(word in ("DEFAULT", "EMBEDDING", "AUTO") for word in words) else words or None


def to_trained(value: Any) -> Any:
    """What a ``freeze_…`` switch leaves to train."""
    frozen = to_bool(value)
    return not frozen if isinstance(frozen, bool) else frozen


VISION = (
    Key("freeze_vit", "train_vision", to_trained),
    Key("freeze_aligner", "train_projector", to_trained),
    Key("max_pixels", "image_max_pixels", to_count),
)

OWN = (
    *TRAINING,
    *VISION,
    Key("batch_size", "micro_batch", to_count),
    Key("per_device_train_batch_size", "micro_batch", to_count),
    Key("model_type", "model", to_text),
    Key("model_id_or_path", "model", to_text),
    Key("model", "model", to_text),
    Key("dtype", "weights_dtype", to_weights),
    Key("torch_dtype", "weights_dtype", to_weights),
    Key("use_flash_attn", "attention", to_old_attention),
    Key("attn_impl", "attention", to_attention),
    Key("max_length", "seq_len", to_count),
    Key("sequence_parallel_size", "context_parallel", to_count),
    Key("fsdp_num", "unmodelled", asks("torchacc", over=1)),
    Key("deepspeed_autotp_size", "tensor_parallel", to_count),
    Key("vllm_gpu_memory_utilization", "rollout_memory", to_float),
    Key("vllm_tensor_parallel_size", "rollout_tensor_parallel", to_count),
    Key("reward_model", "reward_model", to_text),
    Key("teacher_model", "teacher_model", to_text),
)

LORA = (
    Key("lora_rank", "lora_r", to_count),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("lora_dropout_p", "lora_dropout", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
    Key("lora_target_modules", "lora_targets", to_targets),
    Key("target_modules", "lora_targets", to_targets),
    Key("target_parameters", "lora_targets", to_more_targets),
    Key("modules_to_save", "lora_modules_to_save", to_words),
    Key("lora_dtype", "adapter_dtype", to_own_dtype),
    Key("use_dora", "lora_dora", to_bool),
    Key("use_rslora", "lora_rslora", to_bool),
)

TASKS = {
    "dpo": "dpo", "kto": "kto", "orpo": "orpo", "cpo": "orpo", "simpo": "orpo", "rm": "reward", "ppo": "ppo", "grpo": "grpo",
    "gkd": "other",
}  # fmt: skip
"""``rlhf_type``; CPO and SimPO, like ORPO, train on pairs without a reference model."""


def to_task(value: Any) -> Any:
    word = to_text(value).lower()
    if word not in TASKS:
        raise Unreadable(f"'{value}' is no RLHF method", f"write {', '.join(TASKS)}")
    return TASKS[word]
