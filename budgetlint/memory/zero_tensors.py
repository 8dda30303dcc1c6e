"""A model's tensors in the order in which DeepSpeed meets them: its forward, module by module, and the flat order of what trains."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from budgetlint.base.record import record
from budgetlint.catalog import ledger
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.tensor import WeightTensor
from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable

READS_THE_INPUT = frozenset({"q_proj", "k_proj", "v_proj", "qkv_proj", "q_a_proj", "kv_a_proj"})
"""Linears that read a layer's input: in the first layer nothing runs back through them where nothing before them trains."""

MLP, OUT, IN = "mlp", "out", "in"
"""The parts of a layer in the order of its backward: the MLP, what reads the attention's output, what makes its queries, keys, values."""

INTO_ATTENTION = READS_THE_INPUT | {"q_b_proj", "kv_b_proj"}


def part_of(role: str) -> str:
    return OUT if role == "o_proj" else IN if role in INTO_ATTENTION else MLP


@record
class Module:
    """Elements of each of a module's own tensors; none of one that only holds others, which DeepSpeed's hooks visit too."""

    role: str
    tensors: tuple[int, ...] = ()


@record
class Unit:
    """``front`` (tables), a ``layer``, what is behind the layers (``end``), the ``head``."""

    place: str
    modules: tuple[Module, ...]


@lru_cache(maxsize=128)
def units_of(arch: Architecture) -> tuple[Unit, ...]:
    """The model as its forward visits it. The ledger names the norms of a layer behind its linears; they are small."""
    before: list[WeightTensor] = []
    layered: dict[str, list[WeightTensor]] = {}
    behind: list[WeightTensor] = []
    for tensor in ledger.weight_tensors(arch):
        if tensor.layers:
            layered.setdefault(tensor.where, []).append(tensor)
        else:
            (behind if layered else before).append(tensor)
    found = [Unit("front", _modules(before))]
    for tensors in layered.values():
        count = max(tensor.layers for tensor in tensors)
        each = ([one for one in tensors if _stands_in(one, index, count, arch)] for index in range(count))
        found.extend(Unit("layer", _modules(own)) for own in each)
    heads = [tensor for tensor in behind if tensor.where == "head"]
    found.append(Unit("end", _modules([tensor for tensor in behind if tensor.where != "head"])))
    found.append(Unit("head", _modules(heads)))
    return tuple(found)


def _stands_in(tensor: WeightTensor, index: int, count: int, arch: Architecture) -> bool:
    """A mixture's dense layers are its first; whatever else stands in some layers only is taken to be in the last."""
    if tensor.layers == (arch.first_dense_layers or 0) and tensor.layers < count:
        return index < tensor.layers
    return index >= count - tensor.layers


def _modules(tensors: list[WeightTensor]) -> tuple[Module, ...]:
    """Modules with what holds them in front of each: ``layers.0``, ``self_attn``, ``q_proj`` …; experts are one."""
    seen: set[str] = set()
    found: list[Module] = []
    where: dict[str, int] = {}
    for tensor in tensors:
        if tensor.module in where:  # a bias
            at = where[tensor.module]
            found[at] = Module(found[at].role, (*found[at].tensors, *[tensor.numel] * tensor.per_layer))
            continue
        parts = tensor.module.split(".")
        start = parts.index("*") + 1 if "*" in parts else len(parts)
        for end in range(start, len(parts)):
            if (holder := ".".join(parts[:end])) not in seen:
                seen.add(holder)
                found.append(Module("holder"))
        where[tensor.module] = len(found)
        found.append(Module(tensor.role, tuple([tensor.numel] * tensor.per_layer)))
    return tuple(found)


def parts_of(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """The part of its layer that each tensor of `trained` is of; all of a layer's adapters count as the MLP's."""
    if plan.adapter is not None:
        return ()
    return tuple([tuple([part_of(one.role) for one in unit.modules for _ in one.tensors]) for unit in units_of(plan.shape.arch)])


def trained(plan: Plan, train: Trainable) -> tuple[tuple[int, ...], ...]:
    """Elements of what trains, unit by unit as `units_of` has them, in the flat order (``Module.parameters()``)."""
    units = units_of(plan.shape.arch)
    if plan.adapter is not None:
        return tuple(_adapters(plan, train, len(units)))
    whole = [[count for module in unit.modules for count in module.tensors] for unit in units]
    total = sum(map(sum, whole))
    if total == train.elements or not total:
        return tuple(map(tuple, whole))
    return tuple([tuple([count * train.elements // total for count in unit]) for unit in whole])  # a rank's part, frozen towers


def _adapters(plan: Plan, train: Trainable, units: int) -> Iterator[tuple[int, ...]]:
    """Factors spread over the layers; saved tables stand where they are in the model."""
    adapter, shape = plan.adapter, plan.shape
    assert adapter is not None
    saved = min(adapter.saved_modules, train.elements)
    factors = train.tensors[:-1] if saved else train.tensors
    layers = max(units - 3, 1)
    each = [rows * columns for rows, columns, count in factors for _ in range(count // layers)]
    front = min(saved, shape.embed) if saved else 0
    yield (front,) if front else ()
    yield from [tuple(each)] * (units - 3)
    rest = train.elements - saved - sum(each) * (units - 3)
    yield (rest,) if rest > 0 else ()
    yield (saved - front,) if saved > front else ()
