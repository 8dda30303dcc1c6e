"""Is this document read by a Hugging Face trainer, and by which: TrainingArguments, TRL, alignment-handbook, open-instruct?

Field names: transformers 4.46 to 5.24 ``training_args.py``, TRL 0.9 to 1.16 ``trainer/*_config.py``.
"""

from __future__ import annotations

from budgetlint.documents import Document, Mapping
from budgetlint.readers.base import names

PLAIN, TRL, HANDBOOK, OPEN_INSTRUCT = "hf_training_arguments", "trl", "alignment_handbook", "open_instruct"

_STRONG = names(
    """per_device_train_batch_size per_device_eval_batch_size per_gpu_train_batch_size gradient_accumulation_steps num_train_epochs
    lr_scheduler_type save_strategy eval_strategy evaluation_strategy warmup_ratio logging_steps logging_strategy report_to
    gradient_checkpointing gradient_checkpointing_kwargs activation_checkpointing activation_checkpointing_kwargs
    overwrite_output_dir hub_model_id hub_strategy push_to_hub save_total_limit dataloader_num_workers dataloader_pin_memory
    remove_unused_columns ddp_find_unused_parameters load_best_model_at_end optim_args"""
)
_WEAK = names(
    """model_name_or_path output_dir bf16 fp16 tf32 learning_rate weight_decay seed max_steps warmup_steps do_train do_eval optim
    torch_compile max_grad_norm adam_beta1 adam_beta2 adam_epsilon eval_steps save_steps deepspeed fsdp run_name torch_dtype
    attn_implementation dataset_name"""
)
_FOREIGN = names(
    """sequence_len micro_batch_size finetuning_type template distributed_type compute_environment zero_optimization
    train_micro_batch_size_per_gpu exp_manager actor_rollout_ref peft_type architectures _wandb log_history apiVersion cutoff_len
    tuner_type attn_impl rlhf_type pipe_parallel_size train_loader device_train_microbatch_size job hyperparameters"""
)
"""One of these at the top: axolotl, LLaMA-Factory, accelerate, DeepSpeed, NeMo, verl, PEFT, a model config, a dump, ..."""

_TRL_ONLY = names(
    """use_peft packing eval_packing packing_strategy padding_free dataset_text_field completion_only_loss assistant_only_loss
    num_generations use_vllm max_prompt_length max_completion_length reward_funcs reward_weights reward_model_path log_completions
    scale_rewards num_iterations mask_truncated_completions sync_ref_model precompute_ref_log_probs rpo_alpha
    desirable_weight undesirable_weight cpo_alpha simpo_gamma gamma_beta_ratio rloo_k num_ppo_epochs center_rewards_coefficient
    dataset_train_split dataset_test_split dataset_num_proc use_bnb_nested_quant model_init_kwargs use_liger_loss
    teacher_model_name_or_path teacher_model_init_kwargs chat_template_path vllm_mode vllm_gpu_memory_utilization"""
)
_OWN_SCRIPT = names("block_size data_max_length predict_with_generate dialogue_template train_file validation_file data_path")
"""Keys of ``run_clm.py`` and other scripts around the plain Trainer, which take a ``dataset_name`` too."""

_SECTIONS = ("training_args", "training_arguments", "training", "train", "sft_config", "dpo_config", "grpo_config")
_NEEDED = 4


def score(document: Document, flavour: str) -> float:
    """0, or 0.6 to 0.9 by how many keys of the family the document holds, for the one flavour that it is."""
    mapping = document.mapping
    if mapping is None:
        return 0.0
    keys = frozenset(mapping.keys())
    hits = _hits(keys) or _section_hits(mapping)
    if not hits or flavour_of(keys) != flavour:
        return 0.0
    return min(0.9, 0.5 + 0.025 * hits)


def home_of(document: Document) -> str:
    """The section that holds the training arguments: the top (``""``) or a mapping such as ``training_args``."""
    mapping = document.mapping
    if mapping is None or _hits(frozenset(mapping.keys())):
        return ""
    return next((name for name in _SECTIONS if _is_home(mapping.get(name))), "")


def flavour_of(keys: frozenset[str]) -> str:
    """Which program of the family reads these top-level keys. Only TRL's own fields make it TRL."""
    if "use_slow_tokenizer" in keys or "with_tracking" in keys:
        return OPEN_INSTRUCT
    if "dataset_mixer" in keys or "dataset_mixture" in keys:
        return HANDBOOK
    if keys & _TRL_ONLY or ("dataset_name" in keys and not keys & _OWN_SCRIPT):
        return TRL
    return PLAIN


def _hits(keys: frozenset[str]) -> int:
    if keys & _FOREIGN:
        return 0
    strong = len(keys & _STRONG)
    known = strong + len(keys & _WEAK)
    return known if strong >= 2 and known >= _NEEDED else 0


def _section_hits(mapping: Mapping) -> int:
    keys = frozenset(mapping.keys())
    if keys & _FOREIGN:
        return 0
    sections = (mapping.get(name) for name in _SECTIONS if name in keys)
    return next((_hits(frozenset(section.keys())) for section in sections if isinstance(section, Mapping) and _is_home(section)), 0)


def _is_home(section: object) -> bool:
    """Nested training arguments need the batch size, and write ``optim``: a ``training`` section with ``optimizer`` is oumi's or other."""
    if not isinstance(section, Mapping):
        return False
    keys = frozenset(section.keys())
    return "per_device_train_batch_size" in keys and "optimizer" not in keys and _hits(keys) > 0
