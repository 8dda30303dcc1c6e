"""NeMo's words in our domain.

Sources: nemo_toolkit 2.2.1 ``nemo/collections/nlp/parts/megatron_trainer_builder.py`` (precision), ``parts/peft_config.py`` (target
modules), ``modules/common/megatron/transformer.py`` (recomputation), ``core/optim/optimizers.py``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import AUTO, Unreadable, to_float, to_int, to_words

PRECISIONS = {
    "16": ("autocast", "fp16"), "16-mixed": ("autocast", "fp16"),
    "bf16": ("autocast", "bf16"), "bf16-mixed": ("autocast", "bf16"),
    "16-true": ("weights_dtype", "fp16"), "bf16-true": ("weights_dtype", "bf16"),
    "32": ("autocast", "none"), "32-true": ("autocast", "none"),
}  # fmt: skip
"""Lightning's precision words, with which setting they decide (lightning 2 ``_PRECISION_INPUT``)."""

TARGETS = {
    "attention_qkv": ("q_proj", "k_proj", "v_proj"),
    "attention_dense": ("o_proj",),
    "mlp_fc1": ("gate_proj", "up_proj"),
    "mlp_fc2": ("down_proj",),
    "attention": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "mlp": ("gate_proj", "up_proj", "down_proj"),
    "all": ("all-linear",),
}


def to_targets(value: Any) -> Any:
    """Roles of the blocks' linears; an empty list leaves the default."""
    roles = tuple(dict.fromkeys(role for word in to_words(value) for role in TARGETS.get(word, (word,))))
    return ("all-linear",) if "all-linear" in roles else roles or None


def to_devices(value: Any) -> Any:
    """-1 and ``auto`` take what is there."""
    if str(value) in ("-1", "auto"):
        return None
    number = to_int(value)
    if number < 1:
        raise Unreadable(f"{number} is no number of devices", "write 1 or more, or -1")
    return number


def to_epochs(value: Any) -> Any:
    """-1 leaves the end to ``max_steps``."""
    number = to_float(value)
    return number if number is not AUTO and number > 0 else None


def to_limit(value: Any) -> Any:
    """``limit_val_batches: 0`` switches validation off."""
    number = to_float(value)
    return number > 0 if number is not AUTO else None
