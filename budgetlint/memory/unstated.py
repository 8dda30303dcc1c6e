"""Plans of one run that disagree about the device although every setting with readings and every version is fixed: what is behind it.

That is what the planner itself leaves open: how nobody's launcher shares the model, which program casts an adapter, how many images
or how long the samples are.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.memory.estimate import ForkReading, Verdict
from budgetlint.memory.peak import Sums
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned
from budgetlint.memory.standing import Capacity, Standing, standing
from budgetlint.settings.run import Settings

FIELDS = {
    "vision": "images", "seq": "seq_len", "padded": "seq_len", "adapter": "adapter", "quant": "quant_experts", "loss": "loss",
    "attention": "attention", "precision": "weights_dtype", "recompute": "recompute", "optimizer_impl": "optimizer_impl",
    "accumulation": "sync_each_batch", "completion": "completion_len", "beside": "reference_model", "rollout": "rollout_memory",
}  # fmt: skip
"""Plan field -> the setting that would say it."""


def each(planned: Planned, capacity: Capacity, sums: Sums) -> Iterator[Standing]:
    """Each plan by itself."""
    for plan in planned.plans:
        yield standing(replace(planned, plans=(plan,), missing=()), capacity, sums)


def agree(answers: list[Standing]) -> bool:
    return len({answer.verdict for answer in answers}) == 1


def unseen(planned: Planned, settings: Settings) -> tuple[str, ...]:
    """The setting that something decides which is not here, where the plans differ by it: they are then the worst and the least that a
    run may be, and no readings."""
    if _differ(planned, "sharding"):
        return ("shard",)
    if _differ(planned, "optimizer"):
        return ("freeze",) if "freeze" in settings and not settings["freeze"].known else ("optimizer",)
    return ()


def _differ(planned: Planned, field: str) -> bool:
    first, *others = planned.plans
    return any(getattr(first, field) != getattr(plan, field) for plan in others)


def by_plans(planned: Planned, answers: list[Standing]) -> tuple[str, tuple[ForkReading, ...]]:
    """The setting by which the plans differ most, and how it is with each of them: one reading for each verdict, the best figure first."""
    field = next(name for name in FIELDS if _differ(planned, name))
    kept: dict[Verdict, ForkReading] = {}
    for plan, answer in zip(planned.plans, answers, strict=True):
        kept.setdefault(answer.verdict, ForkReading((_words(field, plan),), "", answer.need, answer.verdict))
    return FIELDS[field], tuple(kept.values())


def _words(field: str, plan: Plan) -> str:
    value = getattr(plan, field)
    if field == "vision":
        return f"{value.patches:,} patches" if value is not None and value.patches else "none"
    if field == "seq":
        return f"{value:,} tokens"
    if field == "padded":
        return "padded" if value else "of one length"
    if field == "accumulation":
        return str(not value.unreduced).lower()
    if field == "adapter":
        return "none" if value is None else f"lora, its tables in {value.saved_dtype or value.dtype} B"
    return str(value).lower() if isinstance(value, (bool, str)) else type(value).__name__.lower()
