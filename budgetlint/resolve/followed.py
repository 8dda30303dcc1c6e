"""Programs of the project, followed: the run that a launch makes of one, or that it makes when it is started without words."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from budgetlint.base.record import field, open_state, record, replace
from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Loader
from budgetlint.files.disk import PYTHON_SUFFIX, Files
from budgetlint.readers import Reader, identify
from budgetlint.resolve.edges import candidates
from budgetlint.settings.consumer import LAUNCH, OPENED, Consumer
from budgetlint.settings.run import Reference, Setting, Settings

if TYPE_CHECKING:
    from budgetlint.documents.shell_words import Word
    from budgetlint.launch import Launch
    from budgetlint.program.document import Told
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Trees
    from budgetlint.program.values import Value
    from budgetlint.settings.run import Reading


@record
class ProgramRun:
    """What a program comes to: one reading for each way that it may train, and the files that it opens."""

    program: str
    readings: tuple[Reading, ...]
    opened: tuple[str, ...]
    followed: Followed


class Sources:
    """The files of a project as a program may read them (`program.modules.Files`)."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._read: dict[str, SourceFile | None] = {}

    def source(self, path: str) -> SourceFile | None:
        if path not in self._read:
            found = self._files.read(path)
            self._read[path] = found if isinstance(found, SourceFile) else None
        return self._read[path]

    def is_file(self, path: str) -> bool:
        return not path.startswith("..") and self._files.exists(path)

    def is_folder(self, path: str) -> bool:
        return path in self._folders

    def called(self, name: str) -> Sequence[str]:
        return self._by_name.get(name, ())

    def below(self, folder: str) -> Sequence[str]:
        return [path for path in self._modules if not folder or path.startswith(f"{folder}/")]

    @cached_property
    def _modules(self) -> list[str]:
        return self._files.glob(f"**/*{PYTHON_SUFFIX}")

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._modules:
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    @cached_property
    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self._modules:
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)


@open_state
class Programs:
    """Follows each program once for each way in which it is started."""

    files: Files
    read_otherwise: Callable[[str, str], bool] = field(default=lambda _path, _program: False)
    """Whether a file is read by something else than this program."""
    _known: dict[tuple[object, ...], ProgramRun | None] = field(default_factory=dict)

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.files)

    @cached_property
    def trees(self) -> Trees:
        from budgetlint.program.modules import Trees  # `ast`, for projects with programs

        return Trees(self.sources)

    def place(self, launch: Launch) -> str | None:
        """The file of the project that a launch starts; None for a program that is not here."""
        path = _written(launch)
        tried = (*candidates(launch.source.path, posixpath.join(launch.folder, path)), *candidates(launch.source.path, path))
        return next((one for one in tried if not one.startswith("..") and self.files.exists(one)), None) or self._by_name(path)

    def _by_name(self, path: str) -> str | None:
        """The one file of the project whose path ends so: a README often leaves out the folder that its commands are run from."""
        found = [one for one in self.sources.called(posixpath.basename(path)) if one.endswith(f"/{path}")]
        return found[0] if len(found) == 1 else None

    def launched(self, launch: Launch) -> ProgramRun | None:
        """The run of a launch; None where its program is not here, or does not come to a training that can be told."""
        path = self.place(launch)
        if path is None:
            return None
        key = (path, launch.source.path, launch.number, tuple(word.text for word in launch.words))
        if key not in self._known:
            at, name = launch.source.locate(launch.span), launch.program.program
            named = any(path in candidates(launch.source.path, posixpath.join(one, _written(launch))) for one in ("", launch.folder))
            says = "" if named else f"{name} is taken to be {path}: the one file of that name"
            consumer = Consumer(name, LAUNCH, at.file, at.line, says=says)
            self._known[key] = self._run(path, launch, consumer)
        return self._known[key]

    def alone(self, source: SourceFile) -> ProgramRun | None:
        """The run of a program that nothing here starts, as if it were started without words."""
        if (source.path,) not in self._known:
            self._known[(source.path,)] = self._run(source.path, None, Consumer(source.path, OPENED, source.path, 1))
        return self._known[(source.path,)]

    def _run(self, path: str, launch: Launch | None, consumer: Consumer) -> ProgramRun | None:
        from budgetlint.program.document import document_of, most_ways
        from budgetlint.program.follow import follow
        from budgetlint.program.state import Launched
        from budgetlint.program.wiring import wirings
        from budgetlint.resolve.program_facts import facts_of, with_chains

        source = self.sources.source(path)
        if source is None:
            return None
        started = Launched() if launch is None else Launched(_words(launch), _folder(path, launch), _environment(launch))
        followed = follow(self.trees, path, started)
        runs = wirings(followed)
        told: list[Told] = [{} for _ in runs]
        documents = [
            [
                document_of(one, source, self.sources, None, values),
                *(document_of(one, source, self.sources, way) for way in _ways(most_ways(one))),
            ]
            for one, values in zip(runs, told, strict=True)
        ]
        readings = [reading for ways in documents if (reading := _of_ways(ways)) is not None]
        readings = [_from(reading, _folder(path, launch) if launch is not None else "", self.files) for reading in readings]
        if followed.stopped or len(readings) < len(documents) or not readings:
            return None
        opened = tuple(dict.fromkeys(name for name, _ in followed.opened))
        words = started.words or ()
        facts = facts_of(followed, path, self.trees, launch, words, others=partial(self._openers, path), text=lambda: self._text)
        if facts is None:
            return None
        shown = [
            replace(one, consumer=consumer, program=with_chains(facts, one.document, values, self.sources))
            for one, values in zip(readings, told, strict=True)
        ]
        return ProgramRun(path, tuple(shown), opened, followed)

    def consumers(self) -> dict[str, Consumer]:
        """Who opens each file that a program was seen to open: the command that starts the program, else the line that names the file."""
        found: dict[str, Consumer] = {}
        for run in self._known.values():
            told = run.readings[0] if run is not None else None
            for path, at in told.program.opened if told is not None and told.program is not None else ():
                consumer = told.consumer if told is not None else None
                if consumer is not None and consumer.evidence == OPENED:
                    consumer = replace(consumer, file=at.file, line=at.line)
                if consumer is not None:
                    found.setdefault(path, consumer)
        return found

    def _openers(self, program: str, path: str) -> list[Followed] | None:
        """Every run of a program that opens a file; None where another program, or a reader of its format, does."""
        runs = [one for one in self._known.values() if one is not None and path in one.opened]
        if any(one.program != program for one in runs) or self.read_otherwise(path, program):
            return None
        return [one.followed for one in runs]

    @cached_property
    def _text(self) -> list[str]:
        """The text of every Python file of the project."""
        read = (self.sources.source(path) for path in self.sources.below(""))
        return [source.text for source in read if source is not None]


