"""Who reads each file of a project: what a launch names, what a program of the project opens, what one strict program alone can read.

A framework's defaults are claimed for the program that reads a file, never for a look of its keys. A file of the Hugging Face family is
read by its keys alone only where no program is here that could read it: then its run says so.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.record import open_state, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Document, load
from budgetlint.files.disk import NOTEBOOK_SUFFIX, PYTHON_SUFFIX, Files, is_named, is_readme, trains
from budgetlint.readers import reader_of
from budgetlint.readers.hf.recognise import FLAVOURS, as_known, as_own, is_closed, looks_literal
from budgetlint.readers.known_programs import Program, known_program
from budgetlint.resolve.project import SCRIPT_SUFFIXES, FileEntry, Project, is_script, job_kind, job_launches, script_entry
from budgetlint.resolve.references import place_of
from budgetlint.resolve.state import Assembly
from budgetlint.settings.consumer import ACCEPTED, FORMAT, LAUNCH, LONE, NOBODY, OPENED, Consumer
from budgetlint.settings.run import Origin, OriginKind, Reading, Reference, Role

if TYPE_CHECKING:
    from budgetlint.launch import Launch

_LONE = {
    "trl": "trl's",
    "hf_training_arguments": "arguments of transformers' Trainer",
    "alignment_handbook": "a recipe of alignment-handbook",
    "open_instruct": "open-instruct's",
}
_PROGRAMS = {
    "trl": "trl",
    "hf_training_arguments": "transformers",
    "alignment_handbook": "alignment-handbook",
    "open_instruct": "open-instruct",
}
_KINDS = {"trl": "trl", "hf_training_arguments": "hf", "alignment_handbook": "alignment_handbook", "open_instruct": "open_instruct"}
_PATH = re.compile(r"""["']([^"'\s\\]{1,200}\.(?:ya?ml|json|toml))\\?["']""")
"""A text in quotes, which a notebook's JSON escapes."""
_TRAINS = re.compile(r"train|tune|sft|dpo|grpo|ppo|rlhf", re.IGNORECASE)


def claim_all(work: Assembly) -> None:
    """Give every file of the project, and every one that is read later, its consumer."""
    claims = _Claims(work)
    work.own = claims.launch
    project = work.project
    for entry in list(project.entries.values()):
        with project.contained("reading", entry.path):
            project.entries[entry.path] = claims.file(entry)
    project.claim = claims.file


def kinds_of_programs(files: Files) -> frozenset[tuple[bool, str]]:
    """What trains in a project, as far as it decides about files that nobody names: programs that are not followed, and the formats of
    those that are known."""
    listed = tuple(files.expand(["."]))
    claims = _Claims(Assembly(Project(files, listed=listed)))
    return frozenset((consumer.followed, format) for consumer, format in claims.programs)


def tells(path: str) -> bool:
    """Is it a file that may say who reads others: a program, a notebook, a script, a README?"""
    return path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX, *SCRIPT_SUFFIXES)) or is_readme(path) or is_named(path.rpartition("/")[2])


