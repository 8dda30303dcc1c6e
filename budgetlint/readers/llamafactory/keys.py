"""LLaMA-Factory's one-key settings beside those of TrainingArguments.

Source: llamafactory 0.9.5 ``hparams/{model,data,finetuning,training}_args.py``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.documents import Sequence
from budgetlint.readers.base import Key, Unreadable, to_bool, to_count, to_float, to_text, to_words

_ATTENTION = {
    "disabled": "eager", "off": "eager", "false": "eager", "eager": "eager",
    "sdpa": "sdpa",
    "fa2": "flash", "fa3": "flash", "true": "flash", "flash_attention_2": "flash", "flash_attention_3": "flash",
}  # fmt: skip


def to_attention(value: Any) -> Any:
    """``auto`` leaves the choice to transformers; up to 0.7 the key was true or false."""
    word = str(value).lower()
    if word == "auto":
        return None
    if word not in _ATTENTION:
        raise Unreadable(f"'{value}' is no attention function", "write auto, disabled, sdpa or fa2")
    return _ATTENTION[word]


def to_targets(value: Any) -> Any:
    """``all`` is every linear; else names."""
    words = to_names(value)
    return ("all-linear",) if words == ("all",) else words


def to_names(value: Any) -> Any:
    """A list, or one text with commas (``FinetuningArguments.__post_init__`` split_arg)."""
    if isinstance(value, Sequence):
        return to_words(value)
    return tuple(word.strip() for word in to_text(value).split(",") if word.strip())


def to_upcast(value: Any) -> Any:
    return "norms" if to_bool(value) else "none"


def to_checkpointing(value: Any) -> Any:
    return "none" if to_bool(value) else "full"


def to_trained(value: Any) -> Any:
    """What a ``freeze_…`` switch leaves to train."""
    frozen = to_bool(value)
    return not frozen if isinstance(frozen, bool) else frozen


OWN = (
    Key("model_name_or_path", "model", to_text),
    Key("trust_remote_code", "trust_remote_code", to_bool),
    Key("flash_attn", "attention", to_attention),
    Key("cutoff_len", "seq_len", to_count),
    Key("neat_packing", "packing", lambda value: to_bool(value) or None),
    Key("disable_gradient_checkpointing", "recompute", to_checkpointing),
    Key("use_reentrant_gc", "recompute_reentrant", to_bool),
    Key("use_unsloth_gc", "recompute_offload", to_bool),
    Key("use_kt", "offload_params", lambda value: "cpu" if to_bool(value) else None),
    Key("upcast_layernorm", "quant_upcast", to_upcast),
    Key("freeze_vision_tower", "train_vision", to_trained),
    Key("freeze_multi_modal_projector", "train_projector", to_trained),
    Key("image_max_pixels", "image_max_pixels", to_count),
)
"""``gradient_checkpointing`` is left out: only ``disable_gradient_checkpointing`` decides (model/model_utils/checkpointing.py).
``use_kt``: KTransformers keeps the experts, nearly all of such a model, on the host (hparams/model_args.py KTransformersArguments)."""

LORA = (
    Key("lora_rank", "lora_r", to_count),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
    Key("lora_target", "lora_targets", to_targets),
    Key("additional_target", "lora_modules_to_save", to_names),
    Key("use_dora", "lora_dora", to_bool),
    Key("use_rslora", "lora_rslora", to_bool),
)
