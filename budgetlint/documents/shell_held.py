"""What each variable of a script holds at each place: the assignments in front of that place, one after the other.

Sources: POSIX.1-2017 Shell Command Language 2.9.1, bash 5.2 manual 3.4 and 6.7 (arrays).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from budgetlint.base.record import replace
from budgetlint.documents.shell_around import Around
from budgetlint.documents.shell_assignment import Assignment, adds, by_argument, gap_before, settles
from budgetlint.documents.shell_braces import alternatives
from budgetlint.documents.shell_words import Atom, Part, Word
from budgetlint.documents.shell_work import ShellWork, cost_of

MAX_DEPTH = 12
END = 2**62
"""Behind everything."""
Lists = tuple[tuple[Atom, ...], ...]
GAP = "${...}"


class HeldVariables(ABC):
    """The variables of one script; how parts become words is for `shell_expand` to say. ``given`` comes from outside and is weaker than
    what the script sets; ``ordered`` is false where all assignments hold everywhere (make)."""

    def __init__(
        self,
        assignments: Iterable[Assignment],
        given: Mapping[str, Word],
        work: ShellWork | None = None,
        around: Around | None = None,
        *,
        ordered: bool = True,
    ) -> None:
        self._by_name: dict[str, list[Assignment]] = {}
        self._keys: dict[str, list[tuple[int, int]]] = {}
        self._count = 0
        self._given = given
        self._outside = around
        self._ordered = ordered
        self._held: dict[tuple[str, int, bool], Lists | None] = {}
        self._costs: dict[tuple[str, int, bool, bool], int] = {}
        self._open: list[str] = []
        self._work = work if work is not None else ShellWork()
        self._until: int | None = None
        self._loops: dict[str, list[tuple[int, int, bool]]] = {}
        """Of each name, the loops that change it, and whether they only put something behind it."""
        self._standing: list[tuple[int, int]] = []
        """Where the assignments stand that are being expanded."""
        self.learn(assignments)

    def learn(self, more: Iterable[Assignment]) -> None:
        """Assignments that follow. One that stands further in front (what a loop may change) is put where it stands."""
        for one in more:
            key = (one.at if self._ordered else 0, self._count)
            keys, written = self._keys.setdefault(one.name, []), self._by_name.setdefault(one.name, [])
            at = bisect_left(keys, key)
            keys.insert(at, key)
            written.insert(at, one)
            self._count += 1
        self._held.clear()
        self._costs.clear()

    def may_have_arguments(self) -> bool:
        """Is the script, or function, given arguments that are known or that nobody sees?"""
        return self._was_there("#")

    def changes(self, start: int, end: int, names: Mapping[str, bool]) -> None:
        """A loop sets these, so that none is known inside of it; true of those that it only adds to."""
        for name, grows in names.items():
            self._loops.setdefault(name, []).append((start, end, grows))

    def _in_loop(self, name: str) -> bool | None:
        """Does a loop change it that the place stands in; None where it does more than add to it?"""
        place = self._place
        found = [grows for start, end, grows in self._loops.get(name, ()) if place is not None and start <= place[0] < end]
        return bool(found) if all(found) else None

    @abstractmethod
    def _fields(self, parts: tuple[Part, ...]) -> Iterator[tuple[Atom, ...]]:
        """The words that parts come to."""

    @abstractmethod
    def _atoms(self, parts: Iterable[Part], splits: bool) -> Iterator[Atom]:
        """The pieces of one word."""

    @property
    def _place(self) -> tuple[int, int] | None:
        if not self._ordered:
            return None
        return self._standing[-1] if self._standing else None if self._until is None else (self._until, -1)

    def _seen(self, name: str) -> int:
        """How many of its assignments stand in front."""
        if name not in self._by_name:
            return 0
        place = self._place
        if place is None:
            return 0 if name in self._open else len(self._by_name[name])
        return bisect_left(self._keys[name], place)

    def _value(self, name: str) -> Lists | None:
        """The value as a list of words (one for a plain variable); None where it is not known."""
        changes = self._in_loop(name) if name in self._loops else False
        if changes is None:
            return None
        held = self._at_place(name)
        if not changes or held is None:
            return held
        gap = Atom(GAP, held[-1][-1].start if held and held[-1] else 0, known=False)
        return (*held, (gap,)) if self._is_list(name) else ((*chain.from_iterable(held), Atom(" ", gap.start, splits=True), gap),)

    def _at_place(self, name: str) -> Lists | None:
        seen = self._seen(name)
        if not seen:
            return self._outer(name)
        key = (name, seen, self._place is not None)
        if key in self._held:
            return self._held[key]
        if len(self._open) >= MAX_DEPTH:
            return None
        self._open.append(name)
        found = self._in_order(name, seen) if self._place is not None else self._anywhere(name)
        self._open.pop()
        self._held[key] = found
        return found

    def _in_order(self, name: str, seen: int) -> Lists | None:
        written = self._by_name[name]
        first = seen - 1
        has_items = any(one.is_list for one in written[:seen])
        while (
            first and not (settles(written[first]) and (written[first].is_list or not has_items)) and (name, first, True) not in self._held
        ):
            first -= 1
        value = self._held.get((name, first, True)) if first else self._outer(name)
        is_set = bool(first) or self._was_there(name)
        for at in range(first, seen):
            value, is_set = self._after(name, at, value, is_set=is_set), True
            self._held[name, at + 1, True] = value
        return value

    def _after(self, name: str, at: int, before: Lists | None, *, is_set: bool) -> Lists | None:
        """What it holds after one assignment."""
        one = self._by_name[name][at]
        if (is_set or at) and "1" not in self._given and by_argument(one):
            return before  # started without, what it held stands
        grows = adds(one)
        if one.words is None or one.key is not None or (grows and before is None and is_set):
            return None
        held = before if before is not None and is_set else ()
        if one.conditional:
            return self._unsure(one, held) if grows else None
        self._standing.append(self._keys[name][at])
        listed = self._listed(one)
        self._standing.pop()
        if not one.appends and (one.is_list or len(held) < 2):
            return listed
        if not one.appends:
            return (*listed, *held[1:])  # bash gives the new text to the first item
        is_list = any(earlier.is_list for earlier in self._by_name[name][:at]) or len(held) > 1
        if one.is_list:
            return (*held, *listed)
        return None if is_list else (tuple(chain(chain.from_iterable(held), chain.from_iterable(listed))),)

    def _unsure(self, one: Assignment, held: Lists) -> Lists:
        """``if x; then ARGS+=" --x"; fi``: what it held, and what nobody knows behind it."""
        end = one.words[0].span.start if one.words else one.at
        if held and held[-1] and held[-1][-1].text == GAP:
            return held
        unknown = (*gap_before(one, end), Atom(GAP, end, known=False))
        return (*held, unknown) if one.is_list else (tuple(chain(chain.from_iterable(held), unknown)),)

    def _anywhere(self, name: str) -> Lists | None:
        """Where nobody knows what has run: one plain assignment, and what is put behind it."""
        every = enumerate(self._by_name[name])
        placed = [(self._keys[name][at], one) for at, one in every if not at or "1" in self._given or not by_argument(one)]
        written = [one for _, one in placed]
        first, rest = written[0], written[1:]
        if self._outside is not None and adds(first) and self._outside.holds(name):
            return None
        if first.conditional or first.words is None or first.key is not None or not all(map(adds, rest)):
            return None
        if any(one.is_list for one in written) and not all(one.is_list for one in written):
            return None  # bash gives the new text to the first item
        lists: list[tuple[Atom, ...]] = []
        for key, one in placed:
            if one.conditional or (not one.appends and one is not first):
                return self._unsure(one, tuple(lists))
            self._standing.append(key)
            lists.extend(self._listed(one))
            self._standing.pop()
        return tuple(lists) if first.is_list else (tuple(chain.from_iterable(lists)),)

    def _listed(self, one: Assignment) -> Lists:
        found: list[tuple[Atom, ...]] = []
        for raw in one.words or ():
            if one.is_list:
                ways = alternatives(raw.parts)
                found.extend(
                    ((Atom(GAP, raw.span.start, known=False),),) if ways is None else [each for way in ways for each in self._fields(way)]
                )
            else:
                found.append(tuple(unsplit(self._atoms(raw.parts, splits=False))))
        return tuple(found)

    def _outer(self, name: str) -> Lists | None:
        if name[:1] in ("@", "*") and "#" in self._given:
            first, count = int(name[1:] or 0) + 1, int(self._given["#"].text)
            return tuple(self._given[str(number)].atoms for number in range(first, count + 1))
        if name[:1] == "#" and name[1:] and "#" in self._given:
            left = str(max(0, int(self._given["#"].text) - int(name[1:])))
            return ((Atom(left, 0, known=False, told=True),),)
        word = self._given.get(name)
        if word is not None:
            return (word.atoms,)
        return self._outside.lists(name) if self._outside is not None else None

    def _is_there(self, name: str) -> bool:
        """May the name be set here?"""
        return self._seen(name) > 0 or self._was_there(name) or (name in self._loops and self._in_loop(name) is not False)

    def _was_there(self, name: str) -> bool:
        """May it have been set before the script began: ``X=${X:-1}``?"""
        return name in self._given or (self._outside is not None and self._outside.holds(name))

    def _is_list(self, name: str) -> bool:
        own = self._by_name.get(name)
        if own is None and name not in self._given and self._outside is not None:
            return self._outside.expander._is_list(name)
        return any(one.is_list for one in own or ())

    def _affords(self, name: str, lists: Lists, at: int, *, apart: bool) -> bool:
        key = (name, self._seen(name), self._place is not None, apart)
        if key not in self._costs:
            self._costs[key] = cost_of(chain.from_iterable(lists), apart=apart)
        return self._work.expands(self._costs[key], at)

    def assigns(self, name: str) -> bool:
        """Does the script give it a value at all, known or not?"""
        return name in self._by_name

    @property
    def names(self) -> frozenset[str]:
        """What the script itself sets."""
        return frozenset(self._by_name)

    def holds(self, name: str, until: int | None) -> bool:
        """May the name be set in front of this place?"""
        if self._was_there(name):
            return True
        loops = self._loops.get(name, ())
        is_changed = any(until is None or start <= until < end for start, end, _ in loops)
        return is_changed or any(until is None or one.at <= until for one in self._by_name.get(name, ()))

    def held(self, name: str, until: int | None) -> Lists | None:
        """What a name holds in front of this place; None where that is not known."""
        before, standing = self._until, self._standing
        self._until, self._standing = until, []
        lists = self._value(name) if self._is_there(name) else None
        known = lists if lists is None or self._affords(name, lists, 0, apart=False) else None
        self._until, self._standing = before, standing
        return known


def unsplit(atoms: Iterable[Atom]) -> Iterator[Atom]:
    return (replace(atom, splits=False) if atom.splits else atom for atom in atoms)