@open_state
class _Claims:
    work: Assembly

    # -- launches ----------------------------------------------------------------------------------------------------------

    def launch(self, launch: Launch) -> Launch:
        """The launch with the consumer of its flags."""
        if self._row(launch) is not None:
            return replace(launch, consumer=self._by(launch, followed=True))
        from budgetlint.launch.readings import format_of

        format = format_of(launch)
        if format and format not in FLAVOURS:  # the flags are one strict program's
            return replace(launch, consumer=replace(self._by(launch, followed=True), evidence=FORMAT))
        return replace(launch, program=as_own(launch.program), consumer=self._by(launch, followed=False))

    def _row(self, launch: Launch) -> Program | None:
        """The known program that a launch starts; a single script that lies in the project is what it says itself."""
        name = launch.program.program
        row = known_program(name)
        return None if row is not None and row.alone and self._is_here(launch) else row

    def _is_here(self, launch: Launch) -> bool:
        name = launch.program.program
        path = name if name.endswith(PYTHON_SUFFIX) else name.replace(".", "/") + PYTHON_SUFFIX
        files = self.work.files
        folders = [launch.source.path]
        return any(files.exists(place) for folder in folders for place in _places(folder, path))

    def _by(self, launch: Launch, *, followed: bool) -> Consumer:
        at = launch.source.locate(launch.span)
        return Consumer(launch.program.program, LAUNCH, at.file, at.line, followed)

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

        row = self._row(launch)
        mine = self._by(launch, followed=row is not None)
        yield from ((reference, mine, row.format if row else "") for reference in launch.configs)
        yield from ((reference, replace(mine, followed=True), "deepspeed") for reference in launch.engines)
        for layer in launch.layers:
            named = config_file(layer)
            if named is not None:
                origin = Origin(OriginKind.FLAG, launch.source, named.span, "config_file")
                starter = replace(mine, program="accelerate launch", followed=True)
                yield Reference(Role.LAUNCHER, named.text, origin), starter, "accelerate"

    # -- programs ----------------------------------------------------------------------------------------------------------

    @cached_property
    def programs(self) -> tuple[tuple[Consumer, str], ...]:
        """The programs of the project that train, each with the format of a known one."""
        return (*self._launched(), *self._written())

    def _launched(self) -> Iterator[tuple[Consumer, str]]:
        for launch in self._launches():
            row = self._row(launch)
            if row is not None or launch.configs or _TRAINS.search(posixpath.basename(launch.program.program)):
                yield self._by(launch, followed=row is not None), row.format if row else ""

    def _launches(self) -> Iterator[Launch]:
        """Of every script, also of those that are not read because only some files are asked about."""
        project = self.work.project
        for entry in list(project.entries.values()):
            yield from (*entry.launches, *entry.commands)
        for path in project.listed:
            asked = path not in project.entries and (tells(path) or path.endswith((".yaml", ".yml")))
            source = project.files.read(path) if asked else None
            if isinstance(source, SourceFile):
                yield from _launches_in(source)

    def _written(self) -> Iterator[tuple[Consumer, str]]:
        for source in self.scripts:
            if trains(source.text.encode("utf-8", "replace")):
                yield Consumer(source.path, OPENED, source.path, 1, followed=False), ""

    @cached_property
    def scripts(self) -> tuple[SourceFile, ...]:
        """The programs and notebooks of the project whose text is looked at."""
        project = self.work.project
        paths = dict.fromkeys((*project.entries, *project.listed))
        read = (project.files.read(path) for path in paths if path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX)))
        return tuple(source for source in read if isinstance(source, SourceFile))

    @cached_property
    def literals(self) -> dict[str, list[tuple[str, SourceFile, int]]]:
        """The texts of the programs that may be paths of configs, by the last part: the text, and where it stands."""
        found: dict[str, list[tuple[str, SourceFile, int]]] = {}
        for source in self.scripts:
            for literal in _PATH.finditer(source.text):
                found.setdefault(posixpath.basename(literal[1]), []).append((literal[1], source, literal.start()))
        return found

    def opener(self, path: str) -> Consumer | None:
        """The program that has the path of a file, or its name where that is the only one, in a text of its own."""
        name = posixpath.basename(path)
        alone = len(self.work.project.names.get(name, ())) < 2
        for text, source, at in self.literals.get(name, ()):
            if _ends_like(path, text, alone):
                place = source.locate(Span(at, at))
                return Consumer(source.path, OPENED, source.path, place.line, followed=False)
        return None

    # -- files ---------------------------------------------------------------------------------------------------------------

    def file(self, entry: FileEntry) -> FileEntry:
        """The entry with its readings as its consumer makes them."""
        source = entry.source
        if source is None or entry.budget is not None or entry.commands or source.path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX)):
            return entry
        if entry.launches:
            return replace(entry, launches=tuple(map(self.launch, entry.launches)))
        known = next(((one, format) for one, format in self.named.get(entry.path, ()) if one.followed and format), None)
        if known is not None and self._may_read(entry, known[1]):
            return self._read_by(entry, source, *known)
        return replace(entry, readings=tuple(self._claimed(entry, reading) for reading in entry.readings))

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
        known = [as_known(document) if format in FLAVOURS else document for document in documents]
        readings = tuple(replace(reader.read(document), consumer=consumer) for document in known)
        return replace(
            entry,
            readings=readings,
            format=entry.format or (readings[0].format if readings else None),
            problem="" if readings else entry.problem,
        )

    def _claimed(self, entry: FileEntry, reading: Reading) -> Reading:
        named = self.named.get(entry.path, [])
        format = _looks(entry, reading)
        if format not in FLAVOURS:
            return replace(reading, consumer=self._of_strict(entry, reading, named))
        consumer = named[0][0] if named else self.opener(entry.path) or self._unnamed(entry, reading.document, format)
        if consumer.evidence in (LAUNCH, OPENED, NOBODY):
            return _own(reading.document, consumer)
        return replace(_again(reading, format), consumer=consumer)

    def _of_strict(self, entry: FileEntry, reading: Reading, named: list[tuple[Consumer, str]]) -> Consumer:
        """A key that one program alone has tells what reads the file, whoever starts it."""
        if named:
            return replace(named[0][0], followed=True, evidence=LAUNCH if named[0][1] else FORMAT)
        if reading.role is not Role.TRAINER:
            return Consumer(reading.format, FORMAT)
        opener = self.opener(entry.path)
        if opener is not None:
            return replace(opener, followed=True)
        return Consumer(reading.format, FORMAT if self.programs else LONE)

    def _unnamed(self, entry: FileEntry, document: Document, format: str) -> Consumer:
        """A file that no command and no program names."""
        literal = looks_literal(document) or (entry.kind != "" and document.mapping is not None)
        if literal and (entry.kind or not self.programs):
            return Consumer(_PROGRAMS[format], LONE, says="" if entry.kind else _says(entry.path, format))
        formats = {read for _, read in self.programs}
        if formats == {format} and is_closed(document):
            return replace(self.programs[0][0], evidence=ACCEPTED)
        return Consumer("", NOBODY, followed=False, settles=_settles(entry.path, format, literal))


