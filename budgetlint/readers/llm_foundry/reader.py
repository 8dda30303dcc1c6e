"""LLM Foundry: YAML for ``train.py``, loaded by OmegaConf; alone, or as ``parameters`` of an mcli job that starts it.

Files for ``eval.py`` (``models`` with ``icl_tasks``) are of the same kind, but start no training: `Role.INFERENCE`.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader, Mapping
from budgetlint.documents.interpolate import interpolated
from budgetlint.readers.base import Reader, names, read_keys
from budgetlint.readers.llm_foundry.defaults import defaults
from budgetlint.readers.llm_foundry.keys import FSDP, KEYS, LORA
from budgetlint.readers.llm_foundry.method import (
    adapter_settings,
    compile_settings,
    duration_settings,
    model_settings,
    optimizer_settings,
    shard_settings,
    task_settings,
)
from budgetlint.readers.view import View
from budgetlint.settings.run import Reading, Role, Setting, Settings

_LOADER = Loader.OMEGACONF
_PARAMETERS = "parameters"
_TRAINS = names("device_train_microbatch_size global_train_batch_size max_duration train_loader optimizer scheduler")
_EVALUATES = names("icl_tasks device_eval_batch_size precision")
"""Models behind an API have no precision; such a file says nothing about memory."""
_FOREIGN = names("exp_manager actor_rollout_ref base_model sequence_len apiVersion")


def recognise(document: Document) -> float:
    """``train_loader`` beside Composer's batch sizes (OLMo has those without a ``train_loader``), or models with tasks."""
    mapping = document.mapping
    if mapping is None or document.format not in ("yaml", "json"):
        return 0.0
    score = _score(mapping)
    inner = mapping.get(_PARAMETERS)
    return score or (_score(inner) if isinstance(inner, Mapping) else 0.0)


def _score(mapping: Mapping) -> float:
    keys = frozenset(mapping.keys())
    if keys & _FOREIGN:
        return 0.0
    if _trains(keys):
        return 1.0
    return 0.9 if keys & {"model", "models"} and keys >= _EVALUATES else 0.0


def _trains(keys: frozenset[str]) -> bool:
    return "train_loader" in keys and len(keys & _TRAINS) >= 3


def read(document: Document) -> Reading:
    """In an mcli job the references of ``parameters`` start at ``parameters``, which becomes a file of its own."""
    mapping = document.mapping
    nested = mapping is not None and isinstance(mapping.get(_PARAMETERS), Mapping) and not _score(mapping)
    home = f"{_PARAMETERS}." if nested else ""
    view = View(_within(document) if nested else interpolated(document), _LOADER)
    adapted = adapter_settings(view, home)
    keys = (*KEYS, *(FSDP if view.on(f"{home}fsdp_config") else ()), *(LORA if adapted else ()))
    settings, misreads = read_keys(view.document, _LOADER, keys, home.rstrip("."))
    together: list[Setting] = [
        *model_settings(view, home), *task_settings(view, home), *adapted, *duration_settings(view, home), *shard_settings(view, home),
        *compile_settings(view, home), *optimizer_settings(view, home, misreads),
    ]  # fmt: skip
    return Reading("llm_foundry", _role(view, home), document, Settings((*together, *settings)), (), tuple(misreads))


def _within(document: Document) -> Document:
    inner = document.get(_PARAMETERS)
    resolved = interpolated(replace(document, root=inner)).root
    mapping = document.mapping
    if mapping is None or resolved is None:
        return document
    entries = (replace(entry, value=resolved) if entry.key.text == _PARAMETERS else entry for entry in mapping.entries)
    return replace(document, root=replace(mapping, entries=tuple(entries)))


def _role(view: View, home: str) -> Role:
    if view.document.is_command:
        return Role.TRAINER
    root = view.value(home.rstrip(".")) if home else view.document.mapping
    return Role.TRAINER if isinstance(root, Mapping) and _trains(frozenset(root.keys())) else Role.INFERENCE


READER = Reader("llm_foundry", Role.TRAINER, _LOADER, recognise, read, defaults, package="llm-foundry", since="0.18")
