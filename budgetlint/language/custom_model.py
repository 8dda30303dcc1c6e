"""``model custom``: the numbers of a model that is in no table, as an `Architecture`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.catalog.architecture import Architecture
from budgetlint.language.check import Checked
from budgetlint.language.problems import Problems

REQUIRED = ("hidden", "layers", "heads", "vocab", "intermediate")

Numbers = tuple[tuple[str, Any], ...]


def check_custom(checked: Checked, problems: Problems) -> Numbers | None:
    """The fields of the architecture that the statement gives, or None after saying what is missing."""
    given = {name: option.value for name, option in checked.options.items() if name != "head"}
    missing = [name for name in REQUIRED if name not in given and not (name == "intermediate" and "moe_intermediate" in given)]
    span = checked.values[0].span
    if missing:
        help = f"add {' '.join(f'{name}=…' for name in missing)}"
        problems.add("BL006", checked.source, span, f"a custom model needs {', '.join(missing)}", help, key="model")
        return None
    kv_heads = given.get("kv_heads", given["heads"])
    if "head_dim" not in given and given["hidden"] % given["heads"]:
        message = f"hidden={given['hidden']} is no multiple of heads={given['heads']}"
        problems.add("BL003", checked.source, span, message, "say head_dim=, or correct one of them", key="model")
        return None
    if given["heads"] % kv_heads:
        message = f"heads={given['heads']} is no multiple of kv_heads={kv_heads}"
        problems.add("BL003", checked.source, checked.options["kv_heads"].span, message, "each key head serves a whole number of heads")
        return None
    if shares_layers(given.get("family", "llama")):
        message = f"the layers of {given['family']} share their weights: NOT MODELLED"
        problems.add("BL003", checked.source, checked.options["family"].span, message, "the memory of such a model cannot be estimated")
        return None
    if not reads_text(given.get("family", "llama")):
        message = f"{given['family']} has no vocabulary: a custom model is a decoder of text"
        problems.add("BL003", checked.source, checked.options["family"].span, message, "llama, qwen2, gpt2, …")
        return None
    return tuple(given.items())


def shares_layers(name: str) -> bool:
    """Is one layer run again for each?"""
    from budgetlint.catalog.families import SHARED_LAYERS  # few budgets have a model of their own

    return name in SHARED_LAYERS


def reads_text(name: str) -> bool:
    """Is a family one of decoders of text?"""
    from budgetlint.catalog.families import family_of  # few budgets have a model of their own

    family = family_of(name)
    return family.said("names") and bool(family.names.head)


def custom_architecture(numbers: Iterable[tuple[str, Any]], family: str = "llama") -> Architecture:
    """The architecture of a ``model_custom`` setting. What is not said is as in Llama: gated MLP, RMSNorm, rotary positions."""
    given = dict(numbers)
    hidden, heads = given["hidden"], given["heads"]
    defaults: dict[str, Any] = {
        "kv_heads": heads,
        "head_dim": hidden // heads,
        "intermediate": given.get("moe_intermediate", 0),
        "tied": False,
        "max_positions": None,
        "family": family,
    }
    return Architecture(name="custom", hub_id="", kind="decoder", sources=("the budget",), **{**defaults, **given})
