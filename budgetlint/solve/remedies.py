"""Levers estimated: which cure the run, which help too little alone, which do nothing; and the smallest combination that fits.

Bytes are never added up: each lever, and each combination, is a changed run that is estimated as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product

from budgetlint.base.record import record
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket
from budgetlint.results.solution import Remedy, Told
from budgetlint.solve.levers.idea import Idea, Situation

NOTHING = 0.02
"""A lever that frees less than this part of the need is told as having no effect."""

TRIED = 12
"""So many combinations of the same buckets are estimated at most."""

MOST_LEVERS = 4

COMBINED = 3
"""So many combinations are told."""


@record
class Tried:
    """One lever, or several on different buckets, and what the run would then need."""

    ideas: tuple[Idea, ...]
    estimate: Estimate

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The cheapest first: levers that keep what is trained, few levers, cheap levers."""
        return any(idea.last for idea in self.ideas), len(self.ideas), sum(idea.rank for idea in self.ideas)

    @property
    def fits(self) -> bool:
        return self.estimate.verdict is Verdict.FITS


def tried(situation: Situation, ideas: Sequence[Idea]) -> Tried:
    settings = {name: value for idea in ideas for name, value in idea.settings.items()}

    def then(plan: Plan) -> Plan:
        for idea in ideas:
            plan = idea.plan(plan) if idea.plan is not None else plan
        return plan

    changed = any(idea.plan is not None for idea in ideas)
    return Tried(tuple(ideas), situation.bench.with_settings(settings, then if changed else None))


def singles(situation: Situation, ideas: Iterable[Idea]) -> list[Tried]:
    """One for each lever: of ideas with one name the first that fits, else the one that needs least."""
    by_name: dict[str, Tried] = {}
    for idea in ideas:
        before = by_name.get(idea.name)
        if before is None or not before.fits:
            one = tried(situation, (idea,))
            if before is None or one.fits or one.estimate.need.bytes < before.estimate.need.bytes:
                by_name[idea.name] = one
    return list(by_name.values())


def pairs_and_more(situation: Situation, levers: Sequence[Tried], now: Estimate) -> list[Tried]:
    """The smallest combinations that fit, of levers on different buckets that do something alone; and where all of them train an
    adapter, the smallest that does not."""
    useful = [one for one in levers if one.ideas[0].rank < LAST_RANK and not one.ideas[0].last and frees(now, one) > _least(now)]
    found = _smallest(situation, useful)
    if found and all(ADAPTERS & {idea.name for idea in one.ideas} for one in found):
        found += _smallest(situation, [one for one in useful if one.ideas[0].name not in ADAPTERS])[:1]
    return found


ADAPTERS = frozenset({"adapter", "qlora"})


def _smallest(situation: Situation, levers: Sequence[Tried]) -> list[Tried]:
    """One for each set of buckets, the cheapest first. Where there is none, a smaller micro batch is taken as something apart."""
    for apart in (False, True):
        groups = _groups(levers, apart)
        for count in range(2, min(len(groups), MOST_LEVERS) + 1):
            found = [one for names in combinations(groups, count) if (one := _of_these(situation, [groups[name] for name in names]))]
            if found:
                return sorted(found, key=lambda one: one.rank)[:COMBINED]
    return []


LAST_RANK = 60
"""Paged states and what comes after them are no part of a combination."""


def _groups(levers: Iterable[Tried], apart: bool) -> dict[str, list[Tried]]:
    """Levers by what they work on, the one that frees most first."""
    groups: dict[str, list[Tried]] = {}
    for lever in sorted(levers, key=lambda one: one.estimate.need.bytes):
        idea = lever.ideas[0]
        groups.setdefault("apart" if apart and idea.apart else idea.bucket, []).append(lever)
    return groups


def _of_these(situation: Situation, groups: Sequence[list[Tried]]) -> Tried | None:
    """The cheapest combination with one lever of each group that fits. Where the strongest levers together do not, no others are
    tried."""
    every = [chosen for chosen in product(*groups) if not _clash(chosen)]
    strongest = _together(situation, every[0]) if every else None
    if strongest is None or not strongest.fits:
        return None
    cheapest = sorted(every, key=lambda chosen: sum(one.ideas[0].rank for one in chosen))[:TRIED]
    tries = (strongest if chosen is every[0] else _together(situation, chosen) for chosen in cheapest)
    return next((one for one in tries if one.fits), strongest)


