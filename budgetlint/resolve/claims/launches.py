"""Whose the flags of a command are, and the files that it names: a program that is known by name, or one of the project's own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.record import open_state, replace
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.readers.hf.program_task import task_of_program
from budgetlint.readers.hf.recognise import FLAVOURS, as_own
from budgetlint.readers.known_programs import Program, known_program
from budgetlint.resolve.edges import candidates
from budgetlint.resolve.program_starts import in_sources, paths_of
from budgetlint.resolve.references import place_of
from budgetlint.resolve.state import Assembly
from budgetlint.settings.consumer import FORMAT, LAUNCH, Consumer
from budgetlint.settings.run import Origin, OriginKind, Reference, Role

if TYPE_CHECKING:
    from budgetlint.launch import Launch


@open_state
class Launches:
    """The consumers that the launches of a project are."""

    work: Assembly

    def launch(self, launch: Launch) -> Launch:
        """The launch with the consumer of its flags."""
        if self.row(launch) is not None:
            return replace(launch, consumer=self.by(launch))
        from budgetlint.launch.readings import format_of

        format = format_of(launch)
        if format and format not in FLAVOURS:  # the flags are one strict program's
            return replace(launch, consumer=replace(self.by(launch), followed=True, sink=None, evidence=FORMAT))
        mine = self.by(launch)
        return replace(launch, program=as_own(launch.program, mine.task), consumer=mine)

    def row(self, launch: Launch) -> Program | None:
        """The known program that a launch starts; a single script that lies in the project is what it says itself."""
        name = launch.program.program
        row = known_program(name)
        return None if row is not None and row.alone and self._is_here(launch) else row

    def _is_here(self, launch: Launch) -> bool:
        return self._script(launch) is not None

    def _script(self, launch: Launch) -> str | None:
        """The path of the program that a launch starts, if it is in the project."""
        if launch.elsewhere:
            return None
        found = (path for one in (*paths_of(launch), *in_sources(launch)) for path in candidates(launch.source.path, one))
        return next(filter(self.work.files.exists, found), None)

    def by(self, launch: Launch) -> Consumer:
        """The program that a launch starts."""
        at, name, row = launch.source.locate(launch.span), launch.program.program, self.row(launch)
        known = Consumer(name, LAUNCH, at.file, at.line, row is not None, task=task_of_program(name) if row is not None else "")
        if row is None:
            return known
        if not name.endswith(PYTHON_SUFFIX) or self._is_here(launch):
            return known
        return replace(known, says=f"{name} is not here: read as the official script of that name")

    @cached_property
    def named(self) -> dict[str, list[tuple[Consumer, str]]]:
        """By path, the programs that launches start with a file, each with the format that it reads where that is known."""
        found: dict[str, list[tuple[Consumer, str]]] = {}
        for entry in list(self.work.project.entries.values()):
            for launch in (*entry.launches, *entry.commands):
                for reference, consumer, format in self._references(launch):
                    path = place_of(self.work, reference)
                    if path is not None:
                        found.setdefault(path, []).append((consumer, format))
        return found

    def _references(self, launch: Launch) -> Iterator[tuple[Reference, Consumer, str]]:
        """The files that a command names, each with who reads it."""
        from budgetlint.launch.accelerate import config_file

        row = self.row(launch)
        mine = self.by(launch)
        yield from ((reference, mine, row.format if row else "") for reference in launch.configs)
        side = replace(mine, followed=True, says="", sink=None)
        yield from ((reference, side, "deepspeed") for reference in launch.engines)
        for layer in launch.layers:
            named = config_file(layer)
            if named is not None:
                origin = Origin(OriginKind.FLAG, launch.source, named.span, "config_file")
                starter = replace(side, program="accelerate launch")
                yield Reference(Role.LAUNCHER, named.text, origin), starter, "accelerate"
