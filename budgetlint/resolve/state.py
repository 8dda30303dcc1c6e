"""The work of one check, while its runs are collected."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.record import field, open_state, record, replace
from budgetlint.documents import Document
from budgetlint.files.disk import Files
from budgetlint.files.wanted import NOTEBOOK_SUFFIX, is_readme
from budgetlint.memory.reuse import Answers
from budgetlint.readers import reader_by
from budgetlint.resolve.copies import Copy, copy_above, imports_from_elsewhere, is_submodule, only_copy, with_copy
from budgetlint.resolve.edges import Edge
from budgetlint.resolve.implied import with_implied
from budgetlint.resolve.project import Project
from budgetlint.resolve.versions import FolderPins, installed_by, stack_beside
from budgetlint.settings.run import Reading, Release, Settings, Stack

if TYPE_CHECKING:
    from budgetlint.base.source import Location, SourceFile
    from budgetlint.language.budget import Budget, BudgetRun, Measured, Target
    from budgetlint.launch import Launch
    from budgetlint.launch.run import Launched
    from budgetlint.measured.watched import Watched
    from budgetlint.resolve.data_rows import DataFiles
    from budgetlint.resolve.followed import FollowedPrograms

    # what runs write is looked up once for all runs, by the folders of the runs that are held here
    from budgetlint.resolve.outputs import WrittenModel
    from budgetlint.rules_api.context import RunContext


@record
class Alongside:
    """What stands beside a run that its budget declares, and decides nothing: what the files say that it names, the files that it was
    written from, and the paths of both."""

    named: Settings = field(default_factory=Settings)
    watched: tuple[Watched, ...] = ()
    files: tuple[str, ...] = ()


@record
class Collected:
    """One run before anything is worked out: its files, the trainer's first, the budget it is judged by, and the machine that its
    own job asks for."""

    name: str
    readings: tuple[Reading, ...]
    budget: Budget | None = None
    budget_run: BudgetRun | None = None
    requested: Target | None = None
    unsaid: str = ""
    """Why nobody knows what is not said of it; empty where frameworks fill it in."""
    beside: Alongside = field(default_factory=Alongside)
    stack: Stack | None = None
    """Versions that came with settings from outside."""


@record
class Stated:
    """What the ``reads`` of a run come to, for one of the runs that they make. ``path`` is the file of a glob that this run is for."""

    readings: tuple[Reading, ...] = ()
    path: str = ""

    def named(self, name: str | None) -> str:
        """What a run is called: one of several by its file too, and one without a name by its first file."""
        if name and self.path:
            return f"{name}:{self.path}"
        return name or self.path or (self.readings[0].document.path if self.readings else "")


@open_state
class Assembly:
    """Collects ``runs``; ``contexts`` is what they are judged to be. ``overrides`` are the command line's ``--set``, stronger than
    everything."""

    project: Project
    extra: Budget | None = None
    overrides: Settings = field(default_factory=Settings)
    runs: list[Collected] = field(default_factory=list)
    contexts: list[RunContext] = field(default_factory=list)
    comments: list[tuple[Budget, SourceFile | None]] = field(default_factory=list)
    """Budgets that stand in comments of configs, with the text they stand in."""
    bound: set[str] = field(default_factory=set)
    """Files that a budget binds: they are its runs', whoever else names them."""
    started: set[str] = field(default_factory=set)
    """Files that a command takes, of a budget or over its program's own config: another command may take them too."""
    launched: dict[str, list[tuple[Launch, Launched]]] = field(default_factory=dict)
    bases: dict[str, Document | None] = field(default_factory=dict)
    """Files that configs are composed of, by path: None for one that holds no mapping."""
    foreign: dict[str, tuple[Document, ...]] = field(default_factory=dict)
    """What the files hold that budgets read keys of, by path."""
    told: set[tuple[Location, str]] = field(default_factory=set)
    """What was found wrong there: runs of one budget share its top level."""
    stacks: dict[str, Stack] = field(default_factory=dict)
    """What the requirement files in and above a folder say."""
    pins: dict[str, FolderPins] = field(default_factory=dict)
    """What the requirement files and the set-up of each folder say."""
    installed: dict[str, dict[str, Release]] = field(default_factory=dict)
    """What scripts install before they start something, by path."""
    copies: dict[tuple[str, str | None], Copy | None] = field(default_factory=dict)
    """Copies of frameworks, by package and the folder that is asked about; None: anywhere in the project."""
    submodules: dict[str, bool] = field(default_factory=dict)
    """Does git bring a checkout of a package? By package."""
    outputs: dict[str, WrittenModel] | None = None
    """Folders that runs write models to; None until one is asked for."""
    neighbours: dict[tuple[str, str], list[tuple[Reading, ...]]] | None = None
    """How configs of a format in a folder are launched; None until one is asked for."""
    shown: tuple[Launch, ...] | None = None
    """The commands that READMEs, docstrings and comments show; None until they are asked for."""
    answers: Answers = field(default_factory=Answers)
    pinned: dict[tuple[object, ...], tuple[Stack, Stack]] = field(default_factory=dict)
    """Stacks with versions fixed, to see what depends on them, each with the one that it is made of."""
    supposed: bool = False
    """The texts are edited in memory to see what would be: a measured line that names no settings is not about them."""
    readings: Counter[str] = field(default_factory=Counter)
    """How often the runs of each file were read again, to see what their verdicts depend on."""
    idle: dict[str, list[tuple[Launch, str]]] = field(default_factory=dict)
    """By script, the commands whose programs train nothing, each with what it does instead."""
    edges: dict[Edge, None] = field(default_factory=dict)
    """Why each file is part of a run, in the order in which that was found."""
    declared: frozenset[str] = frozenset()
    """Files that a declared run names: who reads them, nobody here knows."""
    own: Callable[[Launch], Launch] = field(default=lambda launch: launch)
    """Says whose the flags of a launch are."""
    asks_for_model: Callable[[str], bool] = field(default=lambda _path: False)
    """Is a file a program that nothing starts, and whose model is named when it is started?"""
    locks: dict[str, tuple[Measured, ...]] = field(default_factory=dict)
    """What each budget.lock says was measured."""

    @cached_property
    def shows_commands(self) -> bool:
        """May a README, or the head of another text, show how something is started? Plain configs need no grammar of shells."""
        return any(entry.commands or (entry.source is not None and _may_show(entry.source.text)) for entry in self.project.entries.values())

    @cached_property
    def programs(self) -> FollowedPrograms:
        """The programs of the project, followed when they are asked for."""
        from budgetlint.resolve.followed import FollowedPrograms  # most projects hold none

        return FollowedPrograms(self.files, self._read_otherwise)

    @cached_property
    def data(self) -> DataFiles:
        """The data files that runs name."""
        from budgetlint.resolve.data_rows import DataFiles  # most runs name none that is here

        return DataFiles(self.files)

    def _read_otherwise(self, path: str, program: str) -> bool:
        """A file that a reader of its own format takes for somebody else's."""
        entry = self.project.entries.get(path)
        told = [one.consumer for one in entry.readings] if entry is not None else []
        return any(one is None or posixpath.basename(one.program) != posixpath.basename(program) for one in told)

    @property
    def files(self) -> Files:
        return self.project.files

    def stack_beside(self, path: str) -> Stack:
        """The framework versions beside a config."""
        return stack_beside(self.files, path, self.stacks, self.pins)

    def _installed(self, script: str) -> dict[str, Release]:
        if script not in self.installed:
            self.installed[script] = installed_by(self.files, script)
        return self.installed[script]

    def copy_for(self, package: str, path: str) -> Copy | None:
        """The copy of a framework that lies in the project, for a file at ``path``."""
        near, only = (package, posixpath.dirname(path)), (package, None)
        if near not in self.copies:
            self.copies[near] = copy_above(self.files, package, path)
        if self.copies[near] is None and only not in self.copies:
            self.copies[only] = only_copy(self.files, package)
        return self.copies[near] or self.copies[only]

    def _is_submodule(self, package: str) -> bool:
        if package not in self.submodules:
            self.submodules[package] = is_submodule(self.files, package)
        return self.submodules[package]

    def _is_put_before(self, reading: Reading, script: str) -> bool:
        """Is a checkout that is not here put before what is installed?"""
        entry, program = self.project.entries.get(script or reading.document.path), reading.document.program
        return entry is not None and any(
            imports_from_elsewhere(self.files, launch.environment["PYTHONPATH"].text)
            for launch in entry.launches
            if "PYTHONPATH" in launch.environment and launch.program.program == program
        )

    def stack_of(self, reading: Reading, script: str = "") -> Stack:
        """The framework versions of a document: those that the script which starts it installs, those beside it, and that of a copy of its
        own framework."""
        beside, package = self.stack_beside(reading.document.path), reader_by(reading).package
        script = script or (reading.document.path if reading.document.path.endswith(NOTEBOOK_SUFFIX) else "")
        if script and (installed := self._installed(script)):
            beside = replace(beside, releases={**installed, **beside.releases} if is_readme(script) else {**beside.releases, **installed})
        copy = self.copy_for(package, reading.document.path) if package else None
        if package and copy is None and (self._is_submodule(package) or self._is_put_before(reading, script)):
            return with_implied(replace(beside, copied=beside.copied | {package}))
        return with_implied(beside if copy is None else with_copy(self.files, beside, copy, reading.document.program))


_STARTERS = ("torchrun", "accelerate launch", "deepspeed", "python", "tune run", "composer", "axolotl", "llamafactory-cli", "swift")


def _may_show(text: str) -> bool:
    head = text[:8192].lstrip()
    return head.startswith(("#", '"', "'")) and any(word in head for word in _STARTERS)
