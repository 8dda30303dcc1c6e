"""``estimate``: plans to an answer. Pure, no files, no torch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.record import replace
from budgetlint.catalog.device import Device
from budgetlint.memory import compiled, rollouts
from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Estimate, Phase, Range, Verdict
from budgetlint.memory.host import host_bytes
from budgetlint.memory.need import FRAGMENTATION, PPM, Totals, is_shared
from budgetlint.memory.notes import Assumption
from budgetlint.memory.peak import Sums, peak_of, sum_of
from budgetlint.memory.pipeline import RANK, described, partition_words
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned
from budgetlint.memory.standing import Capacity, allocated, devices_needed, totals_above, verdict_of, with_totals
from budgetlint.memory.static import trainable
from budgetlint.memory.term import ALLOCATED_BUCKETS, Bucket, Term


def estimate(planned: Planned, capacity: Capacity | None, sums: Sums | None = None) -> Estimate:
    """The bill, the totals and the verdict of one run on one device. Without plans (unknown model) nothing is known. ``sums``: those of
    the other runs of a check."""
    if not planned.plans:
        return _nothing(planned, capacity)
    sums = Sums() if sums is None else sums
    planned = with_totals(planned, capacity)
    plan, best = planned.plans[0], peak_of(planned.plans[0])
    train = trainable(plan) if plan.parallel.on else best.train
    own, others = sum_of(best), planned.plans[1:]
    if others:  # else nothing is open, and nobody asks again
        sums.learn(plan, own)
    found, host = allocated(planned, [own, *map(sums.of, others)], sums), host_bytes(plan, train)
    above = totals_above(planned, capacity, best.plan, best.highest.name, found, host)
    return Estimate(
        verdict=verdict_of(planned, capacity, above, sums),
        missing=planned.missing if capacity else (*planned.missing, "device"),
        params=plan.shape.total,
        trainable_params=train.elements,
        peak_phase=best.highest.name,
        need=above.need,
        allocated=found,
        reserved=above.reserved,
        device_total=above.device_total,
        host=host,
        buckets=_buckets(best.phases),
        phases=best.phases,
        bill=(*best.highest.terms, *_above(above)),
        assumptions=_assumptions(planned, capacity, best.plan),
        static_bytes=best.static,
        activation_allowance=_allowance(plan, best.static, above, _limit(capacity)),
        tokens_that_fit=_tokens_that_fit(plan, above, _limit(capacity), sums),
        devices_needed=devices_needed(planned, capacity, sums),
        plan=best.plan,
        planned=planned,
        capacity=capacity,
        **_offered(capacity),
    )


def _limit(capacity: Capacity | None) -> int | None:
    return capacity.usable_low - (capacity.reserve or 0) if capacity else None


def _offered(capacity: Capacity | None) -> dict[str, Any]:
    """Fields of `Estimate`: what the device gives."""
    least, most = (capacity.usable_low, capacity.usable_high) if capacity else (None, None)
    return {"limit": _limit(capacity), "usable_low": least, "usable_high": most}


def _allowance(plan: Plan, static: int, above: Totals, limit: int | None) -> int | None:
    """What is left for activations."""
    return None if limit is None else limit - static - _beyond(above) - rollouts.share_in(plan, "backward")


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
        words = partition_words(plan.sharding)
        return (Assumption(f"{RANK} the worst rank: {words}", "shard"),) if words else ()
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
    if plan.compile and compiled.knows(plan):
        return ()
    if basis.exact:
        return ()
    return (Assumption(f"activations of {plan.arch.family}: {basis.text} (+/- {basis.spread_ppm // 10_000} %)", "model"),)


def _readings(planned: Planned) -> tuple[Assumption, ...]:
    kinds = {(plan.sharding, plan.optimizer.name) for plan in planned.plans}
    if len(planned.plans) == len(kinds):
        return ()
    return (Assumption(f"{len(planned.plans)} readings by framework version are inside the range; `stack` narrows them", "stack"),)


def _tokens_that_fit(plan: Plan, above: Totals, limit: int | None, sums: Sums) -> int | None:
    """The tokens per micro batch that the limit buys at this plan's cost per token; told where batch or length is missing."""
    if limit is None or (plan.batch is not None and plan.seq is not None):
        return None
    seq = plan.seq or 1024
    share = PPM + FRAGMENTATION[1]
    one, two = (sums.of(replace(plan, batch=batch, seq=seq)).allocated.bytes * share // PPM for batch in (1, 2))
    if two == one:
        return None
    return max(0, seq + (limit - one - _beyond(above)) * seq // (two - one))


def _beyond(above: Totals) -> int:
    """What lies beside the allocator's: context, communicators; where the host is the device, the process and what is offloaded."""
    return above.context.bytes + above.process.bytes + above.host.bytes + above.communication.bytes


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
