"""Is this document read by a Hugging Face trainer, and by which: TrainingArguments, TRL, alignment-handbook, open-instruct?

Field names: transformers 4.46 to 5.24 ``training_args.py``, TRL 0.9 to 1.16 ``trainer/*_config.py``.
"""

from __future__ import annotations

from budgetlint.documents import Document, Mapping
from budgetlint.readers.base import names
from budgetlint.readers.hf.olmo_core import olmo_core_task
from budgetlint.record import record

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
_OWN_SCRIPT = names(
    """block_size data_max_length predict_with_generate dialogue_template train_file validation_file data_path dataset_config_name
    config_overrides max_train_samples max_eval_samples"""
)
"""Keys of ``run_clm.py`` and other scripts around the plain Trainer, which take a ``dataset_name`` too."""

_SECTIONS = ("training_args", "training_arguments", "training", "train", "sft_config", "dpo_config", "grpo_config")
_OTHER_SCRIPTS = names(
    """sequence_len micro_batch_size cutoff_len finetuning_type train_micro_batch_size_per_gpu actor_rollout_ref exp_manager
    trainer_type enable_gradient_checkpointing"""
)
"""One of these in a section: other trainers as above, and oumi (0.1 to 0.7 ``core/configs/params/training_params.py``)."""
_NEEDED = 4
_NEEDED_OF_A_SCRIPT = 5


@record
class Home:
    """Where the training arguments stand: ``section`` is empty for the top, ``hits`` how many keys of the family stand there.

    ``literal``: they become ``TrainingArguments`` as they are. Else a script of its own takes them from a section of its own
    making: what is written there is read, what is not written is not known.
    """

    section: str
    hits: int
    literal: bool = True


def score(document: Document, flavour: str) -> float:
    """0, or 0.6 to 0.9 by how many keys of the family the document holds, for the one flavour that it is; 0.5 for a script's
    own section."""
    if olmo_core_task(document):
        return 0.9 if flavour == OPEN_INSTRUCT and document.mapping is not None else 0.0
    home = find_home(document)
    if home is None or document.mapping is None or _flavour(home, document.mapping) != flavour:
        return 0.0
    return min(0.9, 0.5 + 0.025 * home.hits) if home.literal else 0.5


def _flavour(home: Home, mapping: Mapping) -> str:
    return flavour_of(frozenset(mapping.keys())) if home.literal else PLAIN


def find_home(document: Document) -> Home | None:
    """The home of the training arguments: the top, a section such as ``training_args``, or a section of a script's own."""
    if _FACT not in document.facts:
        document.facts[_FACT] = _find_home(document)
    found: Home | None = document.facts[_FACT]
    return found


_FACT = "home of the training arguments"


def _find_home(document: Document) -> Home | None:
    mapping = document.mapping
    if mapping is None:
        return None
    if document.format == "shell":
        return _flags(frozenset(mapping.keys()))
    keys = frozenset(mapping.keys())
    hits = _hits(keys)
    return Home("", hits, literal=not keys & _OWN_LOOP) if hits else _section(mapping)


def home_of(document: Document) -> str:
    """The section whose keys become ``TrainingArguments`` as they are; empty for the top, and where there is none."""
    home = find_home(document)
    return home.section if home is not None and home.literal else ""


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


_ONLY_ARGUMENTS = names(
    """save_strategy evaluation_strategy eval_strategy logging_strategy overwrite_output_dir do_train group_by_length
    save_total_limit dataloader_num_workers remove_unused_columns ddp_find_unused_parameters load_best_model_at_end optim
    warmup_ratio save_steps logging_steps evaluate_during_training bf16 tf32"""
)
"""Flags of TrainingArguments that the scripts around their own loop do not have; two of them tell it."""
_OTHER_FLAGS = names(
    """sequence_len micro_batch_size finetuning_type train_micro_batch_size_per_gpu tuner_type train_type sft_type attn_impl rlhf_type
    template cutoff_len actor_rollout_ref pretrain ds_config_file"""
)
"""Flags of axolotl, LLaMA-Factory, ms-swift, verl, OpenRLHF and Megatron programs."""
_OWN_LOOP = names("clip_grad_norm")
"""Keys of a script's own training loop, for what the Trainer calls otherwise (``max_grad_norm``); LOMO's ``args_lomo.yaml``."""
_ENOUGH_FLAGS = 4
_ENOUGH_WITH_BATCH = 3
"""``per_device_train_batch_size`` is a name that few others use."""


def _flags(keys: frozenset[str]) -> Home | None:
    """A program's flags. One that only evaluates (``--do_eval`` without ``--do_train``) trains nothing."""
    if keys & _OTHER_FLAGS or ("do_eval" in keys and not keys & {"do_train", "per_device_train_batch_size", "per_gpu_train_batch_size"}):
        return None
    strong = len(keys & _STRONG)
    known = strong + len(keys & _WEAK)
    enough = _ENOUGH_WITH_BATCH if "per_device_train_batch_size" in keys else _ENOUGH_FLAGS
    if strong < 1 or known < enough:
        return None
    return Home("", known, literal=len(keys & _ONLY_ARGUMENTS) >= 2)


def _section(mapping: Mapping) -> Home | None:
    """A known section first, then the first that a script of its own can mean (Open-Assistant: ``defaults``)."""
    if frozenset(mapping.keys()) & _FOREIGN:
        return None
    sections = [(entry.key.text, frozenset(entry.value.keys())) for entry in mapping.entries if isinstance(entry.value, Mapping)]
    homes = [found for name, keys in sections if (found := _home(name, keys)) is not None]
    return next((home for home in homes if home.literal), homes[0] if homes else None)


def _home(name: str, keys: frozenset[str]) -> Home | None:
    """Nested training arguments need the batch size. They write ``optim``: a section with ``optimizer`` is a script's own."""
    if "per_device_train_batch_size" not in keys:
        return None
    if name in _SECTIONS and "optimizer" not in keys and _hits(keys):
        return Home(name, _hits(keys))
    strong = len(keys & _STRONG)
    known = strong + len(keys & _WEAK)
    own = strong >= 2 and known >= _NEEDED_OF_A_SCRIPT and not keys & _OTHER_SCRIPTS
    return Home(name, known, literal=False) if own else None
