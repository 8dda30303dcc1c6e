"""``estimate``: plans to an answer. Pure, no files, no torch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from budgetlint.catalog.device import Device
from budgetlint.memory import phases as step_phases
from budgetlint.memory.estimate import ALLOCATED_BUCKETS, Assumption, Bucket, Estimate, Phase, Range, Term, Verdict
from budgetlint.memory.families import family_of
from budgetlint.memory.host import host_bytes
from budgetlint.memory.layout import with_world
from budgetlint.memory.need import FRAGMENTATION, PPM, Totals, totals, verdict
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned
from budgetlint.memory.static import Trainable

BASE_SPREAD = 10_000
"""What small tensors, inputs, rounding to 512 B and unsplit block remainders add (0.2 %, torch c10/core/AllocatorConfig.h), and
what kernels take inside: 1 % either way. Stated, not fitted."""


COMPILED = 400_000
"""Where the true figure of a compiled run may lie: the partitioner's cut depends on the graph (torch 2.13
_functorch/partitioners.py), so up to 40 % of the activations either way. Stated, not fitted."""

WORLDS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
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
    answers = [_one(plan) for plan in planned.plans]
    best = answers[0]
    allocated = _allocated(answers, open_end=_open(planned))
    if "devices" in planned.missing:
        allocated = _on_any_number(planned, allocated)
    device = capacity.device if capacity else None
    above = totals(allocated, device, WORLDS[0] if "devices" in planned.missing else planned.plans[0].sharding.world)
    judged = not set(planned.missing) - {"devices"}
    judgement = Verdict.UNKNOWN
    if capacity is not None:
        judgement = verdict(above.need, (capacity.usable_low, capacity.usable_high), capacity.reserve, judged=judged)
        if judgement is Verdict.DOES_NOT_FIT and _fits_if_short(planned, capacity):
            judgement = Verdict.TIGHT if judged and above.need.high is not None else Verdict.UNKNOWN
        if judgement is Verdict.TIGHT and "devices" in planned.missing:
            judgement = Verdict.UNKNOWN
    limit = capacity.usable_low - (capacity.reserve or 0) if capacity else None
    plan = planned.plans[0]
    return Estimate(
        verdict=judgement,
        missing=planned.missing if capacity else (*planned.missing, "device"),
        params=plan.shape.total,
        trainable_params=best.train.elements,
        peak_phase=best.peak.name,
        need=above.need,
        allocated=allocated,
        reserved=above.reserved,
        device_total=above.device_total,
        host=host_bytes(plan, best.train),
        buckets=_buckets(best.phases),
        phases=best.phases,
        bill=(*best.peak.terms, *_above(above)),
        assumptions=(*planned.assumptions, *_basis(plan), *_readings(planned)),
        limit=limit,
        usable_low=capacity.usable_low if capacity else None,
        usable_high=capacity.usable_high if capacity else None,
        static_bytes=best.static,
        activation_allowance=None if limit is None else limit - best.static - above.context.bytes - above.communication.bytes,
        tokens_that_fit=_tokens_that_fit(plan, above, limit),
        devices_needed=_devices_needed(planned, capacity),
    )


def _on_any_number(planned: Planned, alone: Range) -> Range:
    """A sharded run on a number of devices that nobody states: most on one device or on two (which add the collective buffers),
    least on very many. The best figure is that of one device."""
    pair, many = ([_range(_one(with_world(plan, world))) for plan in planned.plans] for world in (WORLDS[0], WORLDS[-1]))
    high = None if alone.high is None else max(alone.high, *(one.high or 0 for one in pair))
    return Range(alone.bytes, min(alone.low, *(one.low for one in many)), high)


def _fits_if_short(planned: Planned, capacity: Capacity) -> bool:
    """The length is only where a default cuts, and shorter samples may fit: nobody here has seen the data."""
    if not any(plan.cutoff for plan in planned.plans):
        return False
    short = tuple(replace(plan, seq=1, cutoff=False) for plan in planned.plans)
    return estimate(replace(planned, plans=short), capacity).verdict is not Verdict.DOES_NOT_FIT


@dataclass(frozen=True)
class _Answer:
    plan: Plan
    train: Trainable
    phases: tuple[Phase, ...]
    static: int

    @property
    def peak(self) -> Phase:
        return max(self.phases, key=lambda phase: phase.bytes)


def _one(plan: Plan) -> _Answer:
    step = step_phases.step_of(plan)
    moments = step_phases.phases(step)
    static = sum(term.bytes for term in step.resting if term.bucket in (Bucket.WEIGHTS, Bucket.OPTIMIZER)) + step.gradients.bytes
    return _Answer(plan, step.train, moments, static)


def _open(planned: Planned) -> bool:
    return any(name in ("micro_batch", "seq_len", "adapter", "parallel", "task") for name in planned.missing)


def _allocated(answers: Iterable[_Answer], *, open_end: bool) -> Range:
    """Every reading's peak with its family's spread; the best figure is the first reading's."""
    ranges = [_range(answer) for answer in answers]
    high = None if open_end else max(r.high or 0 for r in ranges)
    return Range(ranges[0].bytes, min(r.low for r in ranges), high)


