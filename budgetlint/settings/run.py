"""A run: one training job, its settings merged from every file that shapes it, each setting with its origin."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, overload

from budgetlint.base.record import field, record, replace
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.documents.node import Document
from budgetlint.documents.scalars import Loader
from budgetlint.settings.consumer import Consumer

if TYPE_CHECKING:
    from packaging.version import Version

    from budgetlint.base.finding import Because
    from budgetlint.settings.program import FollowedProgram


T = TypeVar("T")


RESERVED = "read by a script of its own"
"""The note of what a program says or decides that is not followed."""


UNSAID = "nobody says"
"""The note of what a run leaves open that only its budget describes: no framework is known to fill it in."""


class OriginKind(Enum):
    FILE = "file"
    BUDGET = "budget"
    FLAG = "flag"
    COMMAND_LINE = "command line"
    READ = "read"
    OUTSIDE = "outside"
    DEFAULT = "default"
    DERIVED = "derived"


@record
class Origin:
    """Where a setting comes from.

    FILE and BUDGET have ``source``, ``span`` (exactly the value) and the dotted ``key``, and so have READ, a key of a file that a budget
    reads, and OUTSIDE, one of settings that were handed over; DEFAULT and DERIVED have ``note`` (``transformers 5.24
    TrainingArguments.optim``), and what they follow from. A FILE origin with a ``note`` is read with a reservation: the note says which.
    """

    kind: OriginKind
    source: SourceFile | None = None
    span: Span | None = None
    key: str = ""
    note: str = ""
    key_span: Span | None = None

    @property
    def location(self) -> Location | None:
        if self.source is None or self.span is None:
            return None
        return self.source.locate(self.span)

    def __str__(self) -> str:
        at = self.location
        return str(at) if at else (self.note or self.kind.value)


SAID = frozenset((OriginKind.BUDGET, OriginKind.READ, OriginKind.OUTSIDE))
"""What is said of the run itself, wherever it stands; not what some trainer is told, and may read in its own way."""


@record
class Setting:
    """One normalised value of a run.

    ``state`` is ``known``, ``auto`` (the framework fills it in) or ``symbolic`` (``${VAR}``: nothing here can know it);
    ``text`` is the value as written. ``overrode`` are the settings of the same name that lost, strongest first. ``readings``
    are the values an ``auto`` setting can have, the newest version's first, where the framework version is not known; of a
    ``symbolic`` one, the least and the most memory that it can mean.
    """

    name: str
    value: Any
    origin: Origin
    text: str = ""
    state: str = "known"
    overrode: tuple[Setting, ...] = ()
    readings: tuple[Any, ...] = ()

    @property
    def known(self) -> bool:
        return self.state == "known"

    @property
    def is_default(self) -> bool:
        return self.origin.kind in (OriginKind.DEFAULT, OriginKind.DERIVED)

    @property
    def certainty(self) -> str:
        """How well the value is known: ``stated`` in the project, the ``default`` of a program that is known to run, ``varies`` by its
        version, or ``unresolved``: a variable, or what a program decides that is not followed."""
        if self.state == "symbolic" or (self.origin.note.startswith((RESERVED, UNSAID)) and (self.is_default or not self.known)):
            return "unresolved"
        if self.state == "auto":
            return "varies" if self.readings else "unresolved"
        return "default" if self.is_default else "stated"

    @property
    def shown(self) -> str:
        """The value as people read it: the text that was written, else the value without any of Python's own marks. A block or a list of
        a file is called what it is, and a switch that says the opposite of what it turns on (``disable_x: true``) what it comes to."""
        return _shown(self.value) if self.known and _is_negated(self.text, self.value) else self.text or _shown(self.value)

    def because(self) -> Because:
        from budgetlint.base.finding import Because  # reading a file finds nothing

        return Because(self.name, self.shown, str(self.origin), self.certainty)


def _is_negated(text: str, value: Any) -> bool:
    """``true`` that turns off, or ``false`` that turns on."""
    off = value is False or value == "none"
    return (text.lower() == "true" and off) or (text.lower() == "false" and not off and isinstance(value, (str, bool)))


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "not known", True: "true", False: "false"}[value]
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(_shown(item) for item in value)
    if isinstance(value, (str, int, float)):
        return str(value)
    return {"Mapping": "a block", "Sequence": "a list"}.get(type(value).__name__, "a value")


class Settings(Mapping[str, Setting]):
    """Settings by name. ``value`` gives the plain value, None where the setting is absent or not known."""

    def __init__(self, settings: Iterable[Setting] = ()) -> None:
        self._by_name = {setting.name: setting for setting in settings}

    def __getitem__(self, name: str) -> Setting:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    # what `Mapping` makes of the three above, each in one step: rules and planner ask settings thousands of times

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @overload
    def get(self, name: str, /) -> Setting | None: ...
    @overload
    def get(self, name: str, /, default: Setting | T) -> Setting | T: ...
    def get(self, name: str, /, default: Any = None) -> Any:
        return self._by_name.get(name, default)

    def keys(self) -> KeysView[str]:
        return self._by_name.keys()

    def values(self) -> ValuesView[Setting]:
        return self._by_name.values()

    def items(self) -> ItemsView[str, Setting]:
        return self._by_name.items()

    def value(self, name: str, default: Any = None) -> Any:
        setting = self._by_name.get(name)
        return default if setting is None or setting.state != "known" else setting.value

    def under(self, stronger: Settings) -> Settings:
        """These settings with ``stronger`` laid over them; every loser stays visible in ``overrode``."""
        merged = dict(self._by_name)
        for name, setting in stronger.items():
            merged[name] = over(setting, merged.get(name))
        return _named(merged)

    def having(self, *others: Setting) -> Settings:
        """These settings, and ``others`` in the place of those of their names."""
        return _named({**self._by_name, **{one.name: one for one in others}})

    def filled(self, defaults: Iterable[Setting]) -> Settings:
        """These settings, and each default whose name is still free."""
        merged = dict(self._by_name)
        for setting in defaults:
            merged.setdefault(setting.name, setting)
        return _named(merged)


def _named(settings: dict[str, Setting]) -> Settings:
    """Settings that stand under their names already."""
    made = Settings.__new__(Settings)
    made._by_name = settings
    return made


NO_VOCABULARY = "all sizes but the vocabulary's"
"""What ``model_custom`` says where only the rows of the vocabulary are not known."""


def over(winner: Setting, loser: Setting | None) -> Setting:
    """The winner, remembering whom it beat."""
    if loser is None:
        return winner
    return replace(winner, overrode=(*winner.overrode, replace(loser, overrode=()), *loser.overrode))


@record
class Release:
    """The version of one package in the run: exact or a range ``low <= v < high`` (either end may be open; ``closed``: ``v <= high``)."""

    package: str
    low: Version | None
    high: Version | None
    origin: Origin
    exact: bool = False
    closed: bool = False

    @property
    def said(self) -> str:
        """``5.24.0``; a bound is no version: ``>=4.40``, ``>=0.20,<1.7``."""
        if self.exact:
            return str(self.low)
        ends = ((">=", self.low), ("<=" if self.closed else "<", self.high))
        return ",".join(f"{sign}{version}" for sign, version in ends if version is not None)

    def at_least(self, version: str) -> bool | None:
        """True or False when every version in the range agrees, else None."""
        bound = _bound(version)
        if self.low is not None and self.low >= bound:
            return True
        if self.exact and self.low is not None:
            return self.low >= bound
        if self.high is not None and (self.high < bound or (self.high == bound and not self.closed)):
            return False
        return None


@lru_cache(maxsize=256)
def _bound(version: str) -> Version:
    """Of the few that the code asks about."""
    from packaging.version import Version  # reading a file asks for no version

    return Version(version)


@record
class Stack:
    """The framework versions of a run, by package name. Unknown packages answer None to every question.

    ``unanswered`` collects the questions that got no answer, (package, version), for who wants to know on which versions a run depends.
    """

    releases: Mapping[str, Release] = field(default_factory=dict)
    model_code: str = "transformers"
    unanswered: set[tuple[str, str]] | None = field(default=None, repr=False, compare=False)
    copied: frozenset[str] = frozenset()
    """Packages of which a copy lies in the project, changed or not: what it takes, no release tells."""
    doubted: frozenset[str] = frozenset()
    """Packages that files of the project want otherwise: nothing else says their version."""
    supposed: frozenset[str] = frozenset()
    """Packages whose release is one of several readings: nobody says that the run has them at all."""

    def at_least(self, package: str, version: str) -> bool | None:
        """Does the run use ``package >= version``? None when the stack does not tell."""
        release = self.releases.get(package)
        answer = release.at_least(version) if release else None
        if answer is None and self.unanswered is not None:
            self.unanswered.add((package, version))
        return answer

    def is_supposed(self, package: str) -> bool:
        return package in self.supposed

    def is_doubted(self, package: str) -> bool:
        """Is a release of it wanted, and is it not told which?"""
        return package in self.doubted and package not in self.releases

    def __str__(self) -> str:
        return " ".join(f"{r.package}{'@' if r.exact else ''}{r.said}" for r in self.releases.values()) or "unknown"


LONGEST_VERSION = 100
"""Characters. Python neither reads nor writes numbers of thousands of digits."""


def version_of(text: str) -> Version | None:
    """The version that a text is; None for what is none."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(text) if len(text) <= LONGEST_VERSION else None
    except InvalidVersion:
        return None


