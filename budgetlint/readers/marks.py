"""Which readers a document is worth showing to: by keys without which a recogniser always gives 0.

Twenty recognisers cost more than the rest of a small file's way, and their modules more than a small process. So a package is
imported and asked only where one of its marks stands in the document. A mark is no verdict: it may be too wide, and is never
too narrow (`tests/readers/test_marks.py` tries each recogniser's own words). A package without marks is always asked.
"""

from __future__ import annotations

from functools import cache

from budgetlint.documents import Document

PACKAGES = (
    "axolotl", "llamafactory", "accelerate", "deepspeed", "hf", "launcher", "lightning", "litgpt", "llm_foundry", "model_config",
    "oumi", "peft_config", "python_script", "torchtitan", "torchtune", "gpt_neox", "megatron", "ms_swift", "nemo", "openrlhf", "verl",
    "xtuner", "olmo_core",
)  # fmt: skip
"""The order decides between equal claims in messages only."""

_ONLY = {
    "deepspeed": "json yaml", "launcher": "shell", "openrlhf": "shell", "olmo_core": "shell", "peft_config": "json",
    "python_script": "python", "torchtitan": "toml python", "xtuner": "python shell",
}  # fmt: skip
"""Packages that claim documents of one format or two."""

_TOP = {
    "axolotl": "base_model sequence_len",
    "llamafactory": """finetuning_type cutoff_len template stage lora_target lora_rank pref_loss neat_packing dataset_dir mask_history
        train_on_prompt flash_attn use_unsloth use_galore use_badam use_apollo pure_bf16 quantization_bit upcast_layernorm
        overwrite_cache plot_loss max_samples preprocessing_num_workers disable_gradient_checkpointing freeze_vision_tower
        train_dataset""",
    "deepspeed": """zero_optimization train_micro_batch_size_per_gpu fp16 bf16 bfloat16 optimizer scheduler flops_profiler
        activation_checkpointing amp""",
    "accelerate": "distributed_type compute_environment",
    "lightning": "trainer fit",
    "litgpt": "train",
    "llm_foundry": "train_loader icl_tasks parameters",
    "model_config": "architectures model_type num_hidden_layers",
    "oumi": "training",
    "peft_config": "peft_type lora_alpha",
    "torchtitan": "training",
    "gpt_neox": """pipe_parallel_size no_weight_tying gpt_j_residual pos_emb scaled_upper_triang_masked_softmax_fusion
        model_parallel_size num_layers hidden_size num_attention_heads seq_length checkpoint_activations checkpoint_num_layers
        partition_activations synchronize_each_layer train_iters lr_decay_iters lr_decay_style keep_last_n_checkpoints data_impl
        output_layer_init_method attention_config checkpoint_factor init_method min_lr override_lr_scheduler warmup hidden_dropout""",
    "megatron": "MODEL_ARGS",
    "ms_swift": "tuner_type train_type sft_type rlhf_type",
    "nemo": "exp_manager policy defaults trainer run train_settings inference_settings model strategy data optim",
    "verl": "actor_rollout_ref trainer",
}
"""Keys at the top, by blanks: a document of the package holds one of them."""
_TEXT = {"torchtune": "_component_", "verl": "verl."}
"""Or this stands somewhere in its text: keys at any depth."""
_UNMARKED = [package for package in PACKAGES if package not in _TOP and package not in _TEXT and package != "hf"]


def candidates(document: Document) -> tuple[str, ...]:
    """The packages that may claim the document, in their order. Flags and programs are told by more than keys: nobody is left out."""
    of_format = _of_format(document.format)
    if document.format in ("shell", "python"):
        return of_format
    marked = _marked(document)
    return tuple(package for package in of_format if package in marked)


def _marked(document: Document) -> set[str]:
    """The packages with a mark in the document, and those that have none."""
    by_key = _by_key()
    # hyphens are underscores to some recognisers, and blanks part words; no mark holds either
    keys = frozenset(" ".join(document.mapping.keys()).replace("-", "_").split()) if document.mapping is not None else frozenset()
    found = set(_UNMARKED)
    for key in keys & by_key.keys():
        found.update(by_key[key])
    found.update([package for package, word in _TEXT.items() if document.source.mentions(word)])
    if _is_hf(document):
        found.add("hf")
    return found


def _is_hf(document: Document) -> bool:
    """The family's recogniser looks into sections, and stands in a module of its own: it is asked itself."""
    from budgetlint.readers.hf.recognise import find_home

    return find_home(document) is not None


@cache
def _of_format(format: str) -> tuple[str, ...]:
    return tuple(package for package in PACKAGES if format in _ONLY.get(package, format).split())


@cache
def _by_key() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for package, keys in _TOP.items():
        for key in keys.split():
            found[key] = (*found.get(key, ()), package)
    return found
