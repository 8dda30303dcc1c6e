"""Which linears an adapter's target names mean, as PEFT matches them, and which names match nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger import linears, outer_linears, weight_tensors
from budgetlint.catalog.tensor import BlockLinear

ALL_LINEAR = frozenset({"all-linear", "all"})
"""``all-linear`` (PEFT tuners_utils.py) and ``all`` (LLaMA-Factory): every linear but the output embedding."""

ROLES = {
    "attention": ("q_proj", "k_proj", "v_proj", "qkv_proj", "o_proj", "q_a_proj", "q_b_proj", "kv_a_proj", "kv_b_proj"),
    "mlp": ("gate_proj", "up_proj", "down_proj", "gate_up_proj"),
    "experts": ("expert_gate_proj", "expert_up_proj", "expert_down_proj", "expert_gate_up_proj"),
}
"""Words that budgets use for groups of roles; a module of that very name wins."""

_REGEX = expression(r"[\\*+?|()\[\]^$]")
"""A single word with one of these is an expression, however it came (a module's name has none of them)."""

_PARAMETERS = ("expert_", "router")


def module_names(arch: Architecture) -> dict[str, tuple[str, ...]]:
    """role -> the names its modules have in the family's code, as adapters write them (``q_proj``, ``query_key_value``)."""
    names: dict[str, tuple[str, ...]] = {}
    for tensor in weight_tensors(arch):
        if tensor.kind in ("linear", "experts", "embedding", "conv"):
            names[tensor.role] = tuple(dict.fromkeys((*names.get(tensor.role, ()), tensor.leaf)))
    return names


def resolve_targets(
    arch: Architecture, targets: str | Sequence[str], fused_experts: bool = False
) -> tuple[tuple[BlockLinear, ...], tuple[str, ...]]:
    """The linears that ``targets`` adapt, and the names that match no module.

    A list matches whole last parts of module paths, a text is ``all-linear`` or a regular expression over the whole path
    (PEFT 0.21 tuners_utils.py check_target_module_exists). ``fused_experts``: expert matrices and routers are parameters,
    no linears (transformers 5.0 and newer), and cannot be targeted.
    """
    blocks = tuple(item for item in linears(arch) if _is_linear(arch, item, fused_experts))
    if isinstance(targets, str) and targets not in ALL_LINEAR:
        found = _by_pattern(arch, targets, (*blocks, *outer_linears(arch)))
        return found, () if found else (targets,)
    names = (targets,) if isinstance(targets, str) else tuple(targets)
    renamed = family_of(arch.family).new_names
    names = tuple(renamed.get(name, name) for name in names)
    if len(names) == 1 and _REGEX.search(names[0]):
        found = _by_pattern(arch, names[0], (*blocks, *outer_linears(arch)))
        return found, () if found else names
    if any(name in ALL_LINEAR for name in names):
        return blocks, tuple(name for name in names if name not in ALL_LINEAR and not _by_name(name, (*blocks, *outer_linears(arch))))
    return _by_names(names, (*blocks, *outer_linears(arch)))


def _is_linear(arch: Architecture, item: BlockLinear, fused_experts: bool) -> bool:
    fused = fused_experts or family_of(arch.family).experts_are_parameters
    return not (fused and item.role.startswith(_PARAMETERS))


def _by_names(names: Iterable[str], items: tuple[BlockLinear, ...]) -> tuple[tuple[BlockLinear, ...], tuple[str, ...]]:
    found: dict[str, BlockLinear] = {}
    missing = []
    for name in names:
        hits = _by_name(name, items) or tuple(item for item in items if item.role in ROLES.get(name, ()))
        found.update({item.module: item for item in hits})
        if not hits:
            missing.append(name)
    ordered = tuple(item for item in items if item.module in found)
    return ordered, tuple(missing)


def _by_name(name: str, items: tuple[BlockLinear, ...]) -> tuple[BlockLinear, ...]:
    """PEFT: the path is the name or ends with ``.name``; indices in the name may be any."""
    plain = re.sub(r"\b\d+\b", "*", name)
    return tuple(item for item in items if item.module == plain or item.module.endswith(f".{plain}"))


def _by_pattern(arch: Architecture, pattern: str, items: tuple[BlockLinear, ...]) -> tuple[BlockLinear, ...]:
    try:
        regex = re.compile(pattern)
    except re.error:
        return ()
    counted = ((item, sum(bool(regex.fullmatch(path)) for path in _paths(arch, item))) for item in items)
    return tuple(replace(item, layers=count) for item, count in counted if count)


def _paths(arch: Architecture, item: BlockLinear) -> Iterable[str]:
    """The real paths, one per layer; of the experts the first stands for all."""
    start = (arch.first_dense_layers or 0) if item.role.startswith((*_PARAMETERS, "shared_")) else 0
    return (item.module.replace("*", str(start + index), 1).replace("*", "0") for index in range(item.layers))
