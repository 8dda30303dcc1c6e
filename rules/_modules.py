"""Module names of other families, to say what a misplaced LoRA target is called in this model."""

from __future__ import annotations

from functools import cache

from budgetlint.base.suggest import near_names
from budgetlint.rule import Architecture

_SPLIT = {"qkv_proj": ("q_proj", "k_proj", "v_proj"), "gate_up_proj": ("gate_proj", "up_proj")}
"""A fused matrix and what it is made of."""

_REMOTE = {
    "W_pack": "qkv_proj",
    "Wqkv": "qkv_proj",
    "c_attn": "qkv_proj",
    "query_key_value": "qkv_proj",
    "in_proj": "qkv_proj",
    "out_proj": "o_proj",
    "w1": "gate_proj",
    "w2": "down_proj",
    "w3": "up_proj",
    "wqkv": "qkv_proj",
    "wo": "o_proj",
}
"""Names from remote code and older models."""


def names_like(arch: Architecture, target: str) -> tuple[str, ...]:
    """What ``target`` is called in this model: by its role in other families, else by its spelling."""
    from budgetlint.catalog.targets import module_names

    names = module_names(arch)
    wanted = {*_roles().get(target, ()), *([_REMOTE[target]] if target in _REMOTE else [])}
    parts = {part for role in wanted for part in _SPLIT.get(role, ())}
    wholes = {whole for whole, made_of in _SPLIT.items() if wanted & set(made_of)}
    found = tuple(dict.fromkeys(name for role in names if role in wanted | parts | wholes for name in names[role]))
    every = [name for group in names.values() for name in group]
    if found:
        return found
    return near_names(target, every, most=2, alike=0.7)


@cache
def _roles() -> dict[str, frozenset[str]]:
    """Last part of a module path -> its roles in any family."""
    from budgetlint.catalog.models import all_models
    from budgetlint.catalog.targets import module_names

    roles: dict[str, set[str]] = {}
    for arch in {arch.family: arch for arch in all_models()}.values():
        for role, names in module_names(arch).items():
            for name in names:
                roles.setdefault(name, set()).add(role)
    return {name: frozenset(found) for name, found in roles.items()}
