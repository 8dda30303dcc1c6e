"""Code that runs any number of times: a loop whose count is not known, a function that is handed to a package."""

from __future__ import annotations

from collections.abc import Callable

from budgetlint.program.heap import Change, Changes, Outcome, Slot
from budgetlint.program.state import Interpreter, Signal
from budgetlint.program.values import ABSENT, NONE, Items, Opaque, Value, same

_ROUNDS = 4
"""What a loop carries over is found in two rounds; a chain of names that hand on a value each round takes one more each."""


def outcomes_of(it: Interpreter, run: Callable[[], Signal], when: str) -> list[Outcome]:
    """How any number of rounds, one at least, can end. What a round finds changed by an earlier one is opaque to it."""
    carried: dict[Slot, Change] = {}
    first, doubts = len(it.sinks), len(it.doubts)
    for _ in range(_ROUNDS):
        del it.sinks[first:]
        del it.doubts[doubts:]
        found = it.way(when, lambda: _after_others(it, run, carried))
        new = _carried(found, carried)
        if not new:
            break
        carried.update(new)
    return [one._replace(signal="") if one.signal == "continue" else one for one in found]


def repeated(it: Interpreter, run: Callable[[], Signal], when: str) -> Signal:
    """Any number of rounds, none included; a break only ends them."""
    found = [one._replace(signal="") if one.signal == "break" else one for one in outcomes_of(it, run, when)]
    return it.settle([Outcome("", NONE, {}, f"not {when}" if when else ""), *found])


def _after_others(it: Interpreter, run: Callable[[], Signal], carried: Changes) -> Signal:
    for change in carried.values():
        it.heap.write(change.target, change.key, _unknown(change), change.part)
    return run()


def _unknown(change: Change) -> Value:
    why = Opaque("changed in a loop", origins=change.old.origins)
    return (
        Items((), change.old.kind, why) if isinstance(change.old, Items) and change.old is not change.new and _is_content(change) else why
    )


def _is_content(change: Change) -> bool:
    return isinstance(change.target, Items)


def _carried(found: list[Outcome], known: Changes) -> Changes:
    return {
        slot: change
        for one in found
        for slot, change in one.changes.items()
        if slot not in known and change.old is not ABSENT and not same(change.old, change.new)
    }
