"""Which fields the argument classes of transformers and TRL have, as far as they tell whose a flag is."""

from __future__ import annotations

from functools import cache

from budgetlint.catalog.vocabulary import keys
from budgetlint.program.sink_kinds import is_arguments


@cache
def class_fields(kind: str) -> frozenset[str] | None:
    """The fields of a package's class, of all versions that are known; None where that is not told: it may have any."""
    last = kind.rpartition(".")[2]
    if kind.startswith("trl.") and last == "ModelConfig":
        return _MODEL
    if kind.startswith("trl.") and last in {"ScriptArguments", "SFTScriptArguments", "DPOScriptArguments"}:
        return _SCRIPT
    return None if not is_arguments(kind) or kind.startswith("trl.") else frozenset(keys("hf", "training_arguments"))


_MODEL = frozenset(
    ["model_name_or_path", "model_revision", "dtype", "torch_dtype", "trust_remote_code", "attn_implementation", "use_peft", "lora_r", "lora_alpha", "lora_dropout", "lora_target_modules", "lora_target_parameters", "lora_modules_to_save", "lora_task_type", "use_rslora", "use_dora", "load_in_8bit", "load_in_4bit", "bnb_4bit_quant_type", "use_bnb_nested_quant", "bnb_4bit_quant_storage"]
)
"""trl 0.9.6 to 0.26 ``trainer/model_config.py`` ModelConfig."""
_SCRIPT = frozenset(
    ["dataset_name", "dataset_config", "dataset_train_split", "dataset_test_split", "dataset_streaming", "gradient_checkpointing_use_reentrant", "ignore_bias_buffers", "config", "dataset_text_field", "max_seq_length", "packing"]
)
"""trl 0.9.6 ``commands/cli_utils.py``, 0.12 to 0.26 ``scripts/utils.py`` ScriptArguments."""
