"""How a run is started that no script starts: as a README, the head of its own file or a program's docstring shows.

Such a command is weaker than a script: what it brings are the launcher and the engine around the run, and each reading of them says where
it stands, so that nothing which hangs on it is an error. Where several commands start the run differently, it depends on them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from functools import partial

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.documents import Scalar
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.launch import Launch
from budgetlint.launch.commands import ACCELERATE
from budgetlint.launch.in_comments import told_launches
from budgetlint.launch.run import launched
from budgetlint.readers.known_programs import known_program
from budgetlint.readers.launcher import FORMAT as LAUNCHER
from budgetlint.resolve.edges import COMMAND, Edge
from budgetlint.resolve.precedence import join, with_derived
from budgetlint.resolve.references import place_of, quietly
from budgetlint.resolve.run_parts import whole
from budgetlint.resolve.state import Assembly
from budgetlint.settings.consumer import ACCEPTED, SEVERAL
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Setting, Settings

MOST = 16
"""Commands that one project shows for one file: of more than that none is how it is started."""
_WORD = expression(r"[^\W_]+")
_OPEN = ("devices", "shard")
"""What a launcher decides, and what is left open where it is started differently."""


def as_shown(work: Assembly, reading: Reading, around: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """The launcher and the engine that the commands which texts show bring to a run; ``around`` is what its own files name."""
    path = reading.document.path
    if reading.role is not Role.TRAINER or reading.document.is_command or any(one.role is Role.LAUNCHER for one in around):
        return ()
    found = [launch for launch in shown_launches(work) if _starts(work, launch, path, reading)]
    if not found or len(found) > MOST:
        return ()
    ways = [(launch, _around(work, launch, reading)) for launch in found]
    kept = {_told(readings): (launch, readings) for launch, readings in reversed(ways)}
    if len(kept) > 1:
        return (_differing(reading, [launch for launch, _ in ways], [readings for _, readings in ways]),)
    launch, readings = next(iter(kept.values()))
    _joined(work, path, launch)
    return tuple(_guessed(one, launch) for one in readings if all(one.document is not mine.document for mine in around))


def shown_launches(work: Assembly) -> tuple[Launch, ...]:
    """The commands that texts of the project show: READMEs, docstrings of programs, comments at the head of configs."""
    if work.shown is None:
        work.shown = tuple(map(work.own, _every(work)))
    return work.shown


def _every(work: Assembly) -> Iterator[Launch]:
    for entry in list(work.project.entries.values()):
        yield from entry.commands
        if entry.source is not None and not entry.launches and not entry.commands and entry.budget is None:
            yield from told_launches(entry.source)


def _starts(work: Assembly, launch: Launch, path: str, reading: Reading) -> bool:
    """Does a command start the run of a file: as its program, with it, or, at the head of the file, as the program of its format?"""
    if any(place_of(work, reference) == path for reference in launch.configs):
        return True
    known = known_program(launch.program.program)
    if launch.source.path == path and known is not None:
        return known.format == reading.format and not _is_copied(launch, path, reading)
    if known is not None or (not path.endswith(PYTHON_SUFFIX) and reading.program is None):
        return False
    if work.programs.place(launch) == path:
        return True
    program = reading.program
    return program is not None and program.path == work.programs.place(launch) and path in _opened(work, launch)


def _is_copied(launch: Launch, path: str, reading: Reading) -> bool:
    """Is the command at the head of a file another file's, from which it was made: it names another config, or the project has recipes of
    its own for this one?"""
    mine = reading.consumer
    if mine is not None and mine.evidence in (ACCEPTED, SEVERAL) and mine.program.endswith(PYTHON_SUFFIX):
        return True
    named = launch.program.entry("config")
    if named is None or not isinstance(named.value, Scalar):
        return False
    here, there = _words(path), _words(named.value.text)
    return not (here <= there or there <= here)


def _words(path: str) -> frozenset[str]:
    """The words of a file's name: ``70B_lora`` and ``70B.yaml`` are one config by its longer and its shorter name."""
    return frozenset(_WORD.findall(posixpath.basename(path).removesuffix(".yaml").removesuffix(".yml").lower()))


