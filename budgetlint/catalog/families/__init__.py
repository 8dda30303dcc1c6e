"""The records of model families, one module each, read when a model of the family is met. `family_of` picks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module

from budgetlint.catalog.family import Family

SAME_CODE: Mapping[str, str] = {
    "ministral": "mistral",
    "ministral3": "mistral",
    "mistral3": "mistral",
    "code_llama": "llama",
    "yi": "llama",
    "qwen2_vl": "qwen2",
    "qwen2_vl_text": "qwen2",
    "qwen2_5_vl": "qwen2",
    "qwen2_5_vl_text": "qwen2",
    "qwen3_vl_text": "qwen3",
    "qwen3_vl": "qwen3",
    "qwen3_vl_moe": "qwen3_moe",
    "qwen3_5_text": "qwen3_5",
    "qwen3_5_moe_text": "qwen3_5_moe",
    "qwen3_vl_moe_text": "qwen3_moe",
    "phi-msft": "phi",
    "RefinedWeb": "falcon",
    "RefinedWebModel": "falcon",
    "umt5": "mt5",
    "camembert": "roberta",
    "dinov2_with_registers": "dinov2",
    "llava": "llama",
    "llava_next": "llama",
}
"""model_types whose language model runs another family's layers (modular_*.py), and names of their first remote code."""

SHARED_LAYERS = frozenset({"albert"})
"""model_types whose layers are one layer run again (transformers 5.24.0 modeling_albert.py AlbertTransformer): as many
weights as one has, and the activations of all. No ledger lists them, and numbers of layers that are each their own would misprice them."""

UNLISTED = "unlisted"
"""The record of a family that has none: a budget may name any (``model custom … family=``). What it says is told as an assumption."""


@lru_cache(maxsize=256)
def known_family(name: str) -> Family | None:
    """The record of this very name, whole; None where there is none. ModuleNames come from checked files: only a word is looked for."""
    module = name.replace("-", "_")
    if not (module.isascii() and module.isidentifier()) or module.startswith("_"):
        return None
    path = f"{__name__}.{module}"
    try:
        found: Family = import_module(path).FAMILY
    except ModuleNotFoundError as missing:
        if missing.name != path:
            raise
        return None
    if found.name != name:
        return None
    return found.after(family_of(found.like)) if found.like else found


def family_of(name: str) -> Family:
    """The record that answers for a family: its own, or that of the unlisted."""
    return known_family(name) or _unlisted()


def _unlisted() -> Family:
    found = known_family(UNLISTED)
    assert found is not None
    return found


def all_families() -> tuple[Family, ...]:
    """Every record that a model may have, by name."""
    from pkgutil import iter_modules  # only lists of all need it

    names = (module.name for module in iter_modules(__path__) if not module.name.startswith("_") and module.name != UNLISTED)
    found = (known_family(import_module(f"{__name__}.{name}").FAMILY.name) for name in names)
    return tuple(sorted((one for one in found if one is not None), key=lambda one: one.name))