def _together(situation: Situation, chosen: Iterable[Tried]) -> Tried:
    return tried(situation, sorted((one.ideas[0] for one in chosen), key=lambda idea: idea.rank))


def _clash(chosen: Sequence[Tried]) -> bool:
    """Two levers that set one thing differently, or an optimizer that knows nothing of shards and offload."""
    seen: dict[str, object] = {}
    for one in chosen:
        for name, value in one.ideas[0].settings.items():
            if seen.setdefault(name, value) != value:
                return True
    names = {one.ideas[0].name for one in chosen}
    return "8-bit states" in names and bool(names & NOT_WITH_8_BIT)


NOT_WITH_8_BIT = {"offload optimizer", "offload all", "zero1", "zero2", "zero3", "full sharding"}


# -- what came of it --------------------------------------------------------------------------------------------------------


def frees(now: Estimate, one: Tried) -> int:
    return now.need.bytes - one.estimate.need.bytes


def _least(now: Estimate) -> int:
    return int(now.need.bytes * NOTHING)


PAGED = "paged states"
"""Frees nothing steadily, and still keeps a run from failing."""


def is_cure(now: Estimate, one: Tried, host: int | None) -> bool:
    """It fits; or it cannot be ruled out any more, and that is because of the lever. The host must hold what it is given."""
    if one.estimate.verdict is Verdict.FITS:
        better = True
    elif one.estimate.verdict is Verdict.TIGHT:
        least = -_least(now) if one.ideas[0].name == PAGED else _least(now)
        better = now.verdict is Verdict.DOES_NOT_FIT and frees(now, one) > least
    else:
        better = False
    return better and (host is None or one.estimate.host.low <= host)


def in_order(now: Estimate, found: Iterable[Tried]) -> list[Tried]:
    """By the bucket that holds most at the peak; on one bucket those that fit first, then the cheapest. What changes what is trained
    comes last, combinations last of all."""
    sizes = _sizes(now)
    return sorted(
        found,
        key=lambda one: (
            any(idea.last for idea in one.ideas), len(one.ideas) > 1, -sizes.get(one.ideas[0].bucket, 0), not one.fits, one.rank,
        ),
    )  # fmt: skip


def _sizes(now: Estimate) -> dict[str, int]:
    """Bytes at the peak by the buckets that levers name: gradients follow what the optimizer trains."""
    sums: dict[str, int] = {}
    for term in now.bill:
        name = "optimizer" if term.bucket is Bucket.GRADIENTS else term.bucket.value
        sums[name] = sums.get(name, 0) + term.bytes
    return sums


def remedy_of(now: Estimate, one: Tried) -> Remedy:
    sources = dict.fromkeys(idea.source for idea in one.ideas if idea.source)
    costs = dict.fromkeys(idea.cost for idea in one.ideas)
    more_host = one.estimate.host.bytes - now.host.bytes
    return Remedy(
        title=" + ".join(idea.title for idea in one.ideas),
        bucket=one.ideas[0].bucket,
        frees=frees(now, one),
        need=one.estimate.need.bytes,
        verdict=one.estimate.verdict,
        cost="; ".join(costs),
        source="; ".join(sources),
        settings={name: value for idea in one.ideas for name, value in idea.settings.items()},
        parts=tuple(idea.name for idea in one.ideas),
        host=max(0, more_host),
    )


OFTEN_TRIED = frozenset({
    "8-bit states", "paged states", "recompute full", "fused loss", "flash attention", "adapter", "smaller batch", "offload optimizer",
})  # fmt: skip
"""Levers that people reach for."""


def told_of(now: Estimate, one: Tried, host: int | None) -> Told | None:
    """Why a lever is no cure; None for one that does nothing, and that nobody asks for."""
    freed = frees(now, one)
    idea = one.ideas[0]
    if host is not None and one.estimate.verdict in (Verdict.FITS, Verdict.TIGHT) and one.estimate.host.low > host:
        why = "the host memory does not hold what it would keep there"
    elif one.estimate.verdict is Verdict.UNKNOWN:
        why = "what it would come to is not known here"
    elif idea.name == PAGED:
        why = "no steady saving: where memory runs out the step waits for the host instead of failing"
    elif freed <= 0:
        why = "no effect here: it frees nothing at the peak"
    elif freed <= _least(now):
        why = "no effect to speak of here"
    else:
        why = "helps, but not enough alone"
    quiet = freed <= _least(now) and idea.name not in OFTEN_TRIED
    return None if quiet else Told(idea.title, idea.bucket, freed, one.estimate.need.bytes, one.estimate.verdict, why)
