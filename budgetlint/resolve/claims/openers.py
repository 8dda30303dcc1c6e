"""The programs of a project that are followed, and the files that each of them opens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from budgetlint.base.expression import expression
from budgetlint.base.record import open_state
from budgetlint.base.source import SourceFile
from budgetlint.files.wanted import NOTEBOOK_SUFFIX, PYTHON_SUFFIX
from budgetlint.readers.known_programs import known_program
from budgetlint.resolve.claims.launches import Launches
from budgetlint.resolve.claims.programs import Programs
from budgetlint.resolve.copies import is_in_copy
from budgetlint.resolve.state import Assembly

if TYPE_CHECKING:
    from budgetlint.launch import Launch
    from budgetlint.resolve.program_run import ProgramRun

_STARTS = expression(r"__name__\s*==\s*[\"']__main__|@hydra\.main|\.train\(\)|\.backward\(")
"""What a file has that is started by itself: a module that only defines things is none."""


class OpenedFile(NamedTuple):
    """A file, by the run of the program that opens it. ``shown``: only a README shows the command."""

    run: ProgramRun
    shown: bool


@open_state
class Openers:
    """Follows what the project's own programs make of its launches, and those that nothing starts."""

    work: Assembly
    started: Launches
    written: Programs

    @cached_property
    def launched(self) -> tuple[tuple[Launch, ProgramRun, bool], ...]:
        """The launches of programs that are here, each with its run, and whether only a README shows it."""
        return tuple(self._launched())

    def _launched(self) -> Iterator[tuple[Launch, ProgramRun, bool]]:
        for entry in list(self.work.project.entries.values()):
            for launch in (*entry.launches, *entry.commands):
                run = self.work.programs.launched(launch) if self.started.row(launch) is None else None
                if run is not None and not is_in_copy(self.work.files, run.path):
                    yield launch, run, launch in entry.commands

    @cached_property
    def alone(self) -> dict[str, ProgramRun]:
        """The programs that nothing starts."""
        mine = {run.path for _, run, _ in self.launched}
        found = {
            source.path: run for source in self.written.scripts if source.path not in mine and (run := self._alone(source)) is not None
        }
        for path, function in self._declared():
            run = found.get(path)
            if path not in mine and (run is None or not run.trainings) and not is_in_copy(self.work.files, path):
                called = self.work.programs.alone(path, function)
                found.update({path: called} if called is not None and called.trainings else {})
        return found

    def _declared(self) -> Iterator[tuple[str, str]]:
        """The functions that the project's console scripts start."""
        for target in self.work.project.console_scripts().values():
            module, _, function = target.partition(":")
            name = module.replace(".", "/")
            ends = (f"/{name}{PYTHON_SUFFIX}", f"/{name}/__init__.py")
            here = [source.path for source in self.written.scripts if f"/{source.path}".endswith(ends)]
            if len(here) == 1:
                yield here[0], function

    def _alone(self, source: SourceFile) -> ProgramRun | None:
        if not source.path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX)) or _STARTS.search(source.text) is None:
            return None
        if is_in_copy(self.work.files, source.path) or known_program(source.path) is not None:
            return None
        return self.work.programs.alone(source.path)

    @cached_property
    def reads_files(self) -> bool:
        """Is there a program that reads a file which somebody has to name?"""
        return any(run.followed.sought for run in (*(run for _, run, _ in self.launched), *self.alone.values()))

    @cached_property
    def opened(self) -> dict[str, OpenedFile]:
        """By path, the first run that opens a file: one that is started here, one that a README shows, one that nothing starts."""
        found: dict[str, OpenedFile] = {}
        shown = sorted(self.launched, key=lambda one: one[2])
        for run, is_shown in (*((run, shown) for _, run, shown in shown), *((run, False) for run in self.alone.values())):
            for path in run.opened if run.each else ():
                found.setdefault(path, OpenedFile(run, is_shown))
        return found

    def is_open(self, path: str) -> bool:
        """Is a file a program that nothing starts, and whose model is named when it is started: no run that anybody means?"""
        run = self.run_of(path)
        return run is not None and run.is_open

    def run_of(self, path: str) -> ProgramRun | None:
        """The run of a program of the project: as the first launch starts it, else as it starts without words."""
        return next((run for _, run, _ in self.launched if run.path == path), None) or self.alone.get(path)
