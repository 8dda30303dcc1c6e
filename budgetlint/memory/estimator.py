"""``estimate``: plans to an answer. Pure, no files, no torch."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from typing import Any

from budgetlint.base.record import open_record, record, replace
from budgetlint.catalog.device import Device
from budgetlint.memory import mixture, rollouts
from budgetlint.memory import phases as step_phases
from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Estimate, Phase, Range, Verdict
from budgetlint.memory.host import host_bytes
from budgetlint.memory.layout import with_world
from budgetlint.memory.need import FRAGMENTATION, PPM, Totals, is_shared, totals, verdict
from budgetlint.memory.notes import Assumption
from budgetlint.memory.pipeline import RANK, described
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned
from budgetlint.memory.rank import misplaced, rank_plans
from budgetlint.memory.spread import ends, masked
from budgetlint.memory.static import Trainable, trainable
from budgetlint.memory.term import ALLOCATED_BUCKETS, Bucket, Term
from budgetlint.memory.unmodelled import TABLE

WORLDS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@record
class Capacity:
    """What the target offers: torch's total memory (least and most seen), the reserve in bytes if one is stated."""

    usable_low: int
    usable_high: int
    reserve: int | None = None
    device: Device | None = None
    ranks: int = 1


def estimate(planned: Planned, capacity: Capacity | None) -> Estimate:
    """The bill, the totals and the verdict of one run on one device. Without plans (unknown model) nothing is known."""
    if not planned.plans:
        return _nothing(planned, capacity)
    planned = _with_totals(planned, capacity)
    plan, answers = planned.plans[0], [_one(plan) for plan in planned.plans]
    best = answers[0]
    train = trainable(plan) if plan.parallel.on else best.train
    allocated, host = _allocated(planned, answers), host_bytes(plan, train)
    above = _totals(planned, capacity, best, allocated, host)
    return Estimate(
        verdict=_verdict(planned, capacity, above),
        missing=planned.missing if capacity else (*planned.missing, "device"),
        params=plan.shape.total,
        trainable_params=train.elements,
        peak_phase=best.peak.name,
        need=above.need,
        allocated=allocated,
        reserved=above.reserved,
        device_total=above.device_total,
        host=host,
        buckets=_buckets(best.phases),
        phases=best.phases,
        bill=(*best.peak.terms, *_above(above)),
        assumptions=_assumptions(planned, capacity, best.plan),
        static_bytes=best.static,
        activation_allowance=_allowance(plan, best.static, above, _limit(capacity)),
        tokens_that_fit=_tokens_that_fit(plan, above, _limit(capacity)),
        devices_needed=_devices_needed(planned, capacity),
        plan=best.plan,
        **_offered(capacity),
    )


def _with_totals(planned: Planned, capacity: Capacity | None) -> Planned:
    """Plans that know what a rollout engine takes its share of."""
    if capacity is None:
        return planned
    known = (capacity.usable_low, capacity.usable_low, capacity.usable_high)
    return replace(planned, plans=tuple(replace(plan, totals=known) for plan in planned.plans))


def _totals(planned: Planned, capacity: Capacity | None, best: _Answer, allocated: Range, host: Range) -> Totals:
    return totals(
        allocated,
        capacity.device if capacity else None,
        WORLDS[0] if "devices" in planned.missing else planned.plans[0].ranks,
        set_aside=rollouts.share_in(best.plan, best.peak.name),
        host=host,
        eager=best.plan.eager_modules,
    )


def _verdict(planned: Planned, capacity: Capacity | None, above: Totals) -> Verdict:
    """On the need, as far as what is missing leaves one."""
    if capacity is None:
        return Verdict.UNKNOWN
    judged = not set(planned.missing) - {"devices"}
    found = verdict(above.need, (capacity.usable_low, capacity.usable_high), capacity.reserve, judged=judged)
    if found is Verdict.DOES_NOT_FIT and _fits_if_short(planned, capacity):
        found = Verdict.TIGHT if judged and above.need.high is not None else Verdict.UNKNOWN
    return Verdict.UNKNOWN if found is Verdict.TIGHT and "devices" in planned.missing else found


def _limit(capacity: Capacity | None) -> int | None:
    return capacity.usable_low - (capacity.reserve or 0) if capacity else None


