"""Sequence parallelism in torch's own tensor parallelism: norms and dropout work on a part of the positions, while linears keep the
gathered input (torch ``distributed/tensor/parallel/style.py`` ``SequenceParallel``, ``PrepareModuleInput``; torchtitan 0.2.2
``models/llama3/infra/parallelize.py``)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved

_OF_HEADS = ("q-norm.", "k-norm.", "q-latent-norm.", "kv-latent-norm.")
"""How ids of tensors begin that are no part of the stream."""


def split_stream(plan: Plan, rows: tuple[Saved, ...]) -> tuple[Saved, ...]:
    """The rows of one layer as one rank keeps them."""
    over = plan.parallel.stream_over
    if over == 1:
        return rows
    return tuple(replace(row, per_token=-(-row.per_token // over)) if _of_the_stream(row) else row for row in rows)


def _of_the_stream(row: Saved) -> bool:
    return row.part == "dropout" or (row.part == "norm" and not row.id.startswith(_OF_HEADS))
