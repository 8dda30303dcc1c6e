"""What one file was taken for, with the launches of scripts, notebooks and READMEs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from budgetlint.base.record import open_record, replace
from budgetlint.base.source import SourceFile
from budgetlint.files.wanted import SHELL_SUFFIXES, calls_programs, is_named, starts_programs
from budgetlint.settings.consumer import Consumer
from budgetlint.settings.run import Reading

if TYPE_CHECKING:  # most projects hold neither
    from budgetlint.language.budget import Budget
    from budgetlint.launch import Launch

Started = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]
"""The arguments and the variables that a script is started with."""
Sourced = tuple[int, SourceFile]
"""Where a script sources another."""


@open_record
class FileEntry:
    """What one file was taken for: ``format`` is a reader's name, ``budget``, a kind of job file, or None where nobody claims it.
    ``launches`` are the training commands of a script or job file, ``arguments`` what the script is started with."""

    path: str
    format: str | None
    readings: tuple[Reading, ...] = ()
    budget: Budget | None = None
    source: SourceFile | None = None
    problem: str = ""
    launches: tuple[Launch, ...] = ()
    arguments: tuple[str, ...] = ()
    starts: tuple[Started, ...] = ()
    """The ways in which the project itself starts a script."""
    sourced: tuple[Sourced, ...] = ()
    library: bool = False
    """Other scripts source it."""
    commands: tuple[Launch, ...] = ()
    """The training commands that a README shows: they say who reads a file, and start no run."""
    read_by: Consumer | None = None
    """The first budget that reads keys of it."""
    kind: str = ""
    """The format that a budget names for it."""
    started: tuple[int, ...] = ()
    """Of a budget: how many of the launches each of its runs has."""

    @property
    def consumer(self) -> Consumer | None:
        """Who reads it; of a script, the program of its first training command."""
        told = (self.read_by, *(reading.consumer for reading in self.readings), *(launch.consumer for launch in self.launches))
        return next((consumer for consumer in told if consumer is not None), None)


SCRIPT_SUFFIXES = (*SHELL_SUFFIXES, ".mk", ".dockerfile")


def is_script(path: str, source: SourceFile) -> bool:
    """By name, or by a shell's first line. The launch package is imported for scripts only."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(SCRIPT_SUFFIXES) or is_named(name) or (source.text.startswith("#!") and "sh" in source.text[:40])


def script_entry(source: SourceFile, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> FileEntry:
    """A script with its launches, taken for what its first training command is; ``arguments`` and ``environment`` are those it is
    started with."""
    return replace(started_entry(source, ((tuple(arguments), tuple((environment or {}).items())),), ()), starts=())


def started_entry(source: SourceFile, starts: Sequence[Started], sourced: Sequence[Sourced], *, library: bool = False) -> FileEntry:
    """A script that is started in each of these ways; a ``library`` is one that others source."""
    from budgetlint.launch.read import started_launches
    from budgetlint.launch.readings import format_of
    from budgetlint.launch.slurm import is_slurm

    ways = [(arguments, dict(environment)) for arguments, environment in starts] or [((), {})]
    launches = started_launches(source, ways, sourced, library=library)
    format = "slurm" if is_slurm(source) else next((name for launch in launches if (name := format_of(launch))), None)
    entry = FileEntry(source.path, format, source=source, launches=launches, arguments=tuple(ways[0][0]))
    return replace(entry, starts=tuple(starts), sourced=tuple(sourced), library=library)


def notebook_entry(source: SourceFile) -> FileEntry:
    """A notebook with the training commands that it hands to a shell."""
    launches: tuple[Launch, ...] = ()
    if starts_programs(source.text.encode(errors="replace")):
        from budgetlint.documents.notebook import cells_of
        from budgetlint.launch.read import script_launches

        cells = cells_of(source)
        launches = script_launches(cells.commands) if cells is not None else ()
    return FileEntry(source.path, None, source=source, launches=launches)


def program_entry(source: SourceFile) -> FileEntry:
    """A program with the training commands that it starts."""
    launches: tuple[Launch, ...] = ()
    if calls_programs(source.text.encode(errors="replace")):
        from budgetlint.launch.python_calls import called_launches

        launches = called_launches(source)
    return FileEntry(source.path, None, source=source, launches=launches)


def readme_entry(source: SourceFile) -> FileEntry:
    from budgetlint.launch.fenced import shown_launches

    return FileEntry(source.path, None, source=source, commands=shown_launches(source))
