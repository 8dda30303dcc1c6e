"""Whose each file is, and its readings as that consumer makes them."""

from __future__ import annotations

import posixpath
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.record import open_state, replace
from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, load
from budgetlint.files.wanted import NOTEBOOK_SUFFIX, PYTHON_SUFFIX
from budgetlint.frameworks import format_of
from budgetlint.readers import reader_of
from budgetlint.readers.hf.recognise import FLAVOURS, as_known, as_own, looks_literal
from budgetlint.readers.known_programs import HYDRA, known_programs
from budgetlint.resolve.claims.launches import Launches
from budgetlint.resolve.claims.openers import OpenedFile, Openers
from budgetlint.resolve.claims.programs import Programs
from budgetlint.resolve.claims.recipes import by_own_recipe
from budgetlint.resolve.claims.twins import nearly_alike
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.state import Assembly
from budgetlint.settings.consumer import ACCEPTED, FORMAT, LAUNCH, LONE, NOBODY, OPENED, SEVERAL, Consumer
from budgetlint.settings.run import Reading, Role

if TYPE_CHECKING:
    from budgetlint.resolve.claims.acceptance import Acceptance


@open_state
class FileClaims:
    """The consumers of the files of a project."""

    work: Assembly
    started: Launches
    written: Programs
    openers: Openers

    def file(self, entry: FileEntry) -> FileEntry:
        """The entry with its readings as its consumer makes them."""
        source = entry.source
        if entry.started:  # the commands of a budget
            return replace(entry, launches=tuple(map(self.started.launch, entry.launches)))
        if source is not None and source.path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX)):
            return replace(self._program(entry, source), launches=tuple(map(self.started.launch, entry.launches)))
        if source is None or entry.budget is not None or entry.commands or source.path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX)):
            return entry
        if entry.launches:
            return replace(entry, launches=tuple(map(self.started.launch, entry.launches)))
        opened = self.openers.opened.get(entry.path)
        if opened is not None:
            return self._input(entry, source, opened)
        if entry.path not in self.started.named and self._may_be_taken(entry):
            taken = self._taken(entry, source)
            if taken is not None:
                return taken
        known = next(((one, format) for one, format in self.started.named.get(entry.path, ()) if one.followed and format), None)
        if known is not None and self._may_read(entry, known[1]):
            return self._read_by(entry, source, *known)
        twin = self._twin(entry)
        if twin is not None:
            return self._like(entry, twin)
        return replace(entry, readings=tuple(self._claimed(entry, reading) for reading in entry.readings))

    def _program(self, entry: FileEntry, source: SourceFile) -> FileEntry:
        """A program as its first launch starts it, or when it is started without words; as its text reads where it is not
        followed."""
        run = self.openers.run_of(source.path)
        found = run.each if run is not None else ()
        if run is not None and run.only_evaluates:
            return replace(entry, readings=())
        if run is None or not found or (not run.knows_model and not entry.readings):
            return entry
        if any(one.shown and one.run.path == source.path for one in self.openers.opened.values()):
            return replace(entry, readings=())
        return replace(entry, readings=found, format=found[0].format)

    def _input(self, entry: FileEntry, source: SourceFile, opened: OpenedFile) -> FileEntry:
        """A file that a followed program opens: its run says what it means. Where only a README shows the command, it is the file's run."""
        reader = reader_of("program_config")
        assert reader is not None
        told = opened.run.opener(source.path)
        if entry.readings and entry.readings[0].role is not Role.TRAINER:
            return replace(entry, readings=tuple(replace(one, consumer=told) for one in entry.readings))
        documents = [reading.document for reading in entry.readings] or [one for one in load(source) if one.mapping is not None]
        loader = opened.run.loader_of(source.path)
        mine = tuple(replace(reader.read(one), consumer=told, loader=loader) for one in documents)
        readings = (*(opened.run.each if opened.shown else ()), *mine)
        return replace(entry, readings=readings, format=reader.format if readings else entry.format)

    def _twin(self, entry: FileEntry) -> str | None:
        """A file beside one that nobody names, with nearly its keys, which a program of the project trains with."""
        one = entry.readings[0] if len(entry.readings) == 1 else None
        if one is None or one.role is not Role.TRAINER or entry.kind or entry.path in self.started.named or not _is_config(entry):
            return None
        folder = posixpath.dirname(entry.path)
        beside = (path for path in self.openers.opened if posixpath.dirname(path) == folder)
        return next((path for path in beside if nearly_alike(one.document, self.work.project.files.read(path))), None)

    def _like(self, entry: FileEntry, twin: str) -> FileEntry:
        """A file as another one like it: a config of the same program, which may be given it. Nobody is seen to do so."""
        told = self.openers.opened[twin].run.opener(twin)
        reader = reader_of("program_config")
        assert reader is not None
        says = f"it has the keys of {twin}, and is taken for a config of the same program"
        mine = replace(told, evidence=ACCEPTED, followed=False, says=says) if told is not None else None
        documents = [one.document for one in entry.readings]
        return replace(entry, readings=tuple(replace(reader.read(one), consumer=mine) for one in documents), format=reader.format)

    def _may_be_taken(self, entry: FileEntry) -> bool:
        """No strict program's own, and no job."""
        return not entry.kind and not entry.launches and all(_looks(entry, one) in FLAVOURS for one in entry.readings) and _is_config(entry)

    def _taken(self, entry: FileEntry, source: SourceFile) -> FileEntry | None:
        """The file as the run of the one program that takes it; as nobody's where two do; None where none does."""
        if not (self.openers.reads_files or "@package" in source.text) or not self.acceptance.may_take(source):
            return None
        documents = [one.document for one in entry.readings] or [one for one in load(source) if one.mapping is not None]
        takers = self.acceptance.takers(documents[0]) if len(documents) == 1 else []
        if not takers:
            return None
        if len(takers) > 1:
            every = " or ".join(sorted(one.path for one in takers))
            several = Consumer(every, SEVERAL, followed=False, says=f"{every} could read it, and no command names it")
            return replace(entry, readings=tuple(_own(one.document, several) for one in entry.readings)) if entry.readings else None
        return self._input(replace(entry, readings=()), source, OpenedFile(takers[0], shown=True))

    @cached_property
    def acceptance(self) -> Acceptance:
        from budgetlint.resolve.claims.acceptance import Acceptance  # only programs take files

        return Acceptance(self.openers)

    def _may_read(self, entry: FileEntry, format: str) -> bool:
        """A side file keeps its reader, and a job file is none."""
        reader = reader_of(format)
        if reader is None or (entry.format is not None and not entry.readings) or entry.path.endswith((".budget", ".lock")):
            return False
        return all(reading.role is reader.role for reading in entry.readings)

    def _read_by(self, entry: FileEntry, source: SourceFile, consumer: Consumer, format: str) -> FileEntry:
        """The file as the program that is known reads it, whatever keys stand there."""
        reader = reader_of(format)
        assert reader is not None, format
        documents = [reading.document for reading in entry.readings] or [one for one in load(source) if one.mapping is not None]
        known = [as_known(document, consumer.task) if format in FLAVOURS else document for document in documents]
        readings = tuple(replace(reader.read(document), consumer=consumer) for document in known)
        return replace(
            entry,
            readings=readings,
            format=entry.format or (readings[0].format if readings else None),
            problem="" if readings else entry.problem,
        )

    def _claimed(self, entry: FileEntry, reading: Reading) -> Reading:
        named = self.started.named.get(entry.path, [])
        format = _looks(entry, reading)
        if format not in FLAVOURS:
            own = None if named or entry.kind else by_own_recipe(reading, self.written.scripts)
            return own or replace(reading, consumer=self._of_strict(entry, reading, named))
        consumer = named[0][0] if named else self.written.opener(entry.path) or self._unnamed(entry, reading, format)
        if not named and entry.path in self.work.declared:
            consumer = Consumer("", NOBODY, followed=False)
        if consumer.evidence in (LAUNCH, OPENED, SEVERAL, NOBODY):
            return _own(reading.document, consumer)
        return replace(_again(reading, format), consumer=consumer)

    def _of_strict(self, entry: FileEntry, reading: Reading, named: list[tuple[Consumer, str]]) -> Consumer:
        """A key that one program alone has tells what reads the file, whoever starts it."""
        if named:
            return replace(named[0][0], followed=True, sink=None, evidence=LAUNCH if named[0][1] else FORMAT)
        if reading.role is not Role.TRAINER:
            return Consumer(reading.format, FORMAT)
        opener = self.written.opener(entry.path)
        if opener is not None:
            return replace(opener, followed=True, sink=None)
        if not entry.kind and self._is_shipped(entry.path, reading.format):
            return Consumer("", NOBODY, followed=False, settles=f"config {entry.path} kind={reading.format}")
        near = self.written.near(entry.path)
        if near and not entry.kind and _by_look(reading, [format for _, format in near]):
            return Consumer(reading.format, SEVERAL, followed=False, says=_looks_like(entry.path, reading.format))
        return Consumer(reading.format, FORMAT if near else LONE)

    def _is_shipped(self, path: str, format: str) -> bool:
        """Does a file lie in the package of a Hydra program, which a copy brings? It is the program's defaults, no run that somebody
        means: its model and data are placeholders."""
        reader = reader_of(format)
        if reader is None or not any(row.format == format and row.arguments == HYDRA for row in known_programs()):
            return False
        copy = self.work.copy_for(reader.package, path)
        return copy is not None and path.startswith(f"{copy.folder}/")

    def _unnamed(self, entry: FileEntry, reading: Reading, format: str) -> Consumer:
        """A file that no command and no program names."""
        literal = looks_literal(reading.document) or (entry.kind != "" and reading.document.mapping is not None)
        programs = self.written.near(entry.path)
        if literal and (entry.kind or not programs):
            return Consumer(format_of(format).program, LONE, says="" if entry.kind else _says(entry.path, format))
        from budgetlint.resolve.claims.takers import taker  # a file that tells its program by its keys needs none

        found = taker(programs, reading.document, format, str(reading.settings.value("task", "")))
        return found or Consumer("", NOBODY, followed=False, settles=_settles(entry.path, format, literal))


