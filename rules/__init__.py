"""The built-in rules: one module each, named here once, by family and in order of code.

The list is written out: a walk over the folder would bring back rules that were deleted from a stale build.
"""

from __future__ import annotations

from budgetlint.engine.lazy_rules import shelved
from budgetlint.rule import Rule

from ._index import INDEX

FAMILIES = {
    "BL1": (  # budget, fit and units
        "does_not_fit tight_fit assert_broken budget_config_mismatch unit_mixup static_state_as_total batch_is_not_the_cause logits_spike "
        "offload_no_host_ram over_reserve fsdp_no_sync_grad_accum gc_off_long_seq dpo_ref_model_double modules_to_save_embeddings "
        "fp32_default_load eval_batch_gt_train eval_logits_accumulation full_state_dict_save_spike host_ram_per_rank_load "
        "unbounded_sequence_length galore_does_not_fit auto_find_batch_size_changes_recipe bnb8bit_embeddings_32bit_state "
        "kbit_upcast_embeddings ds_pinned_memory_default_flip grpo_vllm_colocate_budget ga_prefetches_all_micro_batches smallest_card "
        "offload_on_unified_memory measured_differs measured_stale measured_oom measured_below_static "
        "probably_does_not_fit no_verdict declaration_stale declaration_unsealed over_allocated"
    ),
    "BL2": (  # precision and loss scaling
        "fp16_without_loss_scaling ds_static_loss_scale bf16_pre_ampere pure_bf16_adamw fp16_bf16_both ds_hf_precision_mismatch "
        "fp16_weights_amp_unscale tf32_pre_ampere bnb_compute_fp32_default accelerate_mp_vs_trainer v5_dtype_auto_pure_bf16 "
        "ds_gradient_clipping_default fp16_on_bf16_pretrained no_mixed_precision accelerate_ds_precision_conflict fp8_unsupported_gpu "
        "torchtune_fp16 ds_amp_with_zero llamafactory_pure_bf16_zero3 ds_bf16_grad_accumulation fsdp_reduce_dtype_bf16 load8bit_bf16_cast "
        "ds_bf16_optimizer_states_flag fp8_msamp_deprecated"
    ),
    "BL3": (  # optimizer and schedule
        "adam_l2_weight_decay removed_optim_name constant_scheduler_ignores_warmup ds_optimizer_overrides_hf "
        "bnb8bit_offload_becomes_l2_adam optimizer_without_effect_under_lora warmup_longer_than_run ds_adamw_mode_false "
        "warmup_steps_fraction ds_scheduler_overrides_hf offload_swaps_optimizer weight_decay_ignored_galore fsdp2_bnb8bit_optim "
        "ds_untested_optimizer ds_warmup_steps_invalid muon_non_2d optim_args_not_parsed schedulefree_warmup_ratio sgd_no_momentum "
        "warmup_both_set fsdp_offload_8bit_optim optimizer_in_bwd_clip cosine_min_lr_kwargs layerwise_optimizer_grad_accumulation "
        "ds_max_grad_norm_in_params galore_with_deepspeed polynomial_lr_end fused_and_foreach muon_deepspeed_fsdp1 onebit_with_zero "
        "plateau_needs_eval tp_8bit_optim adam_hparams_without_adam "
        "bnb_on_metal learning_rate_too_high ds_warmup_default_rate"
    ),
    "BL4": (  # adapters and quantisation
        "lora_target_mismatch quantized_without_adapter load_4bit_and_8bit axolotl_qlora_without_4bit fsdp_qlora_quant_storage "
        "lora_full_ft_lr target_modules_comma_string device_map_auto_distributed load_in_4bit_kwarg_removed bnb_fp4_default "
        "quantized_twice llamafactory_ptq_sharded quant_method_not_trainable fsdp_8bit_base qlora_zero3_requirements merge_lora_into_kbit "
        "modules_to_save_half_precision new_tokens_not_trainable tied_embeddings_adapter peft_zero3_non_reentrant "
        "ddp_reentrant_marked_twice peft_gc_no_input_grads lm_head_adapter_fused_loss chunked_nll_and_liger unsloth_zero3 "
        "lora_plus_galore pissa_or_resize_on_quantized dora_ptq layers_to_transform_regex lora_dropout_target_parameters loftq_ignored "
        "unfrozen_reentrant axolotl_lora_kernels qat_with_peft quant_options_without_switch lora_dropout_range "
        "lora_alpha_zero"
    ),
    "BL5": (  # distribution
        "ds_hf_batch_mismatch ds_batch_arithmetic zero3_keys_lower_stage zero3_gather16_false fsdp_no_auto_wrap fsdp_and_deepspeed "
        "accelerate_ds_file_inline_fields fsdp_min_params_zero ds_zero_section_missing ds_overlap_bucket_memory ds_ga_missing "
        "ds_activation_checkpointing_section accelerate_ds_ga_mismatch dataparallel_fallback fsdp_wrap_class_mismatch "
        "fsdp1_options_under_fsdp2 ddp_find_unused_with_gc num_processes_gpu_ids parallelism_size_mismatch auto_find_batch_zero3 "
        "fsdp_not_distributed save_only_model_combos fsdp_ram_eff_without_sync axolotl_context_parallel fsdp1_deprecated num_steps_vs_ga "
        "fsdp_offload_alone launcher_flags_exclusive offload_ratio_stage torchtitan_async_tp zero3_init_flag_ignored degrees_vs_processes "
        "processes_vs_visible fsdp_sharded_final_save engine_file_as_launcher_config ds_batch_product"
    ),
    "BL6": (  # bookkeeping
        "evaluation_strategy_renamed load_best_strategy_mismatch load_best_steps_multiple max_steps_overrides_epochs "
        "best_metric_direction hf_args_removed_v5 trl_max_seq_length_renamed eval_steps_fallback yaml_string_boolean "
        "save_steps_gt_max_steps yaml_bool_strategy steps_and_strategy_conflict eval_without_dataset grpo_divisibility "
        "dict_arg_number_as_string streaming_needs_max_steps yaml_implicit_typing val_size_and_eval_dataset report_to_none_v5 "
        "dpo_precompute_sync save_best_needs_metric early_stopping_steps grpo_num_generations_min predict_with_generate_zero3 "
        "prefetch_zero_workers gradient_checkpointing_renamed torch_dtype_renamed fractional_save_steps program_stops "
        "required_argument_missing unrecognized_argument key_never_read without_effect framework_refuses argument_not_taken "
        "kto_batch_of_one preference_beta_zero framework_warns dpo_reference_beside_adapter key_not_taken"
        " sampling_temperature_zero group_of_one heads_not_divided trains_nothing template_of_another_model metric_not_computed"
        " text_counts_as_true flag_without_effect value_out_of_bounds token_budget_below_sequence megatron_arithmetic"
        " dataset_type_misspelt flag_dropped flag_ambiguous default_replaces_key schedule_steps_each_batch response_template_blank"
        " held_out_never_evaluated word_by_another_name"
    ),
    "BL7": (  # sequence, packing, attention
        "seq_over_model_max fa2_turing packing_without_varlen trl_packing_no_max_length eval_batch_default_8 trl_max_length_default "
        "torchtune_unbounded_seq axolotl_pad_to_sequence_len sdpa_bf16_packing_zero_loss fa2_fp32 dataset_split_key_ignored "
        "torchtune_packed_max_seq eval_sample_packing fa3_device sage_attention_no_pad trl_padding_free_traps vlm_keep_end_truncation "
        "packing_with_rl batch_flattening_conflicts several_ce_optimisations axolotl_legacy_attention_keys image_longer_than_text "
        "packing_drops_loss_mask"
    ),
    "BL8": (  # recomputation
        "use_cache_with_checkpointing llamafactory_gc_flag_no_effect fsdp_ac_and_gc_both offload_without_gc gc_reentrant_default_change "
        "selective_ckpt_conflicts gc_unsupported_model fsdp_gc_redundant_allgather"
    ),
    "BL9": (  # files and keys
        "unknown_key yaml_float_as_string duplicate_key json_comment_or_comma unknown_value unknown_flag"
    ),
}
"""Modules of the rules whose codes begin so."""

MODULES = tuple(name for names in FAMILIES.values() for name in names.split())

RULES: tuple[Rule, ...] = shelved(__name__, MODULES, INDEX)
"""By their rows in `_index.py`, which ``python -m budgetlint_rules`` writes; a rule's module is imported when the rule is needed."""
