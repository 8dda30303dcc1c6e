"""What a dropped key is called today, by format and path of the document.

Sources:

- axolotl 0.8.0 and 0.12.0 ``utils/schemas/config.py`` against the releases before; 0.19.0 ``utils/schemas/validation.py`` for unsloth.
- llamafactory 0.9.2 and 0.9.3 ``hparams/model_args.py``.
- litgpt 0.4.0 ``finetune/*.py``: ``optimizer``, a class with ``init_args``.
- torchtitan 0.2.0 ``config/job_config.py`` against 0.1.0 ``config_manager.py``; 0.2.1 for ``[debug]``; ``train_configs/*.toml`` of
  81c74c7d6 for what no release took.
- ms_swift 3.0 ``swift/llm/argument`` against 2.6 ``swift/llm/utils/argument.py``; 4.0 ``swift/arguments/base_args/base_args.py`` for
  ``train_type``.
"""

from __future__ import annotations

from collections.abc import Mapping

RENAMED: Mapping[str, Mapping[str, str]] = {
    "axolotl": {
        "relora_warmup_steps": "jagged_restart_warmup_steps",
        "relora_anneal_steps": "jagged_restart_anneal_steps",
        "model_kwargs": "overrides_of_model_kwargs",
        "unsloth_lora_mlp": "lora_mlp_kernel",
        "unsloth_lora_qkv": "lora_qkv_kernel",
        "unsloth_lora_o": "lora_o_kernel",
    },
    "llamafactory": {
        "image_resolution": "image_max_pixels",
        "video_resolution": "video_max_pixels",
        "new_special_tokens": "add_special_tokens",
    },
    "litgpt": {
        "train.learning_rate": "optimizer.init_args.lr",
        "train.weight_decay": "optimizer.init_args.weight_decay",
        "train.beta1": "optimizer.init_args.betas",
        "train.beta2": "optimizer.init_args.betas",
    },
    "torchtitan": {
        "checkpoint.enable_checkpoint": "checkpoint.enable",
        "checkpoint.initial_load_model_weights_only": "checkpoint.initial_load_model_only",
        "checkpoint.last_save_model_weights_only": "checkpoint.last_save_model_only",
        "memory_estimation.enabled": "memory_estimation.enable",
        "lr_scheduler.lr_min": "lr_scheduler.min_lr_factor",
        "parallelism.pipeline_parallel_split_points": "parallelism.module_fqns_per_model_part",
        "training.compile": "compile.enable",
        "training.seed": "debug.seed",
        "training.deterministic": "debug.deterministic",
        "training.batch_size": "training.local_batch_size",
        "training.data_parallel_degree": "parallelism.data_parallel_shard_degree",
        "training.tensor_parallel_degree": "parallelism.tensor_parallel_degree",
        "training.warmup_steps": "lr_scheduler.warmup_steps",
        "experimental.pipeline_parallel_degree": "parallelism.pipeline_parallel_degree",
        "float8": "quantize.linear.float8",
        "mx": "quantize.linear.mx",
    },
    "ms_swift": {
        "sft_type": "tuner_type",
        "train_type": "tuner_type",
        "model_id_or_path": "model",
        "ref_model_id_or_path": "ref_model",
        "reward_model_id_or_path": "reward_model",
        "template_type": "template",
        "eval_batch_size": "per_device_eval_batch_size",
        "use_flash_attn": "attn_impl",
        "quantization_bit": "quant_bits",
        "bnb_4bit_comp_dtype": "bnb_4bit_compute_dtype",
        "dataset_test_ratio": "split_dataset_ratio",
        "custom_val_dataset_path": "val_dataset",
        "preprocess_num_proc": "dataset_num_proc",
        "lora_dropout_p": "lora_dropout",
        "lora_lr_ratio": "lorap_lr_ratio",
        "lora_target_regex": "target_regex",
        "init_lora_weights": "init_weights",
        "additional_trainable_parameters": "trainable_parameters",
        "neftune_alpha": "neftune_noise_alpha",
        "only_save_model": "save_only_model",
        "vit_use_gc": "vit_gradient_checkpointing",
    },
}

OTHER_VALUES = frozenset({
    "image_resolution", "video_resolution", "use_flash_attn", "quantization_bit", "parallelism.pipeline_parallel_split_points",
})  # fmt: skip
"""Keys whose new name takes something else: pixels for a side, ``flash_attn`` for true, layers for the places between them."""

BEFORE: Mapping[str, str] = {"torchtitan": "0.1.0"}
"""The first release, by format: it knows no renamed key that is in none of the tables, only the code before it did."""
