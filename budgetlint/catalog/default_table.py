"""Framework defaults that decide memory, by version. Bounds were read in the wheels named, both sides where two are named."""

from __future__ import annotations

from budgetlint.catalog.default_row import DefaultRow as Row

_ARGS = "transformers/training_args.py"
_DS = "deepspeed/runtime/zero/config.py"

DEFAULTS: tuple[Row, ...] = (
    # -- transformers ---------------------------------------------------------------------------------------------------
    Row("transformers", "from_pretrained.dtype", "fp32", until="5.0.0", source="transformers 4.57.6 modeling_utils.py"),
    Row(
        "transformers",
        "from_pretrained.dtype",
        "auto",
        since="5.0.0",
        source="transformers 5.0.0 modeling_utils.py: the checkpoint's own dtype",
    ),
    Row("transformers", "optim", "adamw_torch", until="4.54.0", source=f"{_ARGS} default_optim, 4.53.3"),
    Row(
        "transformers",
        "optim",
        "adamw_torch",
        since="4.54.0",
        also=(("torch", "", "2.8"),),
        source=f"{_ARGS} default_optim, 4.54.1 and 5.24.0",
    ),
    Row(
        "transformers",
        "optim",
        "adamw_torch_fused",
        since="4.54.0",
        also=(("torch", "2.8", ""),),
        source=f"{_ARGS} default_optim, 4.54.1 and 5.24.0",
    ),
    Row("transformers", "use_reentrant", True, until="5.0.0", source="transformers 4.57.6 modeling_utils.py gradient_checkpointing_enable"),
    Row("transformers", "use_reentrant", False, since="5.0.0", source="transformers 5.0.0 modeling_utils.py gradient_checkpointing_enable"),
    Row("transformers", "gradient_checkpointing", False, source=_ARGS),
    Row("transformers", "fsdp_version", 1, until="5.10.2", source=f"{_ARGS}, 5.10.1"),
    Row("transformers", "fsdp_version", 2, since="5.10.2", source=f"{_ARGS}, 5.10.2"),
    Row("transformers", "fsdp_wrap", "none", until="5.10.2", source=f"{_ARGS}, 5.10.1: one unit unless a policy is given"),
    Row("transformers", "fsdp_wrap", "layer", since="5.10.2", source=f"{_ARGS}, 5.10.2: TRANSFORMER_BASED_WRAP"),
    Row("transformers", "per_device_train_batch_size", 8, source=_ARGS),
    Row("transformers", "per_device_eval_batch_size", 8, source=_ARGS),
    Row("transformers", "gradient_accumulation_steps", 1, source=_ARGS),
    Row("transformers", "eval_accumulation_steps", None, source=f"{_ARGS}: logits of an evaluation stay on the device"),
    Row("transformers", "weight_decay", 0.0, source=f"{_ARGS}; passed to every optimizer, not on biases and norms"),
    Row("transformers", "learning_rate", 5e-5, source=_ARGS),
    Row("transformers", "max_grad_norm", 1.0, source=_ARGS),
    Row("transformers", "bf16", False, source=_ARGS),
    Row("transformers", "fp16", False, source=_ARGS),
    Row("transformers", "report_to", "all", until="5.0.0", source=_ARGS),
    Row("transformers", "report_to", "none", since="5.0.0", source=_ARGS),
    Row(
        "transformers", "attn_implementation", "sdpa", since="4.36.0", source="transformers modeling_utils.py _autoset_attn_implementation"
    ),
    Row(
        "transformers",
        "bnb_embedding_state",
        "8bit",
        until="5.0.0",
        source="transformers 4.57.6 trainer.py: only a class named Adam8bit is overridden",
    ),
    Row(
        "transformers",
        "bnb_embedding_state",
        "fp32",
        since="5.0.0",
        source="transformers 5.0.0 trainer.py: register_module_override for every 8-bit optimizer",
    ),
    Row("transformers", "experts", "linears", until="5.0.0", source="transformers 4.57.6 models/mixtral/modeling_mixtral.py:64-66"),
    Row(
        "transformers",
        "experts",
        "fused",
        since="5.0.0",
        source="transformers 5.0.0 models/mixtral/modeling_mixtral.py:71-72, 108: parameters, no linears",
    ),
    Row(
        "transformers",
        "loss_bytes_per_logit",
        12,
        until="4.46.0",
        source="transformers 4.45.2 modeling_llama.py:1219-1225: fp32 logits and a shifted copy",
    ),
    Row(
        "transformers",
        "loss_bytes_per_logit",
        14,
        since="4.46.0",
        until="4.49.0",
        source="transformers 4.46.3 and 4.48.3 loss/loss_utils.py:36-43: 16-bit logits, fp32 copy, shifted copy, log-softmax",
    ),
    Row(
        "transformers",
        "loss_bytes_per_logit",
        10,
        since="4.49.0",
        source="transformers 4.49.0 loss/loss_utils.py: labels are shifted, not logits",
    ),
    # -- trl ------------------------------------------------------------------------------------------------------------
    Row("trl", "bf16", False, until="0.19.0", source="trl 0.18.2 trainer/sft_config.py"),
    Row("trl", "bf16", "unless fp16", since="0.19.0", source="trl 0.19.1 trainer/sft_config.py; base_config.py from 1.0"),
    Row("trl", "gradient_checkpointing", False, until="0.22.0", source="trl 0.21.0 trainer/sft_config.py"),
    Row("trl", "gradient_checkpointing", True, since="0.22.0", source="trl 0.22.2 trainer/sft_config.py; base_config.py from 1.0"),
    Row("trl", "max_length", None, until="0.13.0", source="trl 0.12.2: max_seq_length None, taken from the tokenizer, at most 1024"),
    Row("trl", "max_length", 1024, since="0.13.0", source="trl 0.15.2 (max_seq_length) and 0.18.2 trainer/sft_config.py"),
    Row("trl", "packing", False, source="trl trainer/sft_config.py"),
    Row("trl", "learning_rate", 2e-5, source="trl trainer/sft_config.py"),
    Row("trl", "logging_steps", 500, until="0.19.0", source="trl 0.18.2 trainer/sft_config.py"),
    Row("trl", "logging_steps", 10, since="0.19.0", source="trl 0.19.1 trainer/sft_config.py"),
    Row("trl", "loss_type", "full", until="1.6.0", source="trl 1.0.0 trainer/sft_config.py: nll over full logits"),
    Row(
        "trl",
        "loss_type",
        "chunked",
        since="1.6.0",
        source="trl 1.8.0: unset is chunked_nll; 1.16.0: nll itself is chunked (chunks of 256 tokens)",
    ),
    Row("trl", "loss_type.nll", "full", until="1.15.0", source="trl 1.14.2 trainer/sft_config.py"),
    Row("trl", "loss_type.nll", "chunked", since="1.15.0", source="trl 1.16.0 trainer/sft_trainer.py: the fused head is always added"),
    Row("trl", "from_pretrained.dtype", "transformers", until="0.26.0", source="trl 0.25.1 trainer/utils.py: what from_pretrained does"),
    Row(
        "trl", "from_pretrained.dtype", "auto", since="0.26.0", until="0.27.0", source="trl 0.26.2 trainer/utils.py create_model_from_path"
    ),
    Row("trl", "from_pretrained.dtype", "fp32", since="0.27.0", source="trl 0.27.2 and 1.16.0 trainer/utils.py create_model_from_path"),
    Row("trl", "qlora_adapter_dtype", "fp32", until="0.26.0", source="trl 0.25.1 trainer/sft_trainer.py: peft's own fp32"),
    Row(
        "trl",
        "qlora_adapter_dtype",
        "bf16",
        since="0.26.0",
        source="trl 0.26.2 trainer/sft_trainer.py:712-718: trainable parameters of 4- and 8-bit models",
    ),
    Row(
        "trl",
        "use_reentrant",
        True,
        also=(("peft", "0", ""), ("deepspeed", "0", "")),
        source="trl: forced for PEFT with ZeRO-3; applies only there",
    ),
    Row("trl", "use_reentrant.peft_zero3", True, source="trl 1.16.0 trainer/sft_trainer.py: forced for PEFT with ZeRO-3"),
    # -- accelerate, peft -----------------------------------------------------------------------------------------------
    Row(
        "accelerate",
        "deepspeed_boundary",
        False,
        until="1.8.0",
        source="accelerate 1.7.0 utils/deepspeed.py: DeepSpeed counts micro-batches by its own key",
    ),
    Row("accelerate", "deepspeed_boundary", True, since="1.8.0", source="accelerate 1.8.0 utils/deepspeed.py backward(sync_gradients)"),
    Row(
        "accelerate",
        "offloaded_adam_decay",
        "decoupled",
        since="0.18.0",
        until="1.2.0",
        source="accelerate PR 1208 to 1.1.x: CPU Adam in its AdamW mode for everything",
    ),
    Row(
        "accelerate",
        "offloaded_adam_decay",
        "by class",
        since="1.2.0",
        source="accelerate 1.2.0 utils/deepspeed.py:29-97: what was no AdamW becomes L2",
    ),
    Row("peft", "adapter_dtype", "fp32", source="peft 0.21.2 autocast_adapter_dtype=True: 16-bit adapter weights are cast to fp32"),
    Row("peft", "r", 8, source="peft tuners/lora/config.py"),
    Row("peft", "lora_alpha", 8, source="peft tuners/lora/config.py"),
    Row("peft", "lora_dropout", 0.0, source="peft tuners/lora/config.py"),
    # -- deepspeed ------------------------------------------------------------------------------------------------------
    Row("deepspeed", "gradient_clipping", 0.0, until="0.19.3", source="deepspeed runtime/constants.py before 442166559"),
    Row("deepspeed", "gradient_clipping", 1.0, since="0.19.3", source="deepspeed 442166559 (0.19.3)"),
    Row("deepspeed", "pin_memory", False, until="0.19.5", source="deepspeed runtime/zero/offload_config.py before 7dfa67aea"),
    Row("deepspeed", "pin_memory", True, since="0.19.5", source="deepspeed 7dfa67aea (0.19.5)"),
    Row("deepspeed", "bf16_check_overflow", False, until="0.19.3", source="deepspeed before f0253c866"),
    Row("deepspeed", "bf16_check_overflow", True, since="0.19.3", source="deepspeed f0253c866 (0.19.3)"),
    Row("deepspeed", "stage", 0, source=_DS),
    Row("deepspeed", "reduce_bucket_size", 500_000_000, source=_DS),
    Row("deepspeed", "allgather_bucket_size", 500_000_000, source=_DS),
    Row("deepspeed", "contiguous_gradients", True, source=_DS),
    Row("deepspeed", "overlap_comm", "stage 3", source=f"{_DS}: true at stage 3, else false"),
    Row("deepspeed", "stage3_prefetch_bucket_size", 50_000_000, source=_DS),
    Row("deepspeed", "stage3_param_persistence_threshold", 100_000, source=_DS),
    Row("deepspeed", "stage3_max_live_parameters", 1_000_000_000, source=_DS),
    Row("deepspeed", "sub_group_size", 1_000_000_000, source=_DS),
    Row("deepspeed", "adam_w_mode", True, source="deepspeed/runtime/config.py:94 (since dd03cff29, 2021-03-10)"),
    # -- trainer packages -----------------------------------------------------------------------------------------------
    Row(
        "llamafactory",
        "gradient_checkpointing",
        True,
        source="LLaMA-Factory model/model_utils/checkpointing.py: unless disable_gradient_checkpointing",
    ),
    Row("llamafactory", "cutoff_len", 2048, source="LLaMA-Factory hparams/data_args.py"),
    Row("llamafactory", "lora_rank", 8, source="LLaMA-Factory hparams/finetuning_args.py"),
    Row("llamafactory", "lora_target", "all", source="LLaMA-Factory hparams/finetuning_args.py"),
    Row("axolotl", "weights_dtype", "bf16", source="axolotl utils/config/__init__.py:191: bf16: true loads the weights in bf16"),
)

PINS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "axolotl",
        ">=0.18,<0.19",
        (("transformers", "==5.14.1"), ("trl", "==1.8.0"), ("accelerate", "==1.13.0"), ("deepspeed", ">=0.18.6,<0.19.0")),
    ),
    (
        "llamafactory",
        "==0.9.6",
        (("transformers", ">=4.55.0,<=5.8.0,!=4.57.0,!=5.6.0"), ("trl", "<=0.24.0"), ("accelerate", "<=1.11.0"), ("peft", "<=0.18.1")),
    ),
)
"""Trainer package, its versions, and what they pin (axolotl at 067b021c8, LLaMA-Factory at ff6d4d12e)."""
