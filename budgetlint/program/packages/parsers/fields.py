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


@cache
def named_fields(kind: str) -> frozenset[str] | None:
    """Every name that some release of a class that takes no others has; None where that is not told."""
    if kind == "peft.LoraConfig":
        return keys("peft", "any", "top")
    if kind.startswith("trl.") and is_arguments(kind):
        return keys("hf", "training_arguments", "trl")
    return class_fields(kind) if kind.startswith(("transformers.", "trl.")) else None


@cache
def may_have(kind: str, name: str, *, start: bool) -> bool:
    """Whether some version of a package's class has this field; ``start``: or one that starts so, as a flag may."""
    fields = class_fields(kind)
    if fields is None and kind.startswith("trl.") and is_arguments(kind):
        fields = frozenset(keys("hf", "training_arguments", "trl"))
    return fields is None or name in fields or (start and any(one.startswith(name) for one in fields))


def is_text(name: str) -> bool:
    """Whether a field of these classes holds a text however it looks: ``--run_name 7``."""
    return name in _TEXTS


def is_list(name: str) -> bool:
    """Whether a field takes several words: ``--label_names labels`` is a list of one."""
    return name in _LISTS


_TEXTS = frozenset(
    [
        "output_dir",
        "logging_dir",
        "run_name",
        "lr_scheduler_type",
        "optim",
        "optim_args",
        "report_to",
        "hub_model_id",
        "hub_token",
        "hub_strategy",
        "hub_revision",
        "resume_from_checkpoint",
        "deepspeed",
        "fsdp",
        "fsdp_config",
        "accelerator_config",
        "half_precision_backend",
        "fp16_opt_level",
        "fp16_backend",
        "ddp_backend",
        "torch_compile_backend",
        "torch_compile_mode",
        "metric_for_best_model",
        "mp_parameters",
        "push_to_hub_model_id",
        "push_to_hub_organization",
        "push_to_hub_token",
        "project",
        "trackio_space_id",
        "length_column_name",
        "torchdynamo",
        "ray_scope",
        "log_level",
        "log_level_replica",
        "eval_strategy",
        "evaluation_strategy",
        "save_strategy",
        "logging_strategy",
        "model_name_or_path",
        "model_revision",
        "dtype",
        "torch_dtype",
        "attn_implementation",
        "lora_task_type",
        "bnb_4bit_quant_type",
        "bnb_4bit_quant_storage",
        "dataset_name",
        "dataset_config",
        "dataset_train_split",
        "dataset_test_split",
        "dataset_text_field",
        "chat_template_path",
        "eos_token",
        "pad_token",
        "loss_type",
        "gradient_checkpointing_kwargs",
        "lr_scheduler_kwargs",
        "model_init_kwargs",
        "dataset_kwargs",
        "reward_model_path",
        "sft_model_path",
    ]
)
"""transformers 4.40 to 5.2 ``training_args.py``, trl 0.12 to 0.26 ``trainer/*_config.py``, ``scripts/utils.py``: annotated ``str``, also
beside others
(``hf_argparser.py`` then reads a text)."""
_LISTS = frozenset(["label_names", "include_for_metrics", "lora_modules_to_save", "lora_target_parameters"])
"""The same files: annotated ``list[str]``. ``lora_target_modules`` of one word is made a text by ``ModelConfig.__post_init__``."""
_MODEL = frozenset(
    [
        "model_name_or_path",
        "model_revision",
        "dtype",
        "torch_dtype",
        "trust_remote_code",
        "attn_implementation",
        "use_peft",
        "lora_r",
        "lora_alpha",
        "lora_dropout",
        "lora_target_modules",
        "lora_target_parameters",
        "lora_modules_to_save",
        "lora_task_type",
        "use_rslora",
        "use_dora",
        "load_in_8bit",
        "load_in_4bit",
        "bnb_4bit_quant_type",
        "use_bnb_nested_quant",
        "bnb_4bit_quant_storage",
    ]
)
"""trl 0.9.6 to 0.26 ``trainer/model_config.py`` ModelConfig."""
_SCRIPT = frozenset(
    [
        "dataset_name",
        "dataset_config",
        "dataset_train_split",
        "dataset_test_split",
        "dataset_streaming",
        "gradient_checkpointing_use_reentrant",
        "ignore_bias_buffers",
        "config",
        "dataset_text_field",
        "max_seq_length",
        "packing",
    ]
)
"""trl 0.9.6 ``commands/cli_utils.py``, 0.12 to 0.26 ``scripts/utils.py`` ScriptArguments."""
