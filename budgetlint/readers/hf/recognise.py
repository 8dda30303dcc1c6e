"""Is this document read by a Hugging Face trainer, and by which: TrainingArguments, TRL, alignment-handbook, open-instruct?

Field names: transformers 4.46 to 5.24 ``training_args.py``, TRL 0.9 to 1.16 ``trainer/*_config.py``.
"""

from __future__ import annotations

from functools import cache

from budgetlint.base.record import record, replace
from budgetlint.catalog.vocabulary import keys as vocabulary
from budgetlint.catalog.vocabulary import misspelt
from budgetlint.documents import Document, Mapping
from budgetlint.readers.base import names
from budgetlint.readers.hf.olmo_core import olmo_core_task
from budgetlint.readers.hf.program_task import task_of_program
from budgetlint.readers.known_programs import known_program

PLAIN, TRL, HANDBOOK, OPEN_INSTRUCT = "hf_training_arguments", "trl", "alignment_handbook", "open_instruct"
FLAVOURS = (PLAIN, TRL, HANDBOOK, OPEN_INSTRUCT)

_STRONG = names(
    """per_device_train_batch_size per_device_eval_batch_size per_gpu_train_batch_size gradient_accumulation_steps num_train_epochs
    lr_scheduler_type save_strategy eval_strategy evaluation_strategy warmup_ratio logging_steps logging_strategy report_to
    gradient_checkpointing gradient_checkpointing_kwargs activation_checkpointing_kwargs
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
    tuner_type attn_impl rlhf_type pipe_parallel_size train_loader device_train_microbatch_size job hyperparameters
    micro_batch_size_per_gpu pretrained_model_name_or_path instance_data_dir instance_prompt LoRA_type model_family network_dim
    network_module resolution"""
)
"""One of these at the top: axolotl, LLaMA-Factory, accelerate, DeepSpeed, NeMo, verl, PEFT, a model config, a dump, a trainer of image
models (diffusers, kohya, SimpleTuner, diffusion-pipe), ..."""

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

_OTHER_SCRIPTS = names(
    """sequence_len micro_batch_size cutoff_len finetuning_type train_micro_batch_size_per_gpu actor_rollout_ref exp_manager
    trainer_type enable_gradient_checkpointing"""
)
"""One of these in a section: other trainers as above, and oumi (0.1 to 0.7 ``core/configs/params/training_params.py``)."""
_COMPOSED = names("defaults _target_ _base_ extends inherits base hydra")
"""Words of a loader that composes files: no ``HfArgumentParser`` reads them, so a program of the project's own does."""


@record
class Home:
    """Where the training arguments stand: ``section`` is empty for the top.

    ``literal``: no key is another framework's or another loader's. Else a program of its own reads them: what is written there is read,
    what is not written is not known.
    """

    section: str
    literal: bool = True
    found: bool = True
    """Did somebody look for it, and find it? Else a program is only said to read what stands there."""
    task: str = ""
    """What the program trains, where its name or its code says so."""


def score(document: Document, flavour: str) -> float:
    """0, or 0.6 for the one flavour that a document is; 0.5 for what a program of its own reads."""
    if olmo_core_task(document):
        return 0.9 if flavour == OPEN_INSTRUCT and document.mapping is not None else 0.0
    home = find_home(document)
    if home is None or not home.found or document.mapping is None or _flavour(home, document) != flavour:
        return 0.0
    return 0.6 if home.literal else 0.5


def _flavour(home: Home, document: Document) -> str:
    """A known program is told by its name."""
    known = known_program(document.program) if document.is_command else None
    if known is not None:
        return known.format
    mapping = document.mapping
    return flavour_of(frozenset(mapping.keys())) if home.literal and mapping is not None else PLAIN


def find_home(document: Document) -> Home | None:
    """The home of the training arguments: the top, a section such as ``training_args``, or a section of a script's own."""
    if _FACT not in document.facts:
        document.facts[_FACT] = _find_home(document)
    found: Home | None = document.facts[_FACT]
    return found


_FACT = "home of the training arguments"


def as_known(document: Document, task: str = "") -> Document:
    """The document as a program of the family reads it, whatever keys stand there."""
    return _with_home(document, Home("", task=task))


def as_own(document: Document, task: str = "") -> Document:
    """The document as a program of its own reads it."""
    home = _find_home(document)
    return _with_home(document, Home(home.section if home else "", literal=False, found=home is not None, task=task))


def as_before(document: Document, changed: Document) -> Document:
    """Another state of a document, read by whoever reads the document."""
    home = document.facts.get(_FACT)
    return _with_home(changed, home) if home is not None else changed


def looks_literal(document: Document) -> bool:
    """May a command of the family read the document by itself: no key is another's?"""
    home = _find_home(document)
    return home is not None and home.literal


def is_closed(document: Document) -> bool:
    """Would a parser of the family take every key, but for a slip?"""
    mapping = document.mapping
    return looks_literal(document) and mapping is not None and not any(map(is_strange, mapping.keys()))


def _with_home(document: Document, home: Home) -> Document:
    found = replace(document)
    found.facts[_FACT] = home
    return found