def _offered(capacity: Capacity | None) -> dict[str, Any]:
    """Fields of `Estimate`: what the device gives."""
    least, most = (capacity.usable_low, capacity.usable_high) if capacity else (None, None)
    return {"limit": _limit(capacity), "usable_low": least, "usable_high": most}


def _allowance(plan: Plan, static: int, above: Totals, limit: int | None) -> int | None:
    """What is left for activations."""
    return None if limit is None else limit - static - _beyond(above) - rollouts.share_in(plan, "backward")


def _on_any_number(planned: Planned, alone: Range) -> Range:
    """A sharded run on a number of devices that nobody states: most on one device or on two (which add the collective buffers),
    least on very many. The best figure is that of one device."""
    pair, many = ([_range(_one(with_world(plan, world))) for plan in planned.plans] for world in (WORLDS[0], WORLDS[-1]))
    high = None if alone.high is None else max(alone.high, *(one.high or 0 for one in pair))
    return Range(alone.bytes, min(alone.low, *(one.low for one in many)), high)


def _fits_if_short(planned: Planned, capacity: Capacity) -> bool:
    """Shorter samples than those that the figures are for may fit, and nobody here has seen the data."""
    if not any(plan.cutoff or plan.lone for plan in planned.plans):
        return False
    return if_short(planned, capacity).verdict is not Verdict.DOES_NOT_FIT


def if_short(planned: Planned, capacity: Capacity) -> Estimate:
    """The run on the shortest samples that its length lets through."""
    return estimate(replace(planned, plans=tuple(_shortest(plan) for plan in planned.plans)), capacity)


def _shortest(plan: Plan) -> Plan:
    """A length that only a default cuts at says nothing; a written one is reached by one example, to which a padded batch pads and
    a flattened one does not."""
    if plan.cutoff:
        return replace(plan, seq=1, cutoff=False, lone=0)
    return replace(plan, batch=plan.lone, lone=0) if plan.lone else plan


@open_record
class _Answer:
    plan: Plan
    train: Trainable
    phases: tuple[Phase, ...]
    static: int
    uneven: int = 0

    @cached_property
    def peak(self) -> Phase:
        return max(self.phases, key=lambda phase: phase.bytes)


def _one(plan: Plan) -> _Answer:
    """The worst rank's."""
    answers = [_on_rank(part) for part in rank_plans(plan)]
    return max(answers, key=lambda answer: answer.peak.bytes)


def _on_rank(plan: Plan) -> _Answer:
    answer = _answer(plan)
    return _answer(rollouts.sized(plan, answer.phases, partial(ends, plan))) if rollouts.unsized(plan) else answer


def _answer(plan: Plan) -> _Answer:
    step = step_phases.step_of(plan)
    moments = step_phases.phases(step)
    static = sum(term.bytes for term in step.resting if term.bucket in (Bucket.WEIGHTS, Bucket.OPTIMIZER)) + step.gradients.bytes
    return _Answer(plan, step.train, moments, static, mixture.uneven(plan, step.layer) + misplaced(plan, step.layer))


OPEN = frozenset(TABLE) | frozenset({
    "model", "micro_batch", "seq_len", "adapter", "optimizer", "parallel", "rollout_engine", "rollout_batch", "rollout_memory",
    "critic_model", "reward_model",
})  # fmt: skip
"""What leaves the high end open while it is missing."""


def _allocated(planned: Planned, answers: Iterable[_Answer]) -> Range:
    """Every reading's peak with its family's spread; the best figure is the first reading's."""
    ranges = [_range(answer) for answer in answers]
    high = None if not OPEN.isdisjoint(planned.missing) else max(r.high or 0 for r in ranges)
    found = Range(ranges[0].bytes, min(r.low for r in ranges), high)
    return _on_any_number(planned, found) if "devices" in planned.missing else found


