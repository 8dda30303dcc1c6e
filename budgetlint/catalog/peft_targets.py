"""What LoRA of PEFT adapts where nobody names its targets: by the model's type.

Source: PEFT 0.21.2 ``utils/constants.py`` TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING, ``tuners/lora/model.py``
_prepare_adapter_config (a type that is not there stops; 0.12.0 has these without gemma2, gemma3_text, qwen3).
"""

from __future__ import annotations

BY_TYPE = "by-model-type"
"""The one target of a run whose targets PEFT picks."""
_ATTENTION = ("q_proj", "v_proj")
_FUSED = ("query_key_value",)
_BERT = ("query", "value")
_TARGETS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("bart", "opt", "gptj", "gpt_neo", "llama", "mistral", "mixtral", "stablelm", "gemma", "gemma2", "gemma3_text", "qwen2", "qwen3"),
        _ATTENTION,
    ),
    **dict.fromkeys(("bloom", "gpt_neox", "chatglm", "falcon"), _FUSED),
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "electra"), _BERT),
    "t5": ("q", "v"), "mt5": ("q", "v"), "gpt2": ("c_attn",), "gpt_bigcode": ("c_attn",), "deberta-v2": ("query_proj", "value_proj"),
    "mpt": ("Wqkv",), "codegen": ("qkv_proj",), "phi": ("q_proj", "v_proj", "fc1", "fc2"),
}  # fmt: skip
"""By the name of the family, which is transformers' ``model_type``."""


def peft_targets(family: str) -> tuple[str, ...] | None:
    """The names for a family; None where PEFT has none, and stops."""
    return _TARGETS.get(family)