def _is_config(entry: FileEntry) -> bool:
    return entry.budget is None and entry.path.lower().endswith((".json", ".yaml", ".yml", ".toml"))


def _looks(entry: FileEntry, reading: Reading) -> str:
    """What a file looks like, before anybody said who reads it."""
    return entry.format if entry.format in FLAVOURS and reading.format in FLAVOURS and entry.format else reading.format


def _again(reading: Reading, format: str) -> Reading:
    """By its keys, and by nothing that an earlier claim made of it."""
    reader = reader_of(format)
    assert reader is not None, format
    return reader.read(replace(reading.document))


def _own(document: Document, consumer: Consumer) -> Reading:
    reader = reader_of("hf_training_arguments")
    assert reader is not None
    return replace(reader.read(as_own(document, consumer.task)), consumer=consumer)


def _by_look(reading: Reading, started: list[str]) -> bool:
    """Does a file have no key that its program asks for, in a project whose programs are others?"""
    wanted, mapping = format_of(reading.format).one_of, reading.document.mapping
    return bool(wanted) and mapping is not None and reading.format not in started and not set(wanted) & set(mapping.keys())


def _looks_like(path: str, format: str) -> str:
    known = format_of(format)
    name = posixpath.basename(path)
    return f"{name} looks like {known.title}'s, has no {' or '.join(known.one_of)}, and the programs here are others: its reader is guessed"


def _kind(format: str) -> str:
    """The word for a format in a budget."""
    return next(iter(format_of(format).kinds), format)


def _says(path: str, format: str) -> str:
    line = f"config {posixpath.basename(path)} kind={_kind(format)}"
    lone = format_of(format).lone
    return f"read as {lone}: no program here reads it; a script that starts it, or '{line}' in a budget, would say whose it is"


def _settles(path: str, format: str, literal: bool) -> str:
    """The line that tells who reads the file: a budget's, or the command that it belongs to."""
    return f"config {path} kind={_kind(format)}" if literal else f"python train.py --config {path}"
