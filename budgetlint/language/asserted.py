"""What an assert may ask of a run: every name of the budget language (``seq``, ``lora.r``) and every name of the vocabulary."""

from __future__ import annotations

from functools import cache

from budgetlint.language.slots import Slot
from budgetlint.language.statements import setting_paths
from budgetlint.settings.vocabulary import SETTINGS, SettingSpec

SLOT_KINDS = {"int": "whole", "float": "number", "bool": "switch", "text": "name", "choice": "choice", "dtype": "choice", "list": "name"}


@cache
def asserted_settings() -> dict[str, tuple[str, Slot]]:
    """The setting and the kind of value behind each name; where both say the name, the budget language's meaning holds."""
    return {**{name: (name, _slot(spec)) for name, spec in SETTINGS.items()}, **setting_paths()}


def _slot(spec: SettingSpec) -> Slot:
    return Slot(spec.name, SLOT_KINDS[spec.kind], spec.meaning, choices=spec.choices, setting=spec.name, many=spec.kind == "list")
