"""The single tensors that a run allocates: every one whose size a message may quote, by kind and phase."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.memory.plan import Plan
from budgetlint.memory.rank import rank_plans
from budgetlint.oom.tensor import Tensor
from budgetlint.oom.tensors_of_layers import of_layers
from budgetlint.oom.tensors_of_logits import of_logits
from budgetlint.oom.tensors_of_shards import of_shards
from budgetlint.oom.tensors_of_weights import of_weights

SOURCES = (of_logits, of_layers, of_weights, of_shards)


def tensors_of(plan: Plan) -> tuple[Tensor, ...]:
    """Every tensor of the plan, on each rank that can be the worst; one of each size, kind and phase."""
    return tuple(_unique(tensor for part in rank_plans(plan) for source in SOURCES for tensor in source(part)))


def _unique(tensors: Iterable[Tensor]) -> Iterator[Tensor]:
    seen: set[tuple[int, str, str, str]] = set()
    for tensor in tensors:
        key = (tensor.bytes, tensor.kind, tensor.phase, tensor.what)
        if tensor.bytes > 0 and key not in seen:
            seen.add(key)
            yield tensor
