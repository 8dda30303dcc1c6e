"""NeMo: Hydra configs with ``trainer`` and ``exp_manager``, the launcher's groups, and NeMo-RL's ``policy`` files.

Evaluation, conversion and inference files, and the launcher's search fragments, belong to the ecosystem and start no training.
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.documents import Document, Loader, Mapping, Scalar, Sequence
from budgetlint.readers.base import Reader, names, origin_of
from budgetlint.readers.nemo.groups import OTHER, group_of, resolved, ungrouped
from budgetlint.readers.nemo.hydra import hydra_defaults, read_hydra
from budgetlint.readers.nemo.rl import is_rl, read_rl, rl_defaults
from budgetlint.settings.run import Reading, Reference, Role, Setting, Settings, Stack

FORMAT = "nemo"
_LOADER = Loader.OMEGACONF
_INFERENCE = names(
    "inference common_inference_params gpt_model_file retro_model_file prompts chat infer sampling pred_file_path inference_batch_size"
)
_FOREIGN = names("actor_rollout_ref seed_everything apiVersion base_model finetuning_type resources job")
_SEARCH = names("train_settings inference_settings")
_MEGATRON = names("tensor_model_parallel_size pipeline_model_parallel_size megatron_amp_O2 checkpoint_dir hparams_file")


def recognise(document: Document) -> float:
    mapping = document.mapping
    if mapping is None or document.format not in ("yaml", "shell"):
        return 0.0
    if document.is_command:
        return 0.9 if _is_command(document) else 0.0
    keys = frozenset(mapping.keys())
    if "exp_manager" in keys and (_block(mapping, "trainer") or _block(mapping, "model")):
        return 1.0
    if keys & _FOREIGN:
        return 0.0
    if is_rl(document):
        return 0.95
    return 0.9 if _starts_nothing(document, mapping, keys) or _is_recipe(mapping) else 0.0


def _is_command(document: Document) -> bool:
    """The launcher's ``main.py``, NeMo-RL's ``run_*.py``, or overrides of ``trainer`` and ``model`` beside ``exp_manager``."""
    inner = ungrouped(document).mapping
    if inner is None:
        return False
    if inner is not document.mapping:
        return _block(inner, "model") or _block(inner, "trainer")
    return is_rl(document) or (_block(inner, "trainer") and _block(inner, "model") and _block(inner, "exp_manager"))


def _block(mapping: Mapping, key: str) -> bool:
    return isinstance(mapping.get(key), Mapping)


def _starts_nothing(document: Document, mapping: Mapping, keys: frozenset[str]) -> bool:
    """Inference configs and the launcher's files without ``exp_manager``."""
    one_model = _block(mapping, "model") or len(keys & _MEGATRON) >= 2
    if one_model and _block(mapping, "trainer") and (keys & _INFERENCE or len(keys & _MEGATRON) >= 3):
        return True
    if _block(mapping, "model") and _block(mapping, "run") and group_of(document):
        return True
    return keys <= _SEARCH and bool(keys) and all(_block(mapping, key) for key in keys)


def _is_recipe(mapping: Mapping) -> bool:
    """NeMo 2 recipes as Hydra files: objects of ``nemo.`` by ``_target_``."""
    blocks = [mapping.get(key) for key in ("model", "trainer", "strategy", "data", "optim")]
    named = [node.get("_target_") for node in blocks if isinstance(node, Mapping)]
    return any(isinstance(node, Scalar) and node.text.startswith("nemo.") for node in named)


def read(document: Document) -> Reading:
    known = resolved(ungrouped(document) if document.is_command else document)
    if is_rl(document):
        settings, misreads = read_rl(known, _LOADER)
        return Reading(FORMAT, Role.TRAINER, document, settings, tuple(_bases(document)), tuple(misreads))
    if not document.is_command and not _trains(document):
        return Reading(FORMAT, Role.INFERENCE, document, Settings())
    settings, misreads = read_hydra(known, _LOADER)
    return Reading(FORMAT, Role.TRAINER, document, settings, tuple(_bases(document)), tuple(misreads))


def _trains(document: Document) -> bool:
    mapping = document.mapping
    if mapping is None or "exp_manager" not in mapping:
        return False
    return group_of(document) not in OTHER and not frozenset(mapping.keys()) & _INFERENCE


def _bases(document: Document) -> Iterable[Reference]:
    """``defaults``: a path (NeMo-RL), or Hydra's list, whose plain entries are files beside this one."""
    entry = document.entry("defaults")
    if entry is None:
        return
    nodes = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    for node in nodes:
        if isinstance(node, Scalar) and node.text and not node.text.startswith("_"):
            text = node.text if node.text.endswith((".yaml", ".yml")) else f"{node.text}.yaml"
            yield Reference(Role.TRAINER, text, origin_of(document, "defaults", node, entry.key))


def defaults(settings: Settings, _stack: Stack) -> Iterable[Setting]:
    yield from rl_defaults(settings) if _of_rl(settings) else hydra_defaults(settings)


def _of_rl(settings: Settings) -> bool:
    """Only NeMo-RL keeps its model under ``policy`` and its machines under ``cluster``."""
    return any(setting.origin.key.startswith(("policy.", "cluster.")) for setting in settings.values())


READER = Reader(FORMAT, Role.TRAINER, _LOADER, recognise, read, defaults, package="nemo")
