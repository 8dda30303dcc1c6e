"""Changes of names, containers and objects, kept so that they can be taken back and joined.

A *region* is a stretch of a program (a way of a condition, the body of a function or a loop) whose changes are known together. A region
comes to *outcomes*: it may go on, or leave by return, break or continue, each with its own state. `join` makes one state of several.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from budgetlint.program.choices import choice, same
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.values import ABSENT, Absent, Choice, Items, Key, Map, Names, Opaque, Value, Way

Target = Names | Map | Object | Class | Items
Home = Target | str | None
"""Where a loop finds what it hands on: the names of its body (None), what one of them holds (its name), an object."""
_MOST_ERRORS = 4
Slot = tuple[int, str, Key]
"""Which object, which part of it (``item``, ``rest``), which key."""


class Change(NamedTuple):
    target: Target
    part: str
    key: Key
    old: Value
    new: Value


Changes = dict[Slot, Change]


class Outcome(NamedTuple):
    """How a region can end. ``signal`` is empty where it goes on; ``value`` is that of a return, or what is raised; ``when`` in the
    program's words."""

    signal: str
    value: Value
    changes: Changes
    when: str = ""


class Region:
    """What has been changed since it began, and the ways that have left it already, each with all changes since the beginning."""

    __slots__ = ("changes", "left")

    def __init__(self) -> None:
        self.changes: Changes = {}
        self.left: list[Outcome] = []


class Heap:
    """All writes go through it; ``regions`` are those that are open, outermost first."""

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.writes = 0
        """How many there were: the work of joining ways is counted, as steps are."""

    def write(self, target: Target, key: Key, value: Value, part: str = "item") -> None:
        """Sets a name, item or attribute, ABSENT takes it away; ``part`` ``rest`` sets what stands for the unknown others."""
        self.writes += 1
        if self.regions:
            slot = (id(target), part, key)
            changes = self.regions[-1].changes
            seen = changes.get(slot)
            old = seen.old if seen is not None else read(target, key, part)
            changes[slot] = Change(target, part, key, old, value)
        _put(target, key, value, part)

    def region(self, run: Callable[[], tuple[str, Value]]) -> list[Outcome]:
        """Runs a stretch and takes all of its changes back: every way that it can end, with its changes."""
        region = Region()
        self.regions.append(region)
        try:
            signal, value = run()
        finally:
            self.regions.pop()
            for change in region.changes.values():
                _put(change.target, change.key, change.old, change.part)
        return [*region.left, Outcome(signal, value, region.changes)]

    def through(self, run: Callable[[], tuple[str, Value]], gone: Target | None) -> tuple[str, Value] | list[Outcome]:
        """Runs a stretch as `region` does; one that can end in one way only, and goes on, has its changes stay as they are.

        ``gone``: names for which nobody can ask afterwards.
        """
        region = Region()
        self.regions.append(region)
        found: tuple[str, Value] | None = None
        try:
            found = run()
        finally:
            self.regions.pop()
            if found is None or region.left or found[0] == "raise":
                for change in region.changes.values():
                    _put(change.target, change.key, change.old, change.part)
        if region.left or found[0] == "raise":
            return [*region.left, Outcome(*found, region.changes)]
        self._stay(region.changes, gone)
        return found

    def _stay(self, changes: Changes, gone: Target | None) -> None:
        """What an inner region has changed is changed in the one around it."""
        if not self.regions:
            return
        around = self.regions[-1].changes
        for slot, change in changes.items():
            if change[0] is not gone:
                self.writes += 1
                seen = around.get(slot)
                around[slot] = change if seen is None else Change(change[0], change[1], change[2], seen.old, change.new)

    def leave(self, outcome: Outcome) -> None:
        """One way leaves the open region here, by return, break or continue, while others go on.

        ``outcome.changes`` are those since now; what the region changed before belongs to that way too.
        """
        if not self.regions:
            return
        region = self.regions[-1]
        earlier = {slot: change for slot, change in region.changes.items() if slot not in outcome.changes}
        later = {
            slot: change._replace(old=region.changes[slot].old) if slot in region.changes else change
            for slot, change in outcome.changes.items()
        }
        self.writes += len(earlier)
        left = outcome._replace(changes={**earlier, **later})
        at = _like(region.left, left) if outcome.signal == "raise" else None
        if at is None:
            region.left.append(left)
        else:
            region.left[at] = self.merged(region.left[at], left)

    def merged(self, one: Outcome, other: Outcome) -> Outcome:
        """Two ways that end alike as one."""
        changes: Changes = {}
        for slot, change in {**one.changes, **other.changes}.items():
            ways = [Way(of.when, of.changes[slot].new if slot in of.changes else change.old) for of in (one, other)]
            changes[slot] = change._replace(new=_joined(ways, change.target))
        self.writes += len(changes)
        return Outcome(one.signal, choice([Way(one.when, one.value), Way(other.when, other.value)]), changes, one.when)

    def put_perhaps(self, change: Change) -> None:
        """A change that one way made and others did not; it is done already."""
        _put(change.target, change.key, _joined([Way("", change.new), Way("", change.old)], change.target), change.part)

    def join(self, outcomes: Sequence[Outcome]) -> None:
        """The state after several ways: what they left differently is a choice."""
        if len(outcomes) == 1:
            for change in outcomes[0].changes.values():
                self.write(change.target, change.key, change.new, change.part)
            return
        slots = {slot: change for one in outcomes for slot, change in one.changes.items()}
        ways = [(one.when, one.changes) for one in outcomes]
        for slot, change in slots.items():
            old = change.old
            values = [Way(when, changes[slot].new if slot in changes else old) for when, changes in ways]
            self.write(change[0], change[2], _joined(values, change[0]), change[1])


