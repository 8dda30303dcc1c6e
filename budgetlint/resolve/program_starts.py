"""How a program is started: by a launch, by the words that would name a file, or without words."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from budgetlint.base.record import record
from budgetlint.base.source import SourceFile
from budgetlint.files.disk import PYTHON_SUFFIX

if TYPE_CHECKING:
    from budgetlint.documents.shell_words import Word
    from budgetlint.launch import Launch
    from budgetlint.program.state import Launched
    from budgetlint.program.values import Value


@record
class Start:
    """How a program is started: by a launch, by the words that would name a file, or without words."""

    path: str
    launch: Launch | None = None
    words: tuple[str, ...] | None = None

    @property
    def key(self) -> tuple[object, ...]:
        if self.launch is None:
            return self.path, self.words
        launch = self.launch
        environment = tuple((name, word.text) for name, word in launch.environment.items())
        return self.path, launch.source.path, launch.source.text, launch.number, tuple(word.text for word in launch.words), environment


def written(launch: Launch) -> str:
    """The path that a launch has for its program: a module's is that of its file."""
    name = launch.program.program
    return posixpath.normpath(name if name.endswith(PYTHON_SUFFIX) else name.replace(".", "/") + PYTHON_SUFFIX)


def _folder(path: str, launch: Launch) -> str:
    """Where a launch is started: the folder from which the path that it has for its program leads there."""
    path_written = written(launch)
    return path.removesuffix(path_written).rstrip("/") if path.endswith(f"/{path_written}") else ""


def started(start: Start) -> Launched:
    from budgetlint.program.state import Launched
    from budgetlint.program.values import Known

    launch = start.launch
    if launch is not None:
        return Launched(tuple(_word(word, launch.source) for word in launch.words), _folder(start.path, launch), _environment(launch))
    return Launched(None if start.words is None else tuple(Known(word) for word in start.words))


def _word(word: Word, source: SourceFile) -> Value:
    from budgetlint.program.places import Origin, Place
    from budgetlint.program.values import Known, Open

    line = source.position(word.span.start)[0] if word.span.start <= len(source.text) else 0
    origins = (Origin("flag", Place(source.path, line, None, source, word.span)),)
    return Known(word.text, origins) if word.is_told else Open("word", word.text, origins)


def _environment(launch: Launch) -> Mapping[str, Value]:
    return {name: _word(word, launch.source) for name, word in launch.environment.items()}