def _range(answer: _Answer) -> Range:
    plan, found = answer.plan, [ends(answer.plan, phase) for phase in answer.phases]
    low, high = max(0, *(end[0] for end in found)), max(end[1] for end in found)
    return Range(answer.peak.bytes, low // plan.model_split, high + masked(plan) + answer.uneven)


def _buckets(phases: Iterable[Phase]) -> dict[Bucket, int]:
    sums = [phase.buckets for phase in phases]
    return {bucket: max(one[bucket] for one in sums) for bucket in ALLOCATED_BUCKETS}


def _above(above: Totals) -> tuple[Term, ...]:
    """What lies above the tensors; none of it has a shape."""
    parts = (
        ("context.cuda", above.context),
        ("context.process", above.process),
        ("context.offloaded", above.host),
        ("context.communicators", above.communication),
    )
    rows = [Term(Bucket.CONTEXT, part.bytes, slug) for slug, part in parts if part.bytes]
    return (*rows, Term(Bucket.ALLOCATOR, above.fragmentation.bytes, "allocator.fragmentation"))


def _assumptions(planned: Planned, capacity: Capacity | None, best: Plan) -> tuple[Assumption, ...]:
    device = capacity.device if capacity else None
    beside = (*_rank(best), *_sized(best, capacity), *_shared(device), *_basis(planned.plans[0]), *_readings(planned))
    return (*planned.assumptions, *beside)


def _rank(plan: Plan) -> tuple[Assumption, ...]:
    if plan.stage is None:
        return ()
    which = "the worst rank" if plan.parallel.only is None else "the rank that is asked for"
    return (Assumption(f"{RANK} {which}: {', '.join(described(plan.stage, plan.parallel))}", "parallel"),)


def _shared(device: Device | None) -> tuple[Assumption, ...]:
    """What follows where the host is the device."""
    if not is_shared(device):
        return ()
    return (Assumption("the host's memory is the device's: offloading frees nothing, an adapter or a quantised base does", "device"),)


def _sized(plan: Plan, capacity: Capacity | None) -> tuple[Assumption, ...]:
    if capacity is not None or not rollouts.share(plan) or plan.rollout is None:
        return ()
    return (Assumption(f"{plan.rollout.engine}'s share is of the smallest device that holds the run", "rollout_memory"),)


def _basis(plan: Plan) -> tuple[Assumption, ...]:
    basis = pick(plan).basis(plan)
    if basis.exact:
        return ()
    return (Assumption(f"activations of {plan.arch.family}: {basis.text} (+/- {basis.spread_ppm // 10_000} %)", "model"),)


def _readings(planned: Planned) -> tuple[Assumption, ...]:
    kinds = {(plan.sharding, plan.optimizer.name) for plan in planned.plans}
    if len(planned.plans) == len(kinds):
        return ()
    return (Assumption(f"{len(planned.plans)} readings by framework version are inside the range; `stack` narrows them", "stack"),)


def _tokens_that_fit(plan: Plan, above: Totals, limit: int | None) -> int | None:
    """The tokens per micro batch that the limit buys at this plan's cost per token; told where batch or length is missing."""
    if limit is None or (plan.batch is not None and plan.seq is not None):
        return None
    seq = plan.seq or 1024
    share = PPM + FRAGMENTATION[1]
    one, two = (_peak_at(plan, seq, batch) * share // PPM for batch in (1, 2))
    if two == one:
        return None
    return max(0, seq + (limit - one - _beyond(above)) * seq // (two - one))


def _beyond(above: Totals) -> int:
    """What lies beside the allocator's: context, communicators; where the host is the device, the process and what is offloaded."""
    return above.context.bytes + above.process.bytes + above.host.bytes + above.communication.bytes


def _devices_needed(planned: Planned, capacity: Capacity | None) -> int | None:
    """From how many devices on a sharded run of unknown size fits; None when its size is known, or no size helps."""
    if capacity is None or "devices" not in planned.missing or set(planned.missing) - {"devices"}:
        return None
    for world in (1, *WORLDS):
        plans = tuple(with_world(plan, world) for plan in planned.plans)
        tried = replace(planned, plans=plans, missing=())
        if estimate(tried, replace(capacity, ranks=world)).verdict is Verdict.FITS:
            return world * planned.plans[0].parallel.ranks
    return None


def _peak_at(plan: Plan, seq: int, batch: int) -> int:
    return _one(replace(plan, batch=batch, seq=seq)).peak.bytes


def _nothing(planned: Planned, capacity: Capacity | None) -> Estimate:
    unknown = Range(0, 0, None)
    return Estimate(
        verdict=Verdict.UNKNOWN,
        missing=planned.missing,
        params=None,
        trainable_params=None,
        peak_phase="",
        need=unknown,
        allocated=unknown,
        reserved=unknown,
        device_total=unknown,
        host=Range(0, 0, None),
        buckets=dict.fromkeys(ALLOCATED_BUCKETS, 0),
        phases=(),
        bill=(),
        assumptions=planned.assumptions,
        **_offered(capacity),
    )
