"""axolotl: one flat YAML file per run, loaded by PyYAML (``cli/config.py``) and validated by pydantic, which converts numbers in text."""

from __future__ import annotations

from typing import Any

from budgetlint.catalog.vocabulary import gone, groups
from budgetlint.catalog.vocabulary import keys as vocabulary
from budgetlint.documents import Document, Loader, Mapping, Sequence
from budgetlint.readers.axolotl.adapter import adapter_settings, freeze_settings, task_settings
from budgetlint.readers.axolotl.defaults import defaults, settle
from budgetlint.readers.axolotl.keys import BNB, EVERY, LORA
from budgetlint.readers.axolotl.memory import attention_settings, kernel_settings, loss_settings, recompute_settings
from budgetlint.readers.axolotl.precision import precision_settings, quant_settings
from budgetlint.readers.axolotl.rollouts import rollout_settings
from budgetlint.readers.axolotl.shard import (
    FSDP,
    accumulation_settings,
    evaluation_settings,
    references,
    saving_settings,
    shard_settings,
    uses_fsdp,
)
from budgetlint.readers.base import Reader, names, raw_at, read_keys
from budgetlint.readers.derived import left_open
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.view import View
from budgetlint.settings.run import Misread, Reading, Role, Setting, Settings

_LOADER = Loader.PYYAML

_OWN = names("""sequence_len micro_batch_size val_set_size adapter sample_packing pad_to_sequence_len dataset_prepared_path num_epochs
    train_on_inputs load_in_4bit load_in_8bit lora_target_linear lora_target_modules saves_per_epoch evals_per_epoch
    flash_attention special_tokens wandb_watch lr_scheduler optimizer xformers_attention pretraining_dataset""")
_OTHERS = names("""merge_method slices per_device_train_batch_size per_gpu_train_batch_size model_name_or_path finetuning_type cutoff_len
    distributed_type train_dataset actor_rollout_ref exp_manager""")


def recognise(document: Document) -> float:
    """``base_model`` and what only axolotl calls so. mergekit and hand-made trainers have ``base_model`` too."""
    mapping = document.mapping
    if mapping is None or document.format == "toml":
        return 0.0
    keys = frozenset(mapping.keys())
    if keys & _OTHERS or _is_of_others(keys):
        return 0.0
    own = len(keys & _OWN) + 2 * _typed_datasets(mapping)
    if "base_model" in keys:
        return 1.0 if "sequence_len" in keys and own >= 2 else 0.9 if own >= 3 else 0.0
    return 0.8 if {"sequence_len", "micro_batch_size"} <= keys and own >= 4 else 0.0


def _is_of_others(keys: frozenset[str]) -> bool:
    """Is it another program's, which calls some things as axolotl does? axolotl stops without data (0.9.2 ``utils/schemas/config.py``,
    0.12.2 ``utils/schemas/validation.py`` ``check_dataset_or_pretraining_dataset``), and has no use for keys that no release knows."""
    if keys & _DATA or not keys:
        return False
    return len(keys - vocabulary("axolotl", *groups("axolotl")) - gone("axolotl", "top").keys()) >= _FOREIGN


_DATA = frozenset(("datasets", "pretraining_dataset"))
_FOREIGN = 3
"""Two may be slips, or another release's."""


def _typed_datasets(mapping: Mapping) -> bool:
    """``datasets: [{path: ..., type: ...}]``."""
    datasets = mapping.get("datasets")
    first = datasets.items[0] if isinstance(datasets, Sequence) and datasets.items else None
    return isinstance(first, Mapping) and "path" in first and "type" in first


def read(document: Document) -> Reading:
    view = View(document, _LOADER)
    in_the_file = document.is_command and not view.has("adapter")
    keys = (
        *EVERY,
        *(LORA if view.word("adapter") or in_the_file else ()),
        *(BNB if view.word("adapter") == "qlora" or in_the_file else ()),
        *(FSDP if uses_fsdp(view) else ()),
    )
    settings, misreads = read_keys(document, _LOADER, keys)
    optimizer = _optimizer(view, misreads)
    together = [
        *task_settings(view), *adapter_settings(view), *freeze_settings(view),
        *precision_settings(view), *quant_settings(view),
        *recompute_settings(view), *attention_settings(view), *kernel_settings(view), *loss_settings(view),
        *shard_settings(view), *accumulation_settings(view), *evaluation_settings(view), *saving_settings(view),
    ]  # fmt: skip
    every = Settings((*together, *optimizer, *settings, *rollout_settings(view, misreads), *left_open(document, _LOADER, _DECIDES)))
    return Reading("axolotl", Role.TRAINER, document, every, references(view), tuple(misreads))


_UNSIZED = names("dion sinkgd polora adamc flash_adam flash_adamw flash_sgd flash_sgdw flash_lion")
"""Optimizers of axolotl (``utils/schemas/enums.py``) whose state the catalog does not know."""


_DECIDES: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("adapter", "quant", ("nf4", "none")), ("fp8", "autocast", ()), ("selective_checkpointing", "recompute", ("selective", "full")),
    ("chunked_cross_entropy", "loss", ()), ("cut_cross_entropy", "loss", ()), ("liger_fused_linear_cross_entropy", "loss", ()),
    ("sample_packing", "pad_to_seq_len", (True, False)), ("pretraining_dataset", "task", ("pretrain", "sft")),
)  # fmt: skip
"""Keys that decide a setting together with others, and what it can be where they are left open."""


def _optimizer(view: View, misreads: list[Misread]) -> list[Setting]:
    named = raw_at(view.document, view.loader, "optimizer")
    if named is None or view.word("optimizer") in _UNSIZED:
        return [view.symbolic("optimizer", "optimizer")] if named else []
    return read_optimizer(named, "axolotl", misreads)


READER = Reader("axolotl", Role.TRAINER, _LOADER, recognise, read, defaults, package="axolotl", since="0.6", settle=settle)
