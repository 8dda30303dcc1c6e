"""PEFT's ``adapter_config.json``: which adapter stands on which model. A run that names it takes the adapter's numbers from it.

Source: peft 0.21 ``tuners/lora/config.py`` LoraConfig, ``utils/peft_types.py``, ``config.py`` (plain JSON).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.documents import Document, Loader, Sequence
from budgetlint.readers.base import Key, Reader, default, names, read_keys, to_bool, to_count, to_float, to_text, to_words
from budgetlint.readers.view import View
from budgetlint.settings.run import Reading, Role, Setting, Settings, Stack

_LOADER = Loader.JSON
_LORA = names("r lora_alpha target_modules lora_dropout modules_to_save rank_pattern task_type base_model_name_or_path")
_TRAINS = names("""per_device_train_batch_size per_device_eval_batch_size learning_rate num_train_epochs output_dir base_model
    micro_batch_size model_name_or_path architectures zero_optimization""")


def recognise(document: Document) -> float:
    """``peft_type``; or ``r`` and ``lora_alpha`` with another key of LoRA. A trainer's file has a learning rate or an output."""
    mapping = document.mapping
    if mapping is None or document.format != "json":
        return 0.0
    keys = frozenset(mapping.keys())
    if keys & _TRAINS:
        return 0.0
    if "peft_type" in keys:
        return 1.0
    return 0.8 if {"r", "lora_alpha"} <= keys and len(keys & _LORA) >= 3 else 0.0


def to_targets(value: Any) -> Any:
    """A list of names; a text is ``all-linear`` or one regular expression."""
    return to_words(value) if isinstance(value, Sequence) else (to_text(value),)


KEYS = (
    Key("base_model_name_or_path", "model", to_text),
    Key("target_modules", "lora_targets", to_targets),
    Key("modules_to_save", "lora_modules_to_save", to_words),
)
LORA = (
    Key("r", "lora_r", to_count),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
    Key("use_dora", "lora_dora", to_bool),
    Key("use_rslora", "lora_rslora", to_bool),
)


def read(document: Document) -> Reading:
    view = View(document, _LOADER)
    kind = view.word("peft_type") or "lora"
    settings, misreads = read_keys(document, _LOADER, (*KEYS, *(LORA if kind == "lora" else ())))
    return Reading("peft_adapter_config", Role.MODEL, document, Settings((*_adapter(view, kind), *settings)), (), tuple(misreads))


def _adapter(view: View, kind: str) -> list[Setting]:
    path = view.first("peft_type", "r")
    if not path:
        return []
    named = [view.setting("adapter_kind", kind, path)] if kind != "lora" else []
    return [view.setting("adapter", "lora" if kind == "lora" else "other", path, kind), *named]


def defaults(settings: Settings, _stack: Stack) -> Iterable[Setting]:
    if settings.value("adapter") == "lora":
        rows = (("lora_r", 8), ("lora_alpha", 8.0), ("lora_dropout", 0.0), ("lora_dora", False), ("lora_rslora", False))
        yield from (default(name, value, f"peft tuners/lora/config.py LoraConfig.{name.removeprefix('lora_')}") for name, value in rows)


READER = Reader("peft_adapter_config", Role.MODEL, _LOADER, recognise, read, defaults, package="peft")