def _opened(work: Assembly, launch: Launch) -> Iterable[str]:
    run = work.programs.launched(launch)
    return run.opened if run is not None else ()


def _around(work: Assembly, launch: Launch, reading: Reading) -> tuple[Reading, ...]:
    """What the command has around the program; what a file that is not here would decide is open."""
    run = launched(launch, partial(quietly, work), reading)
    if run is None:
        return ()
    lost = next((one for one in run.references if one.origin.source is launch.source and not quietly(work, one)), None)
    if lost is not None:
        return (_open(launch, lost.origin, lost.text),)
    if launch.launcher == ACCELERATE and not any(one.document.program == ACCELERATE for one in run.readings):
        return (_open(launch, Origin(OriginKind.FLAG, launch.source, launch.span, ACCELERATE), "what accelerate config has asked"),)
    readings = tuple(one for one in whole(work, run) if one.role is not Role.TRAINER)
    alone = [one for one in run.readings[0].settings.values() if one.origin.kind is OriginKind.DERIVED and one.name == "devices"]
    if any("devices" in one.settings or "devices_per_node" in one.settings for one in readings) or not alone:
        return readings
    return (*readings, Reading(LAUNCHER, Role.LAUNCHER, launch.program, Settings(alone)))


def _open(launch: Launch, origin: Origin, text: str) -> Reading:
    settings = Settings(Setting(name, None, origin, text, "symbolic") for name in _OPEN)
    return Reading(LAUNCHER, Role.LAUNCHER, launch.program, settings)


def _told(readings: tuple[Reading, ...]) -> tuple[object, ...]:
    """What makes one start differ from another."""
    said = sorted((one.name, str(one.value), one.state) for reading in readings for one in reading.settings.values())
    return tuple(said)


def _guessed(reading: Reading, launch: Launch) -> Reading:
    return reading if reading.guessed else replace(reading, guessed=f"started as {_place(launch)} shows")


def _place(launch: Launch) -> str:
    at = launch.source.locate(launch.span)
    return f"{at.file}:{at.line}"


def _joined(work: Assembly, path: str, launch: Launch) -> None:
    at = launch.source.locate(launch.span)
    if at.file != path:
        work.edges[Edge(path, at.file, at.line, path, COMMAND)] = None


def _differing(reading: Reading, launches: list[Launch], ways: list[tuple[Reading, ...]]) -> Reading:
    """What the commands bring differently, left open."""
    first = launches[0]
    places = " or ".join(dict.fromkeys(map(_place, launches)))
    settings = [with_derived(join((reading, *readings))) for readings in ways]
    several = [one for one in settings if one.value("devices") != 1]
    settings_of = {"devices": settings, "shard": several or settings}  # one card holds what it would without shards
    opened = [one for name in _OPEN if (one := _either(name, first, places, settings_of[name])) is not None]
    said = f"started as {places} shows"
    return replace(Reading(LAUNCHER, Role.LAUNCHER, first.program, Settings(opened)), guessed=said)


def _either(name: str, launch: Launch, places: str, ways: list[Settings]) -> Setting | None:
    """One setting that may be what any of the commands makes it."""
    origin = Origin(OriginKind.FLAG, launch.source, launch.span, launch.launcher or launch.program.program)
    told = [way.get(name) for way in ways]
    if any(one is not None and not one.known for one in told):
        return Setting(name, None, origin, f"as {places} starts it", "symbolic")
    alone = 1 if name == "devices" else "none"
    values = tuple(dict.fromkeys(alone if one is None else one.value for one in told))
    if len(values) == 1:
        return next((one for one in told if one is not None), None)
    return Setting(name, None, origin, f"as {places} starts it", "symbolic", readings=values)
