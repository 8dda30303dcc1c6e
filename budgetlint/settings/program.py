"""What following a program shows beside its settings: where it ends, what it never reads, what it makes for nothing, whence values come."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from budgetlint.base.record import field, open_record, record
from budgetlint.base.source import Location

CONDITION, REQUIRED, UNRECOGNIZED, VALUE = "condition", "required", "unrecognized", "value"
LACKS, UNEXPECTED, UNGIVEN, FAILS = "lacks", "unexpected", "ungiven", "fails"


@record
class OriginStep:
    """One place on the way of a value. ``kind`` in words: ``flag``, ``config``, ``default of an option``, ``argument``; ``key`` and
    ``text`` as they are written there; ``location`` None for what stands nowhere."""

    kind: str
    key: str
    location: Location | None = None
    text: str = ""


@record
class ProgramRefusal:
    """The program ends before it trains. ``location`` is that in the program; ``says`` the condition, the option, the flag or the key;
    ``ends`` how it ends, in its own words; ``because`` where the values come from; ``near`` the name that was meant, empty for none.

    ``kind``: ``condition`` (one of its own holds), ``required`` (an option is not given), ``unrecognized`` (a flag that its parser does not
    take), ``value`` (one that an option does not take), ``lacks`` (a key of a config is read that is not there), ``unexpected`` (a key of
    a config, or a flag, is handed to what does not take it), ``ungiven`` (a section of a config lacks what it is handed to requires),
    ``fails`` (Python refuses a value where it arrives).
    """

    kind: str
    says: str
    location: Location
    ends: str = ""
    because: tuple[OriginStep, ...] = ()
    near: str = ""

    @property
    def at(self) -> Location:
        """What whoever starts the program would change: a flag or a key of a config, else the program's own line."""
        outside = (one.location for one in self.because if one.kind in ("flag", "config") and one.location is not None)
        return next(outside, self.location)

    @property
    def short(self) -> str:
        """In a few words, without a place."""
        called, _, name = self.says.rpartition(".")
        said = {
            CONDITION: f"'{self.says}' holds",
            REQUIRED: f"{self.says} is not given",
            UNRECOGNIZED: f"there is no option {self.says}",
            LACKS: f"{self.says} is not there",
            UNEXPECTED: f"{called} takes no {name}",
            UNGIVEN: f"{called} is given no {name}",
        }
        return said.get(self.kind, self.says)


@record
class ProgramDoubt:
    """Something that was done and is not followed: what it may have changed is unresolved."""

    why: str
    location: Location

    @property
    def says(self) -> str:
        """As an assumption of a bill has it, behind its line."""
        if self.why.startswith(_CALL):
            called, _, given = self.why.removeprefix(_CALL).partition(" was given it")
            return f"{'hands the model to' if self.why.endswith('was given it') else 'calls'} {called}{given}: what it changes is not known"
        return f"{self.why}: what that changes is not known"


_CALL = "a call of "


@record
class UnreadKey:
    """A key of a config that the program opens and never asks for; ``near`` is a key that it asks for instead; ``is_missing``: of the same
    section, which does not have that one."""

    key: str
    location: Location
    near: str = ""
    is_missing: bool = False


@record
class IdleObject:
    """An object that decides memory, and reaches nothing that trains. ``made`` is its class or function, ``trains`` what trains instead."""

    made: str
    kind: str
    location: Location
    trains: str
    trained_at: Location


@record
class MetricNotMade:
    """The name of the metric for the best checkpoint, which is none of those that the program's function gives (``made``, at
    ``made_at``); ``near`` is the one that was likely meant."""

    name: str
    location: Location
    made: tuple[str, ...]
    made_at: Location
    near: str = ""


@record
class TextTakenForTrue:
    """A text that says no and counts as true where the program asks (``asked_at``)."""

    key: str
    text: str
    location: Location
    asked_at: Location


@record
class StrangeWord:
    """A word that the program compares with its own (``words``, first at ``asked_at``) and that is none of them; ``meant`` is another
    name of the same that is."""

    key: str
    text: str
    location: Location
    asked_at: Location
    words: tuple[str, ...]
    meant: str


@record
class ScheduleMade:
    """A schedule of a loop of the program's own, made at ``made_at``: its warm-up and its length in steps, each with where it is written
    and what it is called there."""

    made_at: Location
    warmup: float
    warmup_key: str
    warmup_at: Location
    total: float
    total_key: str
    total_at: Location


