"""LLaMA-Factory training files, flat (``model_name_or_path``, ``finetuning_type``) or second schema (``v1``).

OmegaConf loads them from 0.9.4 (0.9.2 and 0.9.3: PyYAML; ``hparams/parser.py``). Files for chat, export and prediction share
most keys, but start no training: their role is `Role.INFERENCE`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Reader, loader_of, names, read_keys
from budgetlint.readers.derived import left_open
from budgetlint.readers.hf.fsdp import read_fsdp
from budgetlint.readers.hf.keys import TRAINING
from budgetlint.readers.hf.precision import read_autocast
from budgetlint.readers.llamafactory import v1
from budgetlint.readers.llamafactory.defaults import defaults as flat_defaults
from budgetlint.readers.llamafactory.defaults import settle
from budgetlint.readers.llamafactory.keys import LORA, OWN
from budgetlint.readers.llamafactory.mca import mca_settings
from budgetlint.readers.llamafactory.method import (
    adapter_settings,
    fp8_settings,
    half_settings,
    kernel_settings,
    optimizer_settings,
    quant_settings,
    task_settings,
)
from budgetlint.readers.llamafactory.ppo import ppo_settings
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.view import View
from budgetlint.settings.run import Misread, Reading, Role, Setting, Settings, Stack

_LOADER = Loader.OMEGACONF

_OWN = names("""finetuning_type cutoff_len template stage lora_target lora_rank pref_loss neat_packing dataset_dir mask_history
    train_on_prompt    flash_attn use_unsloth use_galore use_badam use_apollo pure_bf16 quantization_bit upcast_layernorm overwrite_cache
    plot_loss max_samples preprocessing_num_workers disable_gradient_checkpointing freeze_vision_tower""")
_TRAINS = names("do_train per_device_train_batch_size gradient_accumulation_steps learning_rate num_train_epochs")
_INFERS = names("export_dir infer_backend infer_dtype n_shot vllm_maxlen vllm_gpu_util")
_FOREIGN = names("base_model sequence_len distributed_type tuner_type rlhf_type exp_manager actor_rollout_ref")


_PROGRAM = "llamafactory-cli train"


def recognise(document: Document) -> float:
    mapping = document.mapping
    if mapping is None or document.format == "toml":
        return 0.0
    keys = frozenset(mapping.keys())
    if keys & _FOREIGN:
        return 0.0
    if v1.is_second(document):
        return 0.95
    if document.program == _PROGRAM and "model_name_or_path" in keys:
        return 1.0
    own = len(keys & _OWN)
    if not _trains(document, keys):
        return 0.9 if {"finetuning_type", "model_name_or_path"} <= keys and own >= 2 else 0.0
    return 1.0 if {"finetuning_type", "model_name_or_path"} <= keys and own >= 2 else 0.9 if own >= 4 else 0.0


def _trains(document: Document, keys: frozenset[str]) -> bool:
    if document.program == _PROGRAM:
        return View(document, _LOADER).word("do_train") != "false" and not keys & _INFERS
    return bool(keys & _TRAINS) and not keys & _INFERS and View(document, _LOADER).word("do_train") != "false"


def read(document: Document) -> Reading:
    if v1.is_second(document):
        misreads: list[Misread] = []
        settings = v1.settings_of(document, misreads)
        return Reading("llamafactory", Role.TRAINER, document, settings, v1.references(document), tuple(misreads))
    return _read_flat(document)


def _read_flat(document: Document) -> Reading:
    loader = loader_of(document, _LOADER)
    view = View(document, loader)
    lora = LORA if view.word("finetuning_type") in ("", "lora", "oft") else ()
    settings, misreads = read_keys(document, loader, (*TRAINING, *OWN, *lora))
    look = Lookup(document, loader, misreads=misreads)
    together: list[Setting] = [
        *task_settings(view), *adapter_settings(view), *quant_settings(view, misreads), *kernel_settings(view),
        *read_autocast(look, False), *half_settings(view), *fp8_settings(view), *read_fsdp(look), *ppo_settings(look),
        *mca_settings(look),
    ]  # fmt: skip
    optimizer = optimizer_settings(view, misreads)
    opened = left_open(document, loader, _DECIDES)
    references = view.reference(Role.ENGINE, "deepspeed")
    role = Role.TRAINER if _trains(document, frozenset(view.keys())) else Role.INFERENCE
    return Reading("llamafactory", role, document, Settings((*settings, *together, *optimizer, *opened)), references, tuple(misreads))


_DECIDES: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("fp8", "autocast", ()), ("pure_bf16", "weights_dtype", ()), ("enable_liger_kernel", "loss", ()), ("use_unsloth", "loss", ()),
    ("use_unsloth", "kernels", ()), ("use_unsloth", "recompute_offload", ()), ("enable_liger_kernel", "kernels", ()),
    ("quantization_method", "quant", ()), ("quantization_type", "quant", ("nf4", "fp4")),
    *((key, "optimizer", ()) for key in ("use_galore", "use_apollo", "use_badam", "use_adam_mini", "use_muon")),
)  # fmt: skip
"""Keys that decide a setting together with others, and what it can be where they are left open."""


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    return v1.defaults(settings, stack) if _is_second(settings) else flat_defaults(settings, stack)


def _is_second(settings: Settings) -> bool:
    """Which schema the settings came from: only the second one has a key ``model``."""
    model = settings.get("model")
    written = (model, *model.overrode) if model else ()
    return any(setting.origin.key == "model" for setting in written)


READER = Reader("llamafactory", Role.TRAINER, _LOADER, recognise, read, defaults, package="llamafactory", since="0.9", settle=settle)
