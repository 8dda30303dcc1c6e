"""What is open in a run: settings that can be read in several ways, and packages whose versions nobody states.

The questions about versions that a stack did not answer cut each package's versions into epochs: inside of one, every answer is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from budgetlint.base.record import record, replace
from budgetlint.memory.estimate import Opened
from budgetlint.memory.peak import Sums
from budgetlint.memory.planner import Planned
from budgetlint.memory.standing import Standing
from budgetlint.settings.run import Origin, OriginKind, Reading, Release, Role, Setting, Settings, Stack

if TYPE_CHECKING:
    from packaging.version import Version


@record
class AxisChoice:
    """One way to read what is open: ``words`` for people and JSON; a range of versions, or a value of a setting. ``said``: as a budget
    would say it, whether anything is written there or not."""

    words: str
    release: Release | None = None
    value: Any = None
    said: bool = False


@record
class Axis:
    """One thing that is open, and its choices, the newest or first first."""

    opened: Opened
    choices: tuple[AxisChoice, ...]

    @property
    def name(self) -> str:
        return self.opened.name


@record
class Answer:
    """A run read in one way."""

    settings: Settings
    planned: Planned
    standing: Standing


class Asking(Protocol):
    """Whoever can read a run again. ``answer``: with these things fixed, by name; ``unanswered``: the (package, version) questions
    that its stack leaves open; ``sums``: those of the check's plans; ``ends_at_positions``: its program takes no longer sequence."""

    @property
    def sums(self) -> Sums: ...

    @property
    def ends_at_positions(self) -> bool: ...

    def answer(self, choices: Mapping[str, AxisChoice]) -> Answer: ...

    def unanswered(self) -> Iterable[tuple[str, str]]: ...


def as_read(settings: Settings, choices: Mapping[str, AxisChoice]) -> Settings:
    """The settings with those that are chosen known."""
    chosen = [
        _said(name, choice) if choice.said else replace_value(settings[name], choice.value)
        for name, choice in choices.items()
        if choice.release is None and (choice.said or name in settings)
    ]
    return settings.having(*chosen) if chosen else settings


def _said(name: str, choice: AxisChoice) -> Setting:
    return Setting(name, choice.value, Origin(OriginKind.READ, note="one of the readings"), choice.words)


def replace_value(setting: Setting, value: Any) -> Setting:
    return replace(setting, value=value, state="known", readings=())


def pinned(stack: Stack, choices: Mapping[str, AxisChoice]) -> Stack:
    """The stack with the versions that are chosen."""
    releases = {name: choice.release for name, choice in choices.items() if choice.release is not None}
    if not releases:
        return stack
    return replace(stack, releases={**stack.releases, **releases}, supposed=stack.supposed | (releases.keys() - stack.releases.keys()))


# -- settings ----------------------------------------------------------------------------------------------------------------


def may_be_open(settings: Settings, readings: tuple[Reading, ...]) -> bool:
    """Does something else fill in a setting, or does somebody say settings whose files nobody reads as a framework would?"""
    return any(one.state == "symbolic" for one in settings.values()) or any(one.role is Role.STATED for one in readings)


UNWRITTEN: Mapping[str, tuple[Any, ...]] = {
    "recompute": ("full", "none"), "attention": ("flash", "sdpa", "eager"), "autocast": ("bf16", "none"),
    "quant": ("nf4", "none"), "packing": (True, False), "padding_free": (True, False),
    "offload_optimizer": ("cpu", "none"), "offload_params": ("cpu", "none"), "reshard_after_forward": (True, False),
}  # fmt: skip
"""Settings of few values: where a variable decides one (``gradient_checkpointing: ${GC}``), it may be any of these."""


def values_of(setting: Setting) -> tuple[Any, ...]:
    """What a setting that is not known can be, where that is few; else nothing."""
    if setting.known:
        return ()
    return setting.readings or (UNWRITTEN.get(setting.name, ()) if setting.state == "symbolic" else ())


def is_unwritten(setting: Setting) -> bool:
    """A variable decides it, and the planner takes what it would be without: a range of one end."""
    return not setting.known and not setting.readings and bool(values_of(setting))


def open_settings(settings: Settings) -> Iterator[Axis]:
    for setting in settings.values():
        values = values_of(setting)
        if len(values) > 1:
            opened = Opened(setting.name, setting.origin.location, setting.text)
            yield Axis(opened, tuple(AxisChoice(_word(value), None, value) for value in values))


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_word, value)) or "none"
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


# -- versions ----------------------------------------------------------------------------------------------------------------


def open_packages(stack: Stack, questions: Iterable[tuple[str, str]]) -> Iterator[Axis]:
    """One axis for each package that was asked for and that the stack does not tell."""
    from packaging.version import Version  # most runs depend on no version

    bounds: dict[str, set[Version]] = {}
    for package, version in questions:
        bounds.setdefault(package, set()).add(Version(version))
    for package in sorted(bounds):
        known = stack.releases.get(package)
        opened = Opened(package, known.origin.location if known else None, spelled(known) if known else "")
        choices = tuple(_epochs(known or unstated(package), sorted(bounds[package]), stated=known is not None))
        if len(choices) > 1:
            yield Axis(opened, choices)


OLDEST = {"torch": "2.0", "transformers": "4.40", "trl": "0.9", "peft": "0.10", "accelerate": "0.30", "deepspeed": "0.14"}
"""Where nobody states a version, older ones are not counted (torch 2.0 is of March 2023, the others are of March to June 2024: what
configs of today name is newer, and transformers 5 refuses torch before 2.4); a lower bound that reaches below is taken by its word."""


def unstated(package: str) -> Release:
    from packaging.version import Version

    low = Version(OLDEST[package]) if package in OLDEST else None
    return Release(package, low, None, Origin(OriginKind.DEFAULT, note="no version is stated"))


def _epochs(known: Release, bounds: list[Version], *, stated: bool) -> Iterator[AxisChoice]:
    """The versions between the bounds, the newest first, inside of what is known."""
    ends = [known.low, *(bound for bound in bounds if known.low is None or bound > known.low), known.high]
    for low, high in reversed(list(pairwise(ends))):
        release = Release(known.package, low, high, known.origin, closed=known.closed and high is known.high)
        shown = release if stated or low is not known.low else replace(release, low=None)
        yield AxisChoice(spelled(shown), release)


def joined(newer: AxisChoice, older: AxisChoice) -> AxisChoice:
    """Two neighbouring epochs as one."""
    if newer.release is None or older.release is None:
        return newer
    release = Release(newer.release.package, older.release.low, newer.release.high, newer.release.origin, closed=newer.release.closed)
    shown = release if older.words.startswith(">=") else replace(release, low=None)
    return AxisChoice(spelled(shown), release)


def spelled(release: Release) -> str:
    """As `Release.said`, without zeros at the end: ``>=1.7`` for 1.7.0."""
    return ",".join(_without_zeros(end) for end in release.said.split(","))


def _without_zeros(version: str) -> str:
    parts = version.split(".")
    while len(parts) > 2 and parts[-1] == "0":
        parts.pop()
    return ".".join(parts)