def _find_home(document: Document) -> Home | None:
    """TOML is none: ``HfArgumentParser`` reads JSON and YAML."""
    mapping = document.mapping
    if mapping is None or document.format == "toml":
        return None
    keys = frozenset(mapping.keys())
    if document.is_command:
        return _flags(keys, document.program)
    if keys & _FOREIGN:
        return None
    return _at_the_top(keys) or _section(mapping)


def _at_the_top(keys: frozenset[str]) -> Home | None:
    """Two keys of the family, of which one has a name that nobody else uses; where other keys stand beside them, two such names."""
    known, telling = keys & (_STRONG | _WEAK | _TRL_ONLY), len(keys & _STRONG)
    if len(known) < 2 or not telling:
        return None
    strange = [key for key in keys if is_strange(key)]
    if strange and telling < 2:
        return None
    return Home("", literal=not keys & (_OWN_LOOP | _COMPOSED) and _others().isdisjoint(strange))


def is_strange(key: str) -> bool:
    """Is a key none of the family's, and no slip of one?"""
    return key not in _family() and not misspelt(key, _family())


@cache
def _others() -> frozenset[str]:
    """Keys of other frameworks: a file with one of them is no command's of the family."""
    return (
        vocabulary("axolotl", "top", "plugins")
        | vocabulary("llamafactory", "hparams")
        | vocabulary("ms_swift", "top")
        | vocabulary("litgpt", "top", "train")
        | vocabulary("torchtune", "top")
    )


@cache
def _family() -> frozenset[str]:
    """Every key that a parser of the family takes."""
    return vocabulary("hf", "training_arguments", "trl", "trl_script") | _STRONG | _WEAK | _TRL_ONLY | _OWN_SCRIPT | _OF_RECIPES


_OF_RECIPES = names(
    """dataset_mixer dataset_mixture dataset_splits dataset_configs dataset_columns preprocessing_num_workers use_slow_tokenizer
    with_tracking chat_template max_train_steps tokenizer_name_or_path tokenizer_name config_name cache_dir auto_insert_empty_system_msg
    use_flash_attention_2 use_flash_attn truncation_side text_column reward_funcs system_prompt benchmarks callbacks wandb_entity
    wandb_project lora_target_modules model_code_revision base_model_revision max_length num_proc hub_model_revision max_prompt_length
    bnb_4bit_compute_dtype bnb_4bit_use_double_quant checkpointing_steps dataset_mix_dir keep_last_n_checkpoints
    cosine_min_value_wrong cosine_max_value_wrong cosine_min_value_correct cosine_max_value_correct cosine_max_len repetition_n_grams
    repetition_max_penalty dataset_prompt_column model_type config gradient_checkpointing_use_reentrant"""
)
"""Keys of alignment-handbook's, open-r1's and open-instruct's recipes, and of the model and data arguments of transformers' examples."""


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


_OTHER_FLAGS = names(
    """sequence_len micro_batch_size finetuning_type train_micro_batch_size_per_gpu tuner_type train_type sft_type attn_impl rlhf_type
    template cutoff_len actor_rollout_ref pretrain ds_config_file instance_data_dir resolution train_batch_size network_module"""
)
"""Flags of axolotl, LLaMA-Factory, ms-swift, verl, OpenRLHF and Megatron programs, and of trainers of image models."""
_OWN_LOOP = names("clip_grad_norm")
"""Keys of a script's own training loop, for what the Trainer calls otherwise (``max_grad_norm``); LOMO's ``args_lomo.yaml``."""
_BATCH = names("per_device_train_batch_size per_gpu_train_batch_size")
_REQUIRED = "output_dir"
"""The one field that ``TrainingArguments`` demanded until transformers 5."""


def _flags(keys: frozenset[str], program: str) -> Home | None:
    """A program's flags. A known one is told by its name, whatever flags it has; another by the Trainer's own name for the batch, or its
    required field beside another of its names. One that only evaluates (``--do_eval`` without ``--do_train``) trains nothing."""
    known = known_program(program)
    if known is not None:
        return Home("", task=task_of_program(program)) if known.format in FLAVOURS else None
    if keys & _OTHER_FLAGS or ("do_eval" in keys and not keys & {"do_train", *_BATCH}):
        return None
    is_trainer = keys & _BATCH or (_REQUIRED in keys and keys & _STRONG) or len(keys & _STRONG) > 1
    return Home("", literal=False) if is_trainer else None


def _section(mapping: Mapping) -> Home | None:
    """The first section that a program of its own can mean (``training``, ``training_args``; Open-Assistant: ``defaults``)."""
    sections = [(entry.key.text, frozenset(entry.value.keys())) for entry in mapping.entries if isinstance(entry.value, Mapping)]
    return next((Home(name, literal=False) for name, keys in sections if _is_home(keys)), None)


def _is_home(keys: frozenset[str]) -> bool:
    """Nested training arguments have the batch under the Trainer's name, and another of its names."""
    return "per_device_train_batch_size" in keys and len(keys & _STRONG) > 1 and not keys & _OTHER_SCRIPTS