def _like(left: Sequence[Outcome], outcome: Outcome) -> int | None:
    """A way that raises the same, or any where there are many: each costs as much as all that was changed."""
    raising = [at for at, one in enumerate(left) if one.signal == "raise"]
    return next((at for at in raising if same(left[at].value, outcome.value)), raising[-1] if len(raising) >= _MOST_ERRORS else None)


def read(target: Target, key: Key, part: str = "item") -> Value:
    """What stands there now; ABSENT for nothing. A list is one value: all of its items."""
    if type(target) is Names:
        return target.bound.get(key, ABSENT)
    if isinstance(target, Items):
        return Items(target.items, target.kind, target.more)
    if part == "rest":
        rest = target.rest if isinstance(target, Map | Object) else None
        return ABSENT if rest is None else rest
    return table(target).get(key, ABSENT)


def table(target: Target) -> dict[Key, Value]:
    """The names, items or attributes of a target."""
    if isinstance(target, Names):
        return target.bound
    return target.items if isinstance(target, Map) else target.attributes if isinstance(target, Object | Class) else {}


def _put(target: Target, key: Key, value: Value, part: str) -> None:
    if type(target) is Names and value is not ABSENT:
        target.bound[key] = value
    elif isinstance(target, Items):
        assert isinstance(value, Items)  # nothing else is written to a list
        target.items, target.more = value.items, value.more
    elif part == "rest":
        if isinstance(target, Map | Object):
            target.rest = None if isinstance(value, Absent) else value
    elif isinstance(value, Absent):
        table(target).pop(key, None)
    else:
        table(target)[key] = value


def _joined(values: Sequence[Way], target: Target) -> Value:
    first = values[0].value
    if all(way.value is first for way in values):
        return first
    contents = [way.value for way in values]
    if isinstance(target, Items):
        return _joined_items([(way.when, way.value) for way in values if isinstance(way.value, Items)])
    present = [one for one in contents if one is not ABSENT]
    if len(present) < len(contents) and any(isinstance(one, Function | Class) for one in present):
        return choice(Way("", one) for one in present)  # a helper that one way defines: the other does not call it
    return choice(values)


def _joined_items(lists: Sequence[tuple[str, Items]]) -> Items:
    """Lists of different lengths have items that are perhaps there."""
    shortest = min(len(one.items) for _, one in lists)
    items = [choice(Way(when, one.items[at]) for when, one in lists) for at in range(shortest)]
    differ = any(len(one.items) > shortest for _, one in lists)
    more = (
        Opaque("a list whose length hangs on a condition") if differ else next((one.more for _, one in lists if one.more is not None), None)
    )
    return Items(items, lists[0][1].kind, more)


def perhaps_absent(value: Value) -> bool:
    """A way of it is nothing."""
    return isinstance(value, Absent) or (isinstance(value, Choice) and any(isinstance(way.value, Absent) for way in value.ways))
