"""What a package's class has for a field that nobody gave, where all versions that are claimed agree.

Only what conditions of programs ask; what the estimate takes by version is the reader's. Sources: transformers 4.40 to 5.2
``training_args.py``
TrainingArguments (``optim``, ``eval_strategy``,
``save_safetensors`` and what changed is not here); trl 0.9.6 to 0.26 ``trainer/model_config.py`` and
``trainer/*_config.py``; peft 0.10 to 0.18 ``tuners/lora/config.py``.
"""

from __future__ import annotations

from budgetlint.program.places import Origin, Place
from budgetlint.program.sink_kinds import is_arguments
from budgetlint.program.values import Known, Plain, Value

_TRAINING: dict[str, Plain] = {
    "fp16": False, "tf32": None, "gradient_checkpointing_kwargs": None, "deepspeed": None, "per_device_eval_batch_size": 8,
    "do_train": False,
    "do_predict": False, "max_steps": -1, "seed": 42, "push_to_hub": False, "resume_from_checkpoint": None, "hub_model_id": None,
    "torch_compile": False,
    "group_by_length": False, "load_best_model_at_end": False, "neftune_noise_alpha": None, "use_liger_kernel": False,
    "dataloader_num_workers": 0,
    "label_names": None, "warmup_ratio": 0.0, "weight_decay": 0.0, "auto_find_batch_size": False, "remove_unused_columns": True,
    "fp16_full_eval": False,
    "bf16_full_eval": False, "predict_with_generate": False, "hub_token": None, "max_grad_norm": 1.0, "dataloader_drop_last": False,
    "per_device_train_batch_size": 8, "gradient_accumulation_steps": 1, "data_seed": None, "eval_steps": None, "save_total_limit": None,
}  # fmt: skip
_PLAIN: dict[str, Plain] = {"bf16": False, "gradient_checkpointing": False, "learning_rate": 5e-5}
"""Of transformers' own class; TRL's configs have others since 0.20."""
_MODEL: dict[str, Plain] = {
    "model_name_or_path": None, "model_revision": "main", "trust_remote_code": False, "attn_implementation": None, "use_peft": False,
    "lora_r": 16,
    "lora_alpha": 32, "lora_dropout": 0.05, "lora_target_modules": None, "lora_modules_to_save": None, "lora_task_type": "CAUSAL_LM",
    "use_rslora": False,
    "use_dora": False, "load_in_8bit": False, "load_in_4bit": False, "bnb_4bit_quant_type": "nf4", "use_bnb_nested_quant": False,
    "torch_dtype": None,
}  # fmt: skip
_SCRIPT: dict[str, Plain] = {
    "dataset_config": None,
    "dataset_train_split": "train",
    "dataset_test_split": "test",
    "gradient_checkpointing_use_reentrant": False,
}
_CONFIG: dict[str, Plain] = {
    "model_init_kwargs": None,
    "packing": False,
    "use_vllm": False,
    "precompute_ref_log_probs": False,
    "dataset_num_proc": None,
}
_LORA: dict[str, Plain] = {
    "r": 8,
    "lora_alpha": 8,
    "target_modules": None,
    "lora_dropout": 0.0,
    "bias": "none",
    "use_rslora": False,
    "modules_to_save": None,
}


def default(kind: str, name: str) -> Value | None:
    """The default of a field of a package's class; None where it is not told, or differs between versions."""
    for table in _tables(kind):
        if name in table:
            return Known(table[name], (Origin("class", Place("", 0), f"{kind.rpartition('.')[2]}.{name}"),))
    return None


def _tables(kind: str) -> tuple[dict[str, Plain], ...]:
    if kind == "trl.ModelConfig":
        return (_MODEL,)
    if kind.startswith("trl.") and kind.endswith("ScriptArguments"):
        return (_SCRIPT,)
    if kind.startswith("trl.") and is_arguments(kind):
        return (_CONFIG, _TRAINING)
    if kind.endswith("LoraConfig"):
        return (_LORA,)
    return (_TRAINING, _PLAIN) if is_arguments(kind) else ()
