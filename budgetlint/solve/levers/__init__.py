"""The levers, one module for each kind of memory; `ideas` asks them all. Nothing here says what a lever brings: that is estimated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from budgetlint.solve.levers import activations, logits, optimizer, sharding, weights, workload
from budgetlint.solve.levers.idea import Idea, Situation

FAMILIES = (logits.ideas, activations.ideas, weights.ideas, optimizer.ideas, sharding.ideas, workload.ideas)

WITHOUT: Mapping[str, frozenset[str]] = {
    "litgpt": frozenset({
        "recompute full", "recompute every", "offload checkpoints", "sqrt checkpoints", "fused loss", "chunked loss", "flash attention",
        "offload optimizer",
    }),
    "torchtune": frozenset({"sqrt checkpoints", "fused loss", "flash attention", "offload optimizer"}),
    "torchtitan": frozenset({"sqrt checkpoints", "fused loss", "flash attention", "chunked loss"}),
    "megatron": frozenset({"fused loss", "chunked loss", "zero1", "zero2", "zero3", "sgd"}),
}  # fmt: skip
"""Model code -> the levers that it has no switch for: litgpt 0.5.13 finetune/lora.py (the loss is chunked already, fabric shards),
torchtune 0.6.1 recipes, torchtitan 0.2.2 config/job_config.py, megatron-core 0.14.0 (its own distributed optimizer)."""


def ideas(situation: Situation) -> Iterator[Idea]:
    """Everything that could be changed about a run, told or not by what it brings."""
    missing = WITHOUT.get(situation.plan.model_code, frozenset())
    for family in FAMILIES:
        yield from (idea for idea in family(situation) if idea.name not in missing)