def release(package: str, version: str, origin: Origin) -> Release | None:
    """An exact release (``5.24`` covers 5.24.*), or None when the text is no version."""
    found = version_of(version)
    return None if found is None else Release(package, found, None, origin, exact=True)


class Role(Enum):
    """What part of a run a document describes. A TRAINER document starts a run; ENGINE, LAUNCHER and MODEL join the run that
    names them; STATED is a file whose keys a budget reads; INFERENCE is a document of an ecosystem that starts no training (chat,
    export, prediction); INPUT one that a program of the project reads, whose run says what it means."""

    TRAINER = "trainer"
    ENGINE = "engine"
    LAUNCHER = "launcher"
    MODEL = "model"
    STATED = "stated"
    INFERENCE = "inference"
    INPUT = "input"


@record
class Reference:
    """A path in a document that names another file of the run (``deepspeed: ds/zero3.json``)."""

    role: Role
    text: str
    origin: Origin
    folder: str = ""
    """Where the command is run that names it, after a ``cd``: from where its script lies, or anywhere (``/data/repo``)."""
    program: str = ""
    """The program that the command starts, as it is written there."""


@record
class Misread:
    """A value that is no legal value of its key (text where a number belongs). The engine makes it a finding."""

    message: str
    cure: str
    origin: Origin


