"""What a plan comes to on its worst rank; and as figures alone, each plan added up once for all runs and readings that have it.

A run of which something is open is read in many ways, and the plans of one reading are mostly those of another: a repository of sixty
configs asked for 2,560 plans, of which 900 were different.
"""

from __future__ import annotations

from functools import cached_property, partial
from operator import attrgetter
from typing import Any

from budgetlint.base.record import field, fields, open_record, record, replace, state
from budgetlint.memory import mixture, rollouts
from budgetlint.memory import phases as step_phases
from budgetlint.memory.estimate import Phase, Range
from budgetlint.memory.parts import Parts, SharedParts
from budgetlint.memory.plan import Plan
from budgetlint.memory.rank import misplaced, rank_plans
from budgetlint.memory.shape import shape_of
from budgetlint.memory.spread import ends, masked
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Bucket


@open_record
class Peak:
    """A plan, phase by phase. ``static``: bytes of weights, optimizer and gradients; ``uneven``: what another rank may have more."""

    plan: Plan
    train: Trainable
    phases: tuple[Phase, ...]
    static: int
    uneven: int = 0

    @cached_property
    def highest(self) -> Phase:
        return max(self.phases, key=lambda phase: phase.bytes)

    @property
    def range(self) -> Range:
        plan, found = self.plan, [ends(self.plan, phase) for phase in self.phases]
        low, high = max(0, *(end[0] for end in found)), max(end[1] for end in found)
        return Range(self.highest.bytes, low // plan.model_split, high + masked(plan) + self.uneven)


def peak_of(plan: Plan, shared: Parts | None = None) -> Peak:
    """The worst rank's. With ``shared`` parts it is of bytes alone."""
    answers = [_on_rank(part, shared) for part in rank_plans(plan)]
    return max(answers, key=lambda answer: answer.highest.bytes)


def _on_rank(plan: Plan, shared: Parts | None) -> Peak:
    answer = _peak(plan, shared)
    return _peak(rollouts.sized(plan, answer.phases, partial(ends, plan)), shared) if rollouts.unsized(plan) else answer


def _peak(plan: Plan, shared: Parts | None) -> Peak:
    step = step_phases.step_of(plan, shared)
    moments = step_phases.phases(step)
    lasting = (*(part for part in step.resting if part.bucket in (Bucket.WEIGHTS, Bucket.OPTIMIZER)), *step.gradients.resting)
    static = sum([part.bytes for part in lasting])
    return Peak(plan, step.train, moments, static, mixture.uneven(plan, step.layer) + misplaced(plan, step.layer))


# -- figures alone -----------------------------------------------------------------------------------------------------------


@record
class Sum:
    """The allocated bytes of a plan, and its highest phase."""

    allocated: Range
    phase: str


@state
class Sums:
    """The sums of one check."""

    known: dict[tuple[int, ...], Sum] = field(default_factory=dict)
    numbers: dict[Any, int] = field(default_factory=dict)
    parts: dict[tuple[int, Any], Any] = field(default_factory=dict)

    def of(self, plan: Plan) -> Sum:
        key = self._numbered(plan)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._worked_out(_unplaced(plan), key)
        return found

    def learn(self, plan: Plan, found: Sum) -> None:
        """Of a plan whose peak is known."""
        self.known[self._numbered(plan)] = found

    def _numbered(self, plan: Plan) -> tuple[int, ...]:
        """A number for each figure, the same for the same: each is hashed once, whatever is asked of it."""
        numbers = self.numbers
        return tuple([numbers.setdefault(one, len(numbers)) for one in figures_of(plan)])

    def _worked_out(self, plan: Plan, key: tuple[int, ...]) -> Sum:
        """Of shared parts, where the plan is of a whole model and of one stack."""
        whole = plan.stage is None and plan.shape is shape_of(plan.arch) and plan.shape.encoder is None
        parts = SharedParts(self.parts, plan, dict(zip(_NAMES, key, strict=True))) if whole and not plan.parallel.on else None
        return sum_of(peak_of(plan, parts))


def sum_of(peak: Peak) -> Sum:
    return Sum(peak.range, peak.highest.name)


ELSEWHERE = frozenset({"shape", "origins", "assumptions", "seq_is_limit"})
"""Fields of a plan that its sum does not follow: the shape is the architecture's, the others are words or ask for other plans."""

STATED = ("attention", "packing", "zero_bucket")
"""Settings by whose mere presence the arithmetic goes: it is shown no others."""

_NAMES = (*(one.name for one in fields(Plan) if one.name not in ELSEWHERE), "origins")
_FIGURES = attrgetter(*_NAMES[:-1])


def _unplaced(plan: Plan) -> Plan:
    """The plan without the settings that only say where its figures come from."""
    return replace(plan, origins={name: plan.origins[name] for name in STATED if name in plan.origins})


def figures_of(plan: Plan) -> tuple[Any, ...]:
    """All that the sum of a plan follows."""
    asked = plan.origins.get("attention")
    stated = tuple([name in plan.origins for name in STATED])
    return (*_FIGURES(plan), (stated, asked is not None and asked.value == "flash"))
