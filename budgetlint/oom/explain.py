"""The answer: which tensor of a run an out-of-memory message was about, how sure that is, and what the message says beside."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.record import record
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.plan import Plan
from budgetlint.oom.log import Found
from budgetlint.oom.match import Batch, Candidate, candidates, nearest
from budgetlint.oom.remarks import remarks
from budgetlint.oom.sizes import SizeRange, tensors_behind
from budgetlint.oom.tensor import Tensor
from budgetlint.oom.tensors import tensors_of
from budgetlint.oom.traceback import Clue, clue_of
from budgetlint.rules_api.context import RunContext


@record
class Explanation:
    """``certainty``: sure (size and frames agree on one kind), likely (one of them tells it), several (kinds that are equally likely),
    guess (nothing but that some batch would make the logits so large), none. ``best`` is the likeliest, ``rivals`` one of each other
    kind that is as likely, ``same`` the names of others of its kind and size."""

    found: Found
    clue: Clue
    phase: str
    certainty: str
    best: Candidate | None = None
    rivals: tuple[Candidate, ...] = ()
    same: tuple[str, ...] = ()
    nearest: Tensor | None = None
    remarks: tuple[str, ...] = ()

    @property
    def vague(self) -> bool:
        """The allocator asks for as much for any small tensor."""
        message = self.found.message
        return message is not None and message.requested is not None and tensors_behind(message.requested).vague

    @property
    def bytes(self) -> int | None:
        """The tensor's, where its size is exact; else as quoted."""
        if self.best is not None and self.best.by_size == "exact":
            return self.best.tensor.bytes
        message = self.found.message
        return message.requested.bytes if message is not None and message.requested is not None else None


def explain(found: Found, context: RunContext | None) -> Explanation:
    """Explain the message of a log by one run; without a run, by itself."""
    clue = clue_of(found.lines)
    estimate = context.estimate if context is not None else None
    told = remarks(found, context)
    message = found.message
    if message is None or message.requested is None or context is None or context.plan is None or estimate is None:
        return Explanation(found, clue, clue.phase, "none", remarks=told)
    tensors = tensors_of(context.plan)
    span = SizeRange(clue.bytes, clue.bytes) if clue.bytes else tensors_behind(message.requested)
    ranked = candidates(tensors, span, clue, _batch(context.plan))
    if not ranked:
        return Explanation(found, clue, clue.phase, "none", nearest=nearest(tensors, span, clue), remarks=told)
    phase = clue.phase or _highest(estimate, _equal(ranked))
    best = next((one for one in _equal(ranked) if one.tensor.phase == phase), ranked[0])
    rivals, same = _of_other_kinds(best, _equal(ranked)), _same(best, ranked)
    certainty = "likely" if span.vague and not rivals else _certainty(best, rivals, clue)
    return Explanation(found, clue, phase or best.tensor.phase, certainty, best, rivals, same, remarks=told)


def _batch(plan: Plan) -> Batch:
    known = plan.batch is not None and plan.seq is not None
    return Batch(plan.tokens if known else None, plan.batch or 1)


def _equal(ranked: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    return tuple(one for one in ranked if one.score == ranked[0].score)


def _highest(estimate: Estimate, equal: Iterable[Candidate]) -> str:
    """Where no frame tells the phase: of those in which a candidate is made, the one that holds the most."""
    phases = {one.tensor.phase for one in equal}
    sizes = {phase.name: phase.bytes for phase in estimate.phases if phase.name in phases}
    return max(sizes, key=lambda name: sizes[name], default="")


def _of_other_kinds(best: Candidate, equal: Iterable[Candidate]) -> tuple[Candidate, ...]:
    kinds: dict[str, Candidate] = {}
    for one in equal:
        kinds.setdefault(one.tensor.kind, one)
    return tuple(one for kind, one in kinds.items() if kind != best.tensor.kind)


def _same(best: Candidate, ranked: Iterable[Candidate]) -> tuple[str, ...]:
    """What else has its kind and its size."""
    others = [one.tensor for one in ranked if one.tensor.kind == best.tensor.kind and one.by_size == best.by_size == "exact"]
    told = dict.fromkeys([best.tensor.what, *(tensor.what for tensor in others)])  # each name once
    return tuple(told)[1:]


FAR = 4
"""A batch so many times as long as the config allows is hardly this run's."""


def _is_far(best: Candidate) -> bool:
    tensor = best.tensor
    allowed = tensor.bytes // tensor.per_token if tensor.per_token else 0
    return tensor.phase != "eval" and 1 < allowed * FAR < best.low


def _certainty(best: Candidate, rivals: tuple[Candidate, ...], clue: Clue) -> str:
    if rivals:
        return "several"
    agrees = bool(clue.kind) and best.tensor.kind == clue.kind
    if best.by_size != "exact" and (not agrees or _is_far(best)):
        return "guess"
    return "sure" if agrees and best.by_size == "exact" else "likely"
