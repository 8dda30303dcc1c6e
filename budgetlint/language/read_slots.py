"""Settings that come from outside of a budget: which names they have, of which type each is, and how other tools spell its values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from budgetlint.base.record import replace
from budgetlint.language.rows_training import ADAPTERS
from budgetlint.language.slots import Slot
from budgetlint.language.statements import setting_paths
from budgetlint.settings.vocabulary import SETTINGS, SettingSpec

_ONLY_STATED = frozenset({"model_custom", "unmodelled", "adapter_kind"})
"""Lists that are made of whole statements or of a reader's findings."""

_KINDS = {"int": "whole", "float": "number", "bool": "switch", "text": "text", "choice": "choice", "dtype": "choice", "list": "text"}

SPELLINGS: Mapping[str, str] = {
    "bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32", "float8": "fp8",
    "flash_attention_2": "flash", "flash_attention_3": "flash", "flex_attention": "flex",
    "zero0": "ddp",
}  # fmt: skip
"""What means one thing whoever reads it: torch's names of dtypes, transformers' of attention (``attn_implementation``), and DeepSpeed's
stage 0, which shards nothing. A person writes the budget's own word; a foreign file cannot."""


@cache
def slot_of(name: str) -> Slot | None:
    """The type of a setting by a name that a statement gives it (``seq``, ``lora.r``) or by its own (``seq_len``, ``devices``)."""
    paths = setting_paths()
    if name == "adapter":  # a file says ``lora`` where a budget has a statement of its own
        return replace(paths[name][1], choices=("lora", *ADAPTERS), setting="adapter")
    if name in paths:
        setting, slot = paths[name]
        return replace(slot, setting=setting)
    return _of_vocabulary(SETTINGS[name]) if name in SETTINGS and name not in _ONLY_STATED else None


def _of_vocabulary(spec: SettingSpec) -> Slot:
    return Slot(spec.name, _KINDS[spec.kind], spec.meaning, spec.choices, spec.name, many=spec.kind == "list", required=False)


@cache
def readable() -> tuple[str, ...]:
    """Every name, those of statements first."""
    return tuple(dict.fromkeys((*setting_paths(), *(name for name in SETTINGS if name not in _ONLY_STATED))))


def spelled(text: str, slot: Slot) -> str:
    """A word of another tool as this language writes it, where it means one thing only."""
    if text in slot.choices or not slot.choices:
        return text
    likely = SPELLINGS.get(text.removeprefix("torch.").lower(), text)
    return likely if likely in slot.choices else text
