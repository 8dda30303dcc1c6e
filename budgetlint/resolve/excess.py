"""What fills the card in the readings that do not fit: whatever the verdict depends on, the cause can be told."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

from budgetlint.base.record import replace
from budgetlint.memory import rollouts
from budgetlint.memory.estimate import Excess, Verdict
from budgetlint.memory.peak import Sums, peak_of
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.memory.planner import Planned
from budgetlint.memory.standing import Capacity, standing, with_totals
from budgetlint.memory.term import Bucket
from budgetlint.resolve.axes import Answer, Asking, AxisChoice, open_settings
from budgetlint.resolve.fork_table import JointReading, Table

OVER = (Verdict.DOES_NOT_FIT, Verdict.TIGHT, Verdict.UNKNOWN)
HALF = 2
"""A bucket is the cause where it is at least this part of the need."""


def excess_of(table: Table, capacity: Capacity, sums: Sums) -> Excess | None:
    """Of the reading that needs least among those that do not fit; where there is none, of those that are too close, or that are open and
    by their best figure too large."""
    for verdict in OVER:
        found = [one for one in table.cells.values() if one.verdict is verdict and one.answer.planned.plans]
        if verdict is Verdict.UNKNOWN:
            found = [one for one in found if one.need.bytes > capacity.usable_high]
        if found:
            return _told(min(found, key=lambda one: one.need.bytes), capacity, sums)
    return None


PLAIN = {"adapter": "none", "quant": "none", "optimizer": "adamw"}
"""What a run does that asks for nothing else: `TrainingArguments.optim` is AdamW in every release (transformers 4.40 and 5.24
``training_args.py``), and a model that nobody quantizes or puts adapters on trains whole."""


MOST_OTHERS = 8
"""So many readings of what else is open are asked for."""


def plain_excess(first: Answer, asking: Asking, capacity: Capacity) -> Excess | None:
    """Of the run without an adapter, where whether it has one is open, and it does not fit whatever else is open."""
    axes = {axis.name: axis.choices for axis in open_settings(first.settings)}
    chosen = {name: one for name, choices in axes.items() for one in choices if one.value == PLAIN.get(name)}
    others = {name: choices for name, choices in axes.items() if name not in PLAIN}
    if "adapter" not in chosen or not PLAIN.keys() & axes.keys() <= chosen.keys() or prod(map(len, others.values())) > MOST_OTHERS:
        return None
    cheapest: Answer | None = None
    for choices in product(*others.values()):
        answer = asking.answer({**chosen, **dict(zip(others, choices, strict=True))})
        if answer.standing.verdict is not Verdict.DOES_NOT_FIT or not answer.planned.plans:
            return None
        if cheapest is None or answer.standing.need.low < cheapest.standing.need.low:
            cheapest = answer
    return replace(_told_plainly(cheapest, capacity, asking.sums), plainly=_words(chosen)) if cheapest is not None else None


def _told_plainly(answer: Answer, capacity: Capacity, sums: Sums) -> Excess:
    least = min(answer.planned.plans, key=lambda plan: sums.of(plan).allocated.low)
    alone = replace(answer, planned=replace(answer.planned, plans=(least,)))
    return _told(JointReading(answer.standing.need, Verdict.DOES_NOT_FIT, alone), capacity, sums)


def _words(chosen: Mapping[str, AxisChoice]) -> str:
    return ", ".join(f"{name} {PLAIN[name]}" for name in PLAIN if name in chosen)


def _told(one: JointReading, capacity: Capacity, sums: Sums) -> Excess:
    plan = with_totals(one.answer.planned, capacity).plans[0]
    phase = peak_of(plan).highest
    held, share = phase.buckets, rollouts.share_in(plan, phase.name)
    largest = tuple(sorted(((bucket, size) for bucket, size in held.items() if size > 0), key=lambda pair: -pair[1]))
    again = _checkpointed(plan, held[Bucket.ACTIVATIONS], one, capacity, sums)
    engine = plan.rollout.engine if plan.rollout is not None and share else ""
    return Excess(one.verdict, one.need, largest, plan.sharding, again, engine=engine, share=share)


def _checkpointed(plan: Plan, activations: int, one: JointReading, capacity: Capacity, sums: Sums) -> int | None:
    """What it would need with every layer made again, where nothing is and that is most of it."""
    if plan.recompute.kind != "none" or activations * HALF < one.need.bytes:
        return None
    again = Planned((replace(plan, recompute=Recompute("full")),), (), ())
    return standing(again, capacity, sums).need.bytes
