"""How a program is started: by a launch, by the words that would name a file, or without words."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from budgetlint.base.record import record
from budgetlint.base.source import SourceFile
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.resolve.edges import beside

if TYPE_CHECKING:
    from budgetlint.documents.shell_words import Word
    from budgetlint.files.disk import Files
    from budgetlint.launch import Launch
    from budgetlint.program.state import Launched
    from budgetlint.program.values import Value


@record
class Start:
    """How a program is started: by a launch, by the words that would name a file, or without words."""

    path: str
    launch: Launch | None = None
    words: tuple[str, ...] | None = None
    function: str = ""
    """The function that is called, for a console script."""

    @property
    def key(self) -> tuple[object, ...]:
        if self.launch is None:
            return self.path, self.words, self.function
        launch = self.launch
        environment = tuple((name, word.text) for name, word in launch.environment.items())
        words = tuple((word.text, word.is_told) for word in launch.words)
        return self.path, self.function, launch.source.path, launch.source.text, launch.number, words, environment


def written(launch: Launch) -> str:
    """The path that a launch has for its program: a module's is that of its file."""
    return paths_of(launch)[0]


def paths_of(launch: Launch) -> tuple[str, ...]:
    """All that it may be: a package is started by its ``__main__``, a console script by the module of its function."""
    name = launch.function.partition(":")[0] or launch.program.program
    if name.endswith(PYTHON_SUFFIX):
        return (posixpath.normpath(name),)
    path = name.replace(".", "/")
    own = (posixpath.normpath(path + PYTHON_SUFFIX),)
    return (*own, posixpath.join(path, "__init__.py" if launch.function else "__main__.py"))


def in_sources(launch: Launch) -> tuple[str, ...]:
    """The same of a module below ``src``, where setuptools and its like install packages from (*Package Discovery*, "src-layout")."""
    is_module = not launch.function and not launch.program.program.endswith(PYTHON_SUFFIX)
    return tuple(posixpath.join("src", one) for one in paths_of(launch)) if is_module else ()


def _folder(path: str, launch: Launch) -> str:
    """Where a launch is started: the folder from which the path that it has for its program leads there. That of a console script says
    nothing of it."""
    if launch.function:
        return ""
    below = in_sources(launch) if posixpath.basename(launch.folder or launch.anywhere) != "src" else ()
    found = next((one for one in (*below, *paths_of(launch)) if path == one or path.endswith(f"/{one}")), "")
    return path.removesuffix(found).rstrip("/") if found else ""


def at_home(launched: Launched, start: Start, files: Files) -> Launched:
    """The launch with the files of the project by the paths that they have here, where it has those of somebody's machine: below the folder
    that its program lies in there."""
    name = start.launch.program.program if start.launch is not None else ""
    script = start.launch.source.path if start.launch is not None else ""
    if not launched.words or not name.startswith(("/", "~")):
        return launched
    return launched._replace(words=tuple(_inside(word, script, name, files) for word in launched.words))


def _inside(word: Value, script: str, name: str, files: Files) -> Value:
    """``/home/me/repo/ds.json``, ``--config=/home/me/repo/a.yaml``"""
    from budgetlint.program.values import Known

    if not isinstance(word, Known) or not isinstance(word.value, str):
        return word
    flag, sign, text = word.value.partition("=") if word.value.startswith("-") else ("", "", word.value)
    path = beside(script, name, text, files.exists)
    return Known(flag + sign + path, word.origins) if path is not None else word


_OF_LAUNCHERS = frozenset({"RANK", "LOCAL_RANK", "WORLD_SIZE"})
"""What torchrun, accelerate and DeepSpeed set for each process."""


def started(start: Start) -> Launched:
    from budgetlint.launch.readings import is_plain
    from budgetlint.program.state import Launched
    from budgetlint.program.values import Known

    launch = start.launch
    if launch is not None:
        words = tuple(_word(word, launch.source) for word in launch.words if not _is_nothing(word, launch.source))
        return Launched(words, _folder(start.path, launch), _environment(launch), _OF_LAUNCHERS if is_plain(launch) else frozenset())
    return Launched(None if start.words is None else tuple(Known(word) for word in start.words))


def _is_nothing(word: Word, source: SourceFile) -> bool:
    """An expansion that comes to nothing, outside of quotes, and what follows the last line's backslash: the shell makes no word of it."""
    return word.is_told and not word.text.strip() and source.text[word.span.start : word.span.start + 1] not in ('"', "'")


def _word(word: Word, source: SourceFile) -> Value:
    from budgetlint.program.places import Origin, Place
    from budgetlint.program.values import Known, Open

    line = source.position(word.span.start)[0] if word.span.start <= len(source.text) else 0
    origins = (Origin("flag", Place(source.path, line, None, source, word.span)),)
    return Known(word.text, origins) if word.is_told else Open("word", word.text, origins)


def _environment(launch: Launch) -> Mapping[str, Value]:
    from budgetlint.launch.readings import world_size
    from budgetlint.program.places import Origin, Place
    from budgetlint.program.values import Known

    exported = {name: _word(word, launch.source) for name, word in launch.environment.items()}
    processes = world_size(launch)
    if processes is None:
        return exported
    line, _ = launch.source.position(min(launch.span.start, len(launch.source.text)))
    origin = Origin("flag", Place(launch.source.path, line, None, launch.source, launch.span), "WORLD_SIZE")
    return {**exported, "WORLD_SIZE": Known(str(processes), (origin,))}
