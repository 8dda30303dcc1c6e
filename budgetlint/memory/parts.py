"""Parts of a step that several plans have in common, worked out once for all of them.

The plans of one check differ in little: another optimizer leaves what the layers keep as it is, another loss the weights. Each part names
the fields of a plan that it goes by, and is worked out of those alone: whoever asks for another field is refused, and the part is then
the plan's own. So a part that is shared cannot follow what its key leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from operator import itemgetter
from typing import Any, Generic, TypeVar, cast

from budgetlint.base.record import fields, open_record, record
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket, Part, Term

T = TypeVar("T")


@open_record
class Asked(Generic[T]):
    """A part that is worked out of these fields of a plan. ``shape`` goes with the architecture, ``origins`` are always there."""

    reads: tuple[str, ...]
    make: Callable[[Plan, Parts], T]

    def values(self, plan: Plan) -> dict[str, Any]:
        """Of a plan, what the part goes by."""
        return {name: getattr(plan, name) for name in self.reads}

    @cached_property
    def key(self) -> Callable[[Mapping[str, int]], tuple[int, ...]]:
        """Of the numbers of a plan's fields, those of what it goes by."""
        return itemgetter(*self.reads, "origins")

    @cached_property
    def slice(self) -> type[Plan]:
        """A plan that has these fields only."""
        others = (one.name for one in fields(Plan) if one.name not in {*self.reads, "shape", "origins"})
        return type("Slice", (PlanSlice,), dict.fromkeys(others, _Refused()))

    def of(self, plan: Plan) -> Plan:
        made = object.__new__(self.slice)
        made.__dict__.update(self.values(plan), shape=plan.shape, origins=plan.origins)
        return made


class PlanSlice(Plan):
    """Some fields of a plan."""


class NotReadHere(Exception):
    """A part asked for a field that it does not name."""


class _Refused:
    def __get__(self, plan: object, owner: object) -> object:
        raise NotReadHere


class Parts:
    """The parts of one plan and its variations, term by term."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[Plan, Any]] = {}

    def of(self, asked: Asked[T], plan: Plan) -> T:
        key = (id(asked), id(plan))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = plan, asked.make(plan, self)
        return cast("T", found[1])

    def summed(self, parts: Iterable[Part]) -> tuple[Part, ...]:
        return tuple(parts)


@record
class Lump:
    """Bytes of one bucket whose terms nobody reads."""

    bucket: Bucket
    bytes: int

    @property
    def terms(self) -> tuple[Term, ...]:
        return ()


class SharedParts(Parts):
    """The parts of one plan of many, as sums by bucket. ``shared``: those of all of them; ``numbers``: of each field's value one number
    that no other value has, by the field's name, and of the origins."""

    def __init__(self, shared: dict[tuple[int, Any], Any], plan: Plan, numbers: Mapping[str, int]) -> None:
        super().__init__()
        self._shared, self._plan, self._numbers = shared, plan, numbers

    def of(self, asked: Asked[T], plan: Plan) -> T:
        if plan is not self._plan:
            if not isinstance(plan, PlanSlice):  # a variation of it
                return asked.make(plan, self)
            asked.values(plan)  # refused where the part around it does not name them
        key = id(asked), asked.key(self._numbers)
        if key not in self._shared:
            try:
                self._shared[key] = asked.make(asked.of(plan), self)
            except NotReadHere:
                return asked.make(plan, self)
        return cast("T", self._shared[key])

    def summed(self, parts: Iterable[Part]) -> tuple[Part, ...]:
        sums: dict[Bucket, int] = {}
        for part in parts:
            sums[part.bucket] = sums.get(part.bucket, 0) + part.bytes
        return tuple([Lump(bucket, size) for bucket, size in sums.items() if size])
