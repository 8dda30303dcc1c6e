"""What is written down beside the calls that decide memory: what was not followed, and where the program stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from budgetlint.program.places import Origin, Place
from budgetlint.program.values import Known, Value

UNKNOWN = "unknown"


class Doubt(NamedTuple):
    """Something that was done and is not followed. ``kind``: ``patch`` (a framework's own code is changed, or may be), ``touched`` (an
    unknown call was given ``about``), ``replaced`` (modules of a model are exchanged), ``unknown`` (a package's code that nobody knows was
    called for what it changes elsewhere). ``after``: the sinks that were met before."""

    kind: str
    why: str
    place: Place
    about: Value | None = None
    after: int = 0

    @property
    def is_of_all(self) -> bool:
        """Is a framework's own code changed, or may it be?"""
        return self.kind in {"patch", UNKNOWN}


class TrueText(NamedTuple):
    """A text that says no and counts as true: ``bool("False")``. ``place`` is where it is asked."""

    text: str
    origin: Origin
    place: Place


class Dropped(NamedTuple):
    """Words of the launch that a parser leaves, and the call that leaves them (``parse_known_args``)."""

    words: tuple[Value, ...]
    place: Place


class Begun(NamedTuple):
    """A flag that is only the beginning of several options: ``names`` are fields of a package's class (``kind``), of some release."""

    origin: Origin
    names: tuple[str, ...]
    kind: str


class Replaced(NamedTuple):
    """A value of a config (``old``) that the default of an option (``new``) is written over before anything asked for it."""

    key: str
    old: Value
    new: Value
    place: Place


class Watched(NamedTuple):
    """A call of a package that rules ask about. ``sure``: it is made whatever holds."""

    name: str
    arguments: Mapping[str, Value]
    place: Place
    sure: bool


class Slips:
    """What is written down for rules alone."""

    __slots__ = ("begun", "dropped", "replaced", "watched")

    def __init__(self) -> None:
        self.dropped: list[Dropped] = []
        self.begun: list[Begun] = []
        self.replaced: list[Replaced] = []
        self.watched: list[Watched] = []


class AskedWord(NamedTuple):
    """A word of a config or a flag, and the program's own that it is compared with, first at ``place``."""

    text: str
    origin: Origin
    place: Place
    words: set[str]


class Schedule(NamedTuple):
    """A schedule that a loop of the program's own makes: its warm-up and its length in steps."""

    warmup: Known
    total: Known
    place: Place


class Refusal(NamedTuple):
    """A condition that is known to hold and ends the way in an error. ``because``: where its values come from.

    ``kind``: ``stops`` (a condition of the program), ``required`` (an option that is not given), ``unrecognized`` (a flag that no option
    takes, then ``names`` are the options that there are; ``unfamiliar`` where a package's class may have it in another release), ``words``
    (other words that no option takes), ``value`` (one that an option does not take), ``lacks`` and ``unexpected`` (of `misfits`, then
    ``names`` is the key that was most likely meant). ``sure``: no condition or handler is around, and all that it hangs on has a place.
    ``after``: the sinks that were met before.
    """

    place: Place
    condition: str
    because: tuple[Origin, ...]
    kind: str = "stops"
    names: tuple[str, ...] = ()
    sure: bool = True
    after: int = 0