def _reading(document: Document) -> Reading | None:
    found = identify(document) if document.root is not None else None
    return found.read(document) if isinstance(found, Reader) and found.loader is Loader.PYTHON else None


_MOST_WAYS = 4
"""Values of a choice that are read; of more the first few."""


def _ways(most: int) -> range:
    return range(min(most, _MOST_WAYS)) if most > 1 else range(0)


def _of_ways(documents: Sequence[Document]) -> Reading | None:
    """The reading of a run; what one of a few known values decides has all of them as its readings."""
    found, *ways = [_reading(one) for one in documents]
    if found is None or not ways:
        return found
    others = [one.settings for one in ways if one is not None]
    settings = [_chosen(setting, [one.get(setting.name) for one in others]) for setting in found.settings.values()]
    return replace(found, settings=Settings(settings))


def _chosen(setting: Setting, ways: Sequence[Setting | None]) -> Setting:
    values = [one.value for one in ways if one is not None and one.known]
    if setting.state != "symbolic" or setting.is_default or len(values) < len(ways):
        return setting
    different = tuple(dict.fromkeys(values))
    if len(different) == 1:
        return replace(setting, value=different[0], state="known", readings=())
    return replace(setting, value=None, state="auto", readings=different)


def _from(reading: Reading, folder: str, files: Files) -> Reading:
    """Files that a program names are those of the folder that it is started in."""
    moved = [_moved(one, folder, files) for one in reading.references]
    return replace(reading, references=tuple(moved)) if folder else reading


def _moved(reference: Reference, folder: str, files: Files) -> Reference:
    path = posixpath.normpath(posixpath.join(folder, reference.text))
    return replace(reference, text=path) if files.exists(path) else reference


def _written(launch: Launch) -> str:
    """The path that a launch has for its program: a module's is that of its file."""
    name = launch.program.program
    return posixpath.normpath(name if name.endswith(PYTHON_SUFFIX) else name.replace(".", "/") + PYTHON_SUFFIX)


def _folder(path: str, launch: Launch) -> str:
    """Where a launch is started: the folder from which the path that it has for its program leads there."""
    written = _written(launch)
    return path.removesuffix(written).rstrip("/") if path.endswith(f"/{written}") else ""


def _words(launch: Launch) -> tuple[Value, ...]:
    return tuple(_word(word, launch.source) for word in launch.words)


def _word(word: Word, source: SourceFile) -> Value:
    from budgetlint.program.values import Known, Open, Origin, Place

    line = source.position(word.span.start)[0] if word.span.start <= len(source.text) else 0
    origins = (Origin("flag", Place(source.path, line, None, source, word.span)),)
    return Known(word.text, origins) if word.known else Open("word", word.text, origins)


def _environment(launch: Launch) -> dict[str, Value]:
    return {name: _word(word, launch.source) for name, word in launch.environment.items()}