def _launches_in(source: SourceFile) -> Iterator[Launch]:
    """Of a script, a README, or a job file."""
    if is_readme(source.path):
        from budgetlint.launch.fenced import shown_launches

        yield from shown_launches(source)
    elif is_script(source.path, source):
        yield from script_entry(source).launches
    elif _JOB.search(source.text):
        for document in load(source):
            yield from job_launches(document) if job_kind(document) else ()


_JOB = re.compile(r"^(?:run|command|entrypoint|apiVersion|resources)\s*:", re.MULTILINE)


def _places(named_in: str, path: str) -> Iterator[str]:
    folder = posixpath.dirname(named_in)
    yield posixpath.normpath(path)
    while folder and folder not in ("/", ".."):
        yield posixpath.normpath(posixpath.join(folder, path))
        folder = posixpath.dirname(folder)


def _ends_like(path: str, text: str, alone: bool) -> bool:
    """Does a literal lead to the path: by its folders, or by a name that is the only one?"""
    wanted = posixpath.normpath(text.lstrip("/")).replace("../", "")
    if "/" in wanted and (path == wanted or path.endswith(f"/{wanted}")):
        return True
    return alone and posixpath.basename(wanted) == posixpath.basename(path)


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
    return replace(reader.read(as_own(document)), consumer=consumer)


def _says(path: str, format: str) -> str:
    line = f"config {posixpath.basename(path)} kind={_KINDS[format]}"
    return f"read as {_LONE[format]}: no program here reads it; a script that starts it, or '{line}' in a budget, would say whose it is"


def _settles(path: str, format: str, literal: bool) -> str:
    """The line that tells who reads the file: a budget's, or the command that it belongs to."""
    return f"config {path} kind={_KINDS[format]}" if literal else f"python train.py --config {path}"