@record
class ClosedFlag:
    """A flag that the program does not ask for: as a condition keeps it from that (``because``, at ``closed_at``), or at all (None)."""

    flag: str
    location: Location
    because: str = ""
    closed_at: Location | None = None


@record
class ProgramSlip:
    """Something that decides no memory and goes wrong. ``kind`` is one of `budgetlint.resolve.slips`; ``key`` the flag, the key or the name
    it is about; ``where`` the line of the program that makes it so; ``values`` what was meant and what counts; ``stands`` where the latter
    is written; ``names`` and ``owner`` fields of a package's class, and that class."""

    kind: str
    key: str
    location: Location
    where: Location | None = None
    values: tuple[str, ...] = ()
    stands: Location | None = None
    names: tuple[str, ...] = ()
    owner: str = ""


@record
class PlainCall:
    """A call of a package's class that is surely made, outside of a `try` that would catch its error. ``names`` are the arguments that are
    surely given by name, each with the place that gives it."""

    called: str
    names: tuple[tuple[str, Location], ...]


@open_record
class FollowedProgram:
    """A program that was followed to its end. ``path`` is its entry file, ``launch`` the command that starts it, None where none does.

    What costs a look at the whole program is worked out when it is asked for.
    """

    path: str
    launch: Location | None = None
    refusals: tuple[ProgramRefusal, ...] = ()
    doubts: tuple[ProgramDoubt, ...] = ()
    opened: tuple[tuple[str, Location], ...] = ()
    """Files of the project that it opens, each with the place that names it."""
    asked_for: frozenset[str] = frozenset()
    """Every path that following it looked at: its modules, what they open, and places where one would be found."""
    chain: Callable[[str], tuple[OriginStep, ...]] = field(default=lambda _key: (), repr=False)
    """The way of the value at a dotted key of the program's document (``Setting.origin.key``), its beginning first."""
    find_unread: Callable[[], tuple[UnreadKey, ...]] = field(default=tuple, repr=False)
    find_idle: Callable[[], tuple[IdleObject, ...]] = field(default=tuple, repr=False)
    find_metrics: Callable[[], tuple[MetricNotMade, ...]] = field(default=tuple, repr=False)
    find_true_texts: Callable[[], tuple[TextTakenForTrue, ...]] = field(default=tuple, repr=False)
    find_strange: Callable[[], tuple[StrangeWord, ...]] = field(default=tuple, repr=False)
    find_schedules: Callable[[], tuple[ScheduleMade, ...]] = field(default=tuple, repr=False)
    find_closed: Callable[[], tuple[ClosedFlag, ...]] = field(default=tuple, repr=False)
    find_slips: Callable[[], tuple[ProgramSlip, ...]] = field(default=tuple, repr=False)
    find_calls: Callable[[], tuple[PlainCall, ...]] = field(default=tuple, repr=False)

    @cached_property
    def unused(self) -> tuple[UnreadKey, ...]:
        """Keys of its configs that it never asks for, where all that it asks for is known."""
        return self.find_unread()

    @cached_property
    def idle(self) -> tuple[IdleObject, ...]:
        """Objects that decide memory and reach nothing that trains, where the way of what trains is known."""
        return self.find_idle()

    @cached_property
    def unmade_metrics(self) -> tuple[MetricNotMade, ...]:
        """Metrics for the best checkpoint that no evaluation gives."""
        return self.find_metrics()

    @cached_property
    def true_texts(self) -> tuple[TextTakenForTrue, ...]:
        """Texts that say no, which the program takes for true."""
        return self.find_true_texts()

    @cached_property
    def strange_words(self) -> tuple[StrangeWord, ...]:
        """Words of configs and flags that it takes for nothing, as it knows them by another name."""
        return self.find_strange()

    @cached_property
    def schedules(self) -> tuple[ScheduleMade, ...]:
        """Schedules that a loop of its own makes."""
        return self.find_schedules()

    @cached_property
    def closed_flags(self) -> tuple[ClosedFlag, ...]:
        """Flags of the launch that have no effect."""
        return self.find_closed()

    @cached_property
    def slips(self) -> tuple[ProgramSlip, ...]:
        """What goes wrong beside the memory."""
        return self.find_slips()

    @cached_property
    def calls(self) -> tuple[PlainCall, ...]:
        """Calls of the packages' argument classes, adapter configs and trainers."""
        return self.find_calls()
