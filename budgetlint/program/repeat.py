"""Code that runs any number of times: a loop whose count is not known, a function that is handed to a package."""

from __future__ import annotations

import ast
from collections.abc import Callable

from budgetlint.program.choices import choice, same
from budgetlint.program.heap import Change, Changes, Home, Outcome, Slot, Target, perhaps_absent, read
from budgetlint.program.objects import Object
from budgetlint.program.state import Interpreter, Signal
from budgetlint.program.values import ABSENT, BIRTHS, NONE, Items, Map, Names, Opaque, Value, Way

_ROUNDS = 4
"""What a loop carries over is found in two rounds; a chain of names that hand on a value each round takes one more each."""


def outcomes_of(
    it: Interpreter, run: Callable[[], Signal], when: str, node: ast.AST | None = None, names: Names | None = None
) -> list[Outcome]:
    """How any number of rounds, one at least, can end. What a round finds changed by an earlier one is opaque to it.

    ``node`` and ``names``: the loop and the names of its body. What it carried over when it was met before, it is taken to carry again: a
    loop in a loop in a loop is else followed twice as often for each.
    """
    carried: dict[Slot, Change] = _expected(it, node, names)
    start = next(BIRTHS)
    first, doubts = len(it.sinks), len(it.doubts)
    for _ in range(_ROUNDS):
        del it.sinks[first:]
        del it.doubts[doubts:]
        found = it.way(when, lambda: _after_others(it, run, carried))
        new = _carried(found, carried, start)
        if not new:
            break
        carried.update(new)
        _learn(it, node, names, new)
    return [one._replace(signal="") if one.signal == "continue" else one for one in found]


def _expected(it: Interpreter, node: ast.AST | None, names: Names | None) -> dict[Slot, Change]:
    found: dict[Slot, Change] = {}
    for home, part, key in it.carried.get(id(node), {}).values() if node is not None else ():
        at = _at(home, names)
        old = read(at, key, part) if at is not None else ABSENT
        if at is not None and (old is not ABSENT or not isinstance(at, Names)):
            found[(id(at), part, key)] = Change(at, part, key, old, old)
    return found


def _at(home: Home, names: Names | None) -> Target | None:
    """The names of the body, what one of them holds, or an object that stays the same."""
    if home is None or names is None:
        return names
    if not isinstance(home, str):
        return home
    held = names.bound.get(home)
    return held if isinstance(held, Items | Map | Object) else None


def _learn(it: Interpreter, node: ast.AST | None, names: Names | None, new: Changes) -> None:
    if node is None:
        return
    kept = it.carried.setdefault(id(node), {})
    held = {id(value): str(name) for name, value in names.bound.items()} if names is not None else {}
    for change in new.values():
        home: Home = None if change.target is names else held.get(id(change.target), change.target)
        mark = home if home is None or isinstance(home, str) else id(home)
        kept[(mark, change.part, change.key)] = (home, change.part, change.key)


def repeated(it: Interpreter, run: Callable[[], Signal], when: str, node: ast.AST | None = None, names: Names | None = None) -> Signal:
    """Any number of rounds, none included; a break only ends them."""
    found = [one._replace(signal="") if one.signal == "break" else one for one in outcomes_of(it, run, when, node, names)]
    return it.settle([Outcome("", NONE, {}, f"not {when}" if when else ""), *found])


def _after_others(it: Interpreter, run: Callable[[], Signal], carried: Changes) -> Signal:
    for change in carried.values():
        it.heap.write(change.target, change.key, _unknown(change), change.part)
    return run()


def _unknown(change: Change) -> Value:
    why = Opaque("changed in a loop", origins=change.old.origins)
    if isinstance(change.target, Items) and isinstance(change.old, Items):
        return Items((), change.old.kind, why)
    return choice([Way("", why), Way("", ABSENT)]) if perhaps_absent(change.old) else why


def _carried(found: list[Outcome], known: Changes, start: int) -> Changes:
    """What one round leaves to the next. A name that a round binds first is none: the next round binds it too."""
    return {
        slot: change
        for one in found
        if one.signal in ("", "continue")
        for slot, change in one.changes.items()
        if slot not in known and _is_old(change, start) and not same(change.old, change.new)
    }


def _is_old(change: Change, start: int) -> bool:
    """Whether what was changed was there before the loop."""
    if isinstance(change.target, Items | Map | Object):
        return change.target.born < start
    return change.old is not ABSENT