@record
class Reading:
    """What one document says about a run."""

    format: str
    role: Role
    document: Document
    settings: Settings
    references: tuple[Reference, ...] = ()
    misreads: tuple[Misread, ...] = ()
    consumer: Consumer | None = None
    """Who reads it, as far as the project tells; None where nobody asked."""
    guessed: str = ""
    """That the file is here by its name alone, where the path that names it leads nowhere."""
    loader: Loader | None = None
    """What loads the document, where the call that opens it was seen."""
    program: FollowedProgram | None = field(default=None, repr=False, compare=False)
    """The program that was followed to make it; None for a file that a reader reads."""


def run_label(name: str, target: str | None, cell: str) -> str:
    """``sft``, ``sft@cloud`` or ``sft@cloud[seq=4096]``: what findings and reports call a run on a target."""
    return f"{name}{f'@{target}' if target else ''}{f'[{cell}]' if cell else ''}"


@record
class Run:
    """One training job. ``settings`` are merged with the frameworks' own precedence; ``readings`` the documents behind it,
    the trainer's first. ``name`` is the budget's run name, or the trainer file's path."""

    name: str
    settings: Settings
    readings: tuple[Reading, ...] = ()
    stack: Stack = field(default_factory=Stack)

    @property
    def trainer(self) -> Reading | None:
        return next((reading for reading in self.readings if reading.role is Role.TRAINER), None)

    def reading(self, format_name: str) -> Reading | None:
        return next((reading for reading in self.readings if reading.format == format_name), None)