def _range(answer: _Answer) -> Range:
    family, low, high, peak = family_of(answer.plan), 0, 0, answer.peak
    for phase in answer.phases:
        moving = _moving(answer.plan, phase)
        spread = moving * family.spread_ppm // PPM + phase.bytes * BASE_SPREAD // PPM + _buffer_spread(answer.plan, phase)
        saving = moving * COMPILED // PPM if answer.plan.compile else 0
        low = max(low, phase.bytes - spread - saving - _evictable(answer.plan, phase))
        high = max(high, phase.bytes + spread + saving)
    return Range(peak.bytes, low // answer.plan.model_split, high + _masked(answer.plan))


def _moving(plan: Plan, phase: Phase) -> int:
    """What the family's spread is taken of: activations, and under model code that nobody measured the loss too (Megatron-LM
    tensor_parallel/cross_entropy.py works in place)."""
    measured = plan.model_code in ("transformers", "litgpt")
    return phase.buckets[Bucket.ACTIVATIONS] + (0 if measured else phase.buckets[Bucket.LOGITS])


def _evictable(plan: Plan, phase: Phase) -> int:
    """Paged states live in managed memory: under pressure the driver moves them to the host, slowly, instead of failing."""
    return phase.buckets[Bucket.OPTIMIZER] if plan.optimizer.paged else 0


def _buffer_spread(plan: Plan, phase: Phase) -> int:
    """Collective buffers depend on the moment of overlap: a fifth either way."""
    sharded = plan.sharding.kind not in ("none",)
    return phase.buckets[Bucket.BUFFERS] // 5 if sharded else 0


def _masked(plan: Plan) -> int:
    """A batch of several unpacked sequences may be padded: the mask turns flash attention off and is kept per layer."""
    if plan.attention != "flash" or (plan.batch or 1) == 1 or plan.origins.get("packing") or plan.origins.get("attention"):
        return 0
    layers = 1 if plan.recompute.on else plan.shape.layers
    arch, size = plan.arch, plan.precision.compute
    return layers * plan.tokens * (size * plan.length + 2 * size * (arch.q_width - arch.kv_width))


def _buckets(phases: Iterable[Phase]) -> dict[Bucket, int]:
    sums = [phase.buckets for phase in phases]
    return {bucket: max(one[bucket] for one in sums) for bucket in ALLOCATED_BUCKETS}


def _above(above: Totals) -> tuple[Term, ...]:
    rows = [Term(Bucket.CONTEXT, above.context.bytes, "CUDA context and libraries")]
    if above.communication.bytes:
        rows.append(Term(Bucket.CONTEXT, above.communication.bytes, "communicators (NCCL)"))
    rows.append(Term(Bucket.ALLOCATOR, above.fragmentation.bytes, "fragmentation that cannot be given back"))
    return tuple(rows)


def _basis(plan: Plan) -> tuple[Assumption, ...]:
    family = family_of(plan)
    if family.exact:
        return ()
    return (Assumption(f"activations of {plan.arch.family}: {family.basis} (+/- {family.spread_ppm // 10_000} %)", "model"),)


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
    outside = above.context.bytes + above.communication.bytes
    return max(0, seq + (limit - one - outside) * seq // (two - one))


def _devices_needed(planned: Planned, capacity: Capacity | None) -> int | None:
    """From how many devices on a sharded run of unknown size fits; None when its size is known, or no size helps."""
    if capacity is None or "devices" not in planned.missing or set(planned.missing) - {"devices"}:
        return None
    for world in (1, *WORLDS):
        plans = tuple(with_world(plan, world) for plan in planned.plans)
        tried = replace(planned, plans=plans, missing=())
        if estimate(tried, replace(capacity, ranks=world)).verdict is Verdict.FITS:
            return world
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
        limit=capacity.usable_low - (capacity.reserve or 0) if capacity else None,
        usable_low=capacity.usable_low if capacity else None,
        usable_high=capacity.usable_high if capacity else None,
    )
