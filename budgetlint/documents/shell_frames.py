"""What stands around a command: branches, loops, functions, groups; and which of the branches run."""

from __future__ import annotations

from collections import Counter

from budgetlint.base.record import field, open_state, record
from budgetlint.base.source import Span
from budgetlint.documents.shell_assignment import Assignment
from budgetlint.documents.shell_tokens import Token
from budgetlint.documents.shell_words import RawWord

IF, LOOP, CASE, PATTERN, FUNCTION, GROUP, SUBSHELL = "if", "loop", "case", "pattern", "function", "{", "("
"""``pattern`` is the state of a ``case`` between ``in`` or ``;;`` and the ``)`` of the pattern."""
OPENING = {"if": IF, "while": LOOP, "until": LOOP, "for": LOOP, "select": LOOP, "case": PATTERN}
CLOSING = {"fi": IF, "done": LOOP, "esac": CASE, "}": GROUP}
_NOT_SURE = frozenset((LOOP, FUNCTION))


@record
class RawCommand:
    words: tuple[RawWord, ...]
    environment: tuple[Assignment, ...]
    span: Span
    later: bool = False
    """It stands in a function, and runs when that is called."""
    reads: tuple[RawWord, int] | None = None
    """The mark of a here-document and which of them it is; of a here-string its word, and -1."""
    at: int = 0
    block: int = -1
    """Which of the blocks is the outermost that it stands in."""


@open_state
class CompoundCommand:
    """A function, a ``for`` loop with the words that it goes over (none where they are not written), or a branch that only runs if whoever
    starts the script says so. ``text[start:end]`` is the body."""

    name: str
    items: tuple[RawWord, ...] | None = None
    is_loop: bool = False
    at: int = 0
    start: int = -1
    end: int = -1
    is_branch: bool = False
    shifts: int = 0
    """How many arguments are gone when it begins."""
    sets: tuple[Assignment, ...] = ()
    """What a function sets of the script's variables."""
    calls: tuple[str, ...] = ()
    """Functions that it calls."""

    @property
    def is_function(self) -> bool:
        return not (self.is_loop or self.is_branch)


@open_state
class Frame:
    """One part of what stands around. ``runs`` is None where nobody knows whether the part that is being read runs."""

    kind: str
    at: int = 0
    block: int = -1
    runs: bool | None = True
    past: bool | None = False
    """Has a branch of it run?"""
    hangs: bool = False
    """Does whoever starts the script decide which branch runs?"""
    asks: list[Token] | None = None
    """The words of the condition that is being read."""
    body: int = -1
    """Where the body begins."""
    first: int = 0
    """The first assignment of the part that is being read."""
    every: int = 0
    """The first assignment in all of it."""
    head: tuple[RawWord, ...] = ()
    """What a ``case`` is about, what a loop goes over."""
    written: str = ""
    """``while`` or ``until``; the variable of a ``for``; the arithmetic of ``for ((``."""
    condition: list[Token] = field(default_factory=list)
    """Of a ``while``."""
    sets: list[Assignment] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    """Of a function: what it sets, and which it calls."""

    @property
    def is_unsure(self) -> bool:
        return self.kind in _NOT_SURE or self.runs is None


@open_state
class Frames:
    """All of them, outermost first, and counts of what they are."""

    stack: list[Frame] = field(default_factory=list)
    inside: Counter[str] = field(default_factory=Counter)
    """How many of each kind there are."""
    unsure: int = 0
    dead: int = 0

    @property
    def top(self) -> str:
        return self.stack[-1].kind if self.stack else ""

    @property
    def last(self) -> Frame | None:
        return self.stack[-1] if self.stack else None

    def push(self, frame: Frame) -> None:
        self.stack.append(frame)
        self._count(frame, 1)

    def pop(self) -> Frame:
        frame = self.stack.pop()
        self._count(frame, -1)
        return frame

    def becomes(self, kind: str | None, runs: bool | None) -> None:
        """The innermost is now in another state."""
        frame = self.stack[-1]
        self._count(frame, -1)
        frame.kind, frame.runs = kind or frame.kind, runs
        self._count(frame, 1)

    def set_runs(self, frame: Frame, runs: bool | None) -> None:
        """It is known now whether it runs."""
        self._count(frame, -1)
        frame.runs = runs
        self._count(frame, 1)

    def _count(self, frame: Frame, by: int) -> None:
        self.inside[frame.kind] += by
        self.unsure += by * frame.is_unsure
        self.dead += by * (frame.runs is False)

    def straight(self) -> bool:
        """Is a place read once for each time that it runs: in no loop and no function?"""
        return not (self.inside[LOOP] or self.inside[FUNCTION])

    def block(self) -> int | None:
        """Which block is the outermost around a command: -1 for none, None where it stands in a part that does not run."""
        for frame in self.stack:
            if frame.block >= 0:
                return frame.block
            if frame.runs is False:
                return None
        return -1
