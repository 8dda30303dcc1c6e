"""``estimate``: plans to an answer. Pure, no files, no torch."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial

from budgetlint.catalog.device import Device
from budgetlint.memory import mixture, roles, rollouts
from budgetlint.memory import phases as step_phases
from budgetlint.memory.estimate import ALLOCATED_BUCKETS, Assumption, Bucket, Estimate, Phase, Range, Term, Verdict
from budgetlint.memory.families import family_of
from budgetlint.memory.host import host_bytes
from budgetlint.memory.layout import with_world
from budgetlint.memory.need import FRAGMENTATION, PPM, Totals, is_shared, totals, verdict
from budgetlint.memory.pipeline import RANK, described
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned
from budgetlint.memory.rank import misplaced, rank_plans
from budgetlint.memory.static import Trainable, trainable
from budgetlint.memory.unmodelled import TABLE
from budgetlint.record import open_record, record, replace

BASE_SPREAD = 10_000
"""What small tensors, inputs, rounding to 512 B and unsplit block remainders add (0.2 %, torch c10/core/AllocatorConfig.h), and
what kernels take inside: 1 % either way. Stated, not fitted."""


COMPILED = 400_000
"""Where the true figure of a compiled run may lie: the partitioner's cut depends on the graph (torch 2.13
_functorch/partitioners.py), so up to 40 % of the activations either way. Stated, not fitted."""

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
    if capacity is not None:
        known = (capacity.usable_low, capacity.usable_low, capacity.usable_high)
        planned = replace(planned, plans=tuple(replace(plan, totals=known) for plan in planned.plans))
    answers = [_one(plan) for plan in planned.plans]
    best = answers[0]
    allocated = _allocated(answers, open_end=_open(planned))
    if "devices" in planned.missing:
        allocated = _on_any_number(planned, allocated)
    device = capacity.device if capacity else None
    ranks = WORLDS[0] if "devices" in planned.missing else planned.plans[0].ranks
    plan = planned.plans[0]
    train = trainable(plan) if plan.parallel.on else best.train
    host = host_bytes(plan, train)
    aside, eager = rollouts.share_in(best.plan, best.peak.name), best.plan.eager_modules
    above = totals(allocated, device, ranks, set_aside=aside, host=host, eager=eager)
    judged = not set(planned.missing) - {"devices"}
    judgement = Verdict.UNKNOWN
    if capacity is not None:
        judgement = verdict(above.need, (capacity.usable_low, capacity.usable_high), capacity.reserve, judged=judged)
        if judgement is Verdict.DOES_NOT_FIT and _fits_if_short(planned, capacity):
            judgement = Verdict.TIGHT if judged and above.need.high is not None else Verdict.UNKNOWN
        if judgement is Verdict.TIGHT and "devices" in planned.missing:
            judgement = Verdict.UNKNOWN
    limit = capacity.usable_low - (capacity.reserve or 0) if capacity else None
    return Estimate(
        verdict=judgement,
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
        assumptions=(
            *planned.assumptions,
            *_rank(best.plan),
            *_sized(best.plan, capacity),
            *_shared(device),
            *_basis(plan),
            *_readings(planned),
        ),
        limit=limit,
        usable_low=capacity.usable_low if capacity else None,
        usable_high=capacity.usable_high if capacity else None,
        static_bytes=best.static,
        activation_allowance=None if limit is None else limit - best.static - _outside(plan, above),
        tokens_that_fit=_tokens_that_fit(plan, above, limit),
        devices_needed=_devices_needed(planned, capacity),
        plan=best.plan,
    )


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
    short = tuple(_shortest(plan) for plan in planned.plans)
    return estimate(replace(planned, plans=short), capacity).verdict is not Verdict.DOES_NOT_FIT


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
    return _answer(rollouts.sized(plan, answer.phases, partial(_ends, plan))) if rollouts.unsized(plan) else answer


def _answer(plan: Plan) -> _Answer:
    step = step_phases.step_of(plan)
    moments = step_phases.phases(step)
    static = sum(term.bytes for term in step.resting if term.bucket in (Bucket.WEIGHTS, Bucket.OPTIMIZER)) + step.gradients.bytes
    return _Answer(plan, step.train, moments, static, mixture.uneven(plan, step.layer) + misplaced(plan, step.layer))


OPEN = (
    frozenset(
        {
            "micro_batch",
            "seq_len",
            "adapter",
            "optimizer",
            "parallel",
            "rollout_engine",
            "rollout_batch",
            "rollout_memory",
            "critic_model",
            "reward_model",
        }
    )
    | frozenset(TABLE)
    | {"model"}
)
"""What leaves the high end open while it is missing."""


def _open(planned: Planned) -> bool:
    return not OPEN.isdisjoint(planned.missing)


def _allocated(answers: Iterable[_Answer], *, open_end: bool) -> Range:
    """Every reading's peak with its family's spread; the best figure is the first reading's."""
    ranges = [_range(answer) for answer in answers]
    high = None if open_end else max(r.high or 0 for r in ranges)
    return Range(ranges[0].bytes, min(r.low for r in ranges), high)


def _range(answer: _Answer) -> Range:
    plan, ends = answer.plan, [_ends(answer.plan, phase) for phase in answer.phases]
    low, high = max(0, *(end[0] for end in ends)), max(end[1] for end in ends)
    return Range(answer.peak.bytes, low // plan.model_split, high + _masked(plan) + answer.uneven)


def _ends(plan: Plan, phase: Phase) -> tuple[int, int]:
    """The least and the most that one phase can be."""
    moving, own = _moving(plan, phase), phase.bytes - rollouts.share_in(plan, phase.name)
    spread = moving * family_of(plan).spread_ppm // PPM + own * BASE_SPREAD // PPM + _buffer_spread(plan, phase)
    saving = moving * COMPILED // PPM if plan.compile else 0
    less, more = rollouts.unsure_share(plan, phase.name)
    unsure = rollouts.may_be_less(plan, phase) + roles.may_be_less(plan, phase) + less
    return phase.bytes - spread - saving - _evictable(plan, phase) - unsure, phase.bytes + spread + saving + more


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
    return (phase.buckets[Bucket.BUFFERS] - rollouts.share_in(plan, phase.name)) // 5 if sharded else 0


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
    rows = [Term(Bucket.CONTEXT, above.context.bytes, "CUDA context and libraries")] if above.context.bytes else []
    for what, part in (("the process and the system, in the same memory", above.process), ("what is offloaded stays here", above.host)):
        rows += [Term(Bucket.CONTEXT, part.bytes, what)] if part.bytes else []
    if above.communication.bytes:
        rows.append(Term(Bucket.CONTEXT, above.communication.bytes, "communicators (NCCL)"))
    rows.append(Term(Bucket.ALLOCATOR, above.fragmentation.bytes, "fragmentation that cannot be given back"))
    return tuple(rows)


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
    return max(0, seq + (limit - one - above.context.bytes - above.communication.bytes) * seq // (two - one))


def _outside(plan: Plan, above: Totals) -> int:
    """What is neither static nor activations: context, communicators, the rollout engine's share."""
    return above.context.bytes + above.process.bytes + above.host.bytes + above.communication.bytes + rollouts.share_in(plan, "backward")


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
        limit=capacity.usable_low - (capacity.reserve or 0) if capacity else None,
        usable_low=capacity.usable_low if capacity else None,
        usable_high=capacity.usable_high if capacity else None,
    )
