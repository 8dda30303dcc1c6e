"""Whose bill it is: the rank that needs most, where tensor, pipeline, context or expert parallelism split the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.memory.estimate import Estimate
from budgetlint.memory.parallel import Stage
from budgetlint.memory.pipeline import RANK, described, micro_batches, partition_words

__all__ = ["RANK", "rank_json", "rank_line", "rank_words"]


def rank_words(estimate: Estimate) -> str:
    """``pipeline stage 0 of 4 (embedding, 10 layers, 4 micro batches in flight), 1/2 of the linears``; under ZeRO-1 and 2 the rank by
    its number; nothing where ranks hold alike."""
    plan = estimate.plan
    if plan is not None and plan.stage is None:
        return partition_words(plan.sharding)
    if plan is None or plan.stage is None:
        return ""
    words = list(described(plan.stage, plan.parallel))
    if plan.stage.of == 1:
        return ", ".join(words)
    stage, inside, shares = words[0], words[1 : 1 + _count(plan.stage)], words[1 + _count(plan.stage) :]
    return ", ".join([f"{stage} ({', '.join(inside)})", *shares])


def _count(stage: Stage) -> int:
    """Words of a stage: layers and micro batches, and whether the embedding or the head is there."""
    return 2 + stage.first + stage.last


def rank_line(estimate: Estimate) -> Iterator[str]:
    words, plan = rank_words(estimate), estimate.plan
    if words and plan is not None:
        yield f"{'worst rank' if plan.parallel.only is None else 'rank'}: {words}"


def rank_json(estimate: Estimate) -> dict[str, Any] | None:
    """``in_flight``: micro batches whose activations the stage holds at once, a fraction under interleaved schedules."""
    plan = estimate.plan
    if plan is None or plan.stage is None:
        return None
    stage, parallel = plan.stage, plan.parallel
    return {
        "stage": stage.index,
        "stages": stage.of,
        "layers": stage.layers,
        "embedding": stage.first,
        "head": stage.last,
        "in_flight": micro_batches(stage),
        "tensor": parallel.tensor,
        "context": parallel.context,
        "expert": parallel.expert,
        "params": plan.shape.total,
        "text": rank_words(estimate),
    }
