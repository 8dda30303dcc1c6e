"""``solve``: everything about one run, each figure an estimate, each remedy proved."""

from __future__ import annotations

from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.memory.plan import Plan
from budgetlint.results.solution import Reach, Remedy, Solution, Told
from budgetlint.rules_api.context import RunContext
from budgetlint.solve.cards import smallest_card
from budgetlint.solve.levers import ideas
from budgetlint.solve.levers.idea import Situation
from budgetlint.solve.proof import Desk, proved
from budgetlint.solve.remedies import Tried, in_order, is_cure, pairs_and_more, remedy_of, singles, told_of
from budgetlint.solve.search import fewest_devices, largest_batch, longest_seq, static_exceeds
from budgetlint.solve.whatif import Bench

EVERYTHING = frozenset({"batch", "seq", "devices", "device", "remedies"})


def solve(desk: Desk, context: RunContext, wanted: frozenset[str] = EVERYTHING) -> Solution:
    """``wanted``: which of `EVERYTHING` is asked for; the rest stays unanswered."""
    if context.plan is None or context.estimate is None:
        return Solution(context, unknown=context.estimate.missing if context.estimate else ("model",))
    bench = Bench(context, context.architecture, desk.effort)
    seq = longest_seq(bench) if wanted & {"seq", "remedies"} else Reach()
    remedies, told = _remedies(desk, bench, context.plan, context.estimate, seq.fits) if "remedies" in wanted else ((), ())
    return Solution(
        context=context,
        batch=largest_batch(bench) if "batch" in wanted else Reach(),
        seq=seq if "seq" in wanted else Reach(),
        devices=fewest_devices(bench) if "devices" in wanted else None,
        card=smallest_card(bench) if "device" in wanted else None,
        remedies=remedies,
        told=told,
        unknown=context.estimate.missing,
        sources=desk.sources,
    )


def _remedies(desk: Desk, bench: Bench, plan: Plan, now: Estimate, longest: int | None) -> tuple[tuple[Remedy, ...], tuple[Told, ...]]:
    """Only for a run that is too large, or may be; what it lacks is not known where the verdict is not."""
    if not now.may_be_too_large:
        return (), ()
    situation, host = Situation(bench, plan, longest), bench.target.host_bytes
    levers = singles(situation, ideas(situation))
    cures = [one for one in levers if is_cure(now, one, host)]
    if not any(one.fits and not one.ideas[0].last for one in cures):
        cures += [one for one in pairs_and_more(situation, levers, now) if is_cure(now, one, host)]
    remedies = [proved(desk, bench.context, now, remedy_of(now, one)) for one in in_order(now, cures)]
    kept = tuple(one for one in remedies if one.verdict in (Verdict.FITS, Verdict.TIGHT))
    return kept, tuple(_told(bench, now, levers, cures, host))


def _told(bench: Bench, now: Estimate, levers: list[Tried], cures: list[Tried], host: int | None) -> list[Told]:
    rest = sorted((one for one in levers if one not in cures), key=lambda one: -(now.need.bytes - one.estimate.need.bytes))
    found = [told for one in rest if (told := told_of(now, one, host)) is not None]
    if static_exceeds(now) and (bench.settings.value("micro_batch") or 0) > 1:
        why = "no effect: weights, gradients and optimizer alone exceed what the device gives"
        found.append(Told("a smaller micro batch", "activations", 0, now.need.bytes, now.verdict, why))
    return found + _allocator(bench, now)


def _allocator(bench: Bench, now: Estimate) -> list[Told]:
    """torch c10/cuda/CUDACachingAllocator: segments that grow are not split for good by batches of many lengths."""
    if any(bench.settings.value(name) for name in ("packing", "pad_to_seq_len")):
        return []
    why = "not counted as a cure: it keeps batches of varying length from fragmenting the pool (up to 8 % of the need)"
    return [Told("PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", "allocator", 0, now.need.bytes, now.verdict, why)]
