"""A few lines followed in a project of a few files, and what their names are then."""

from __future__ import annotations

from collections.abc import Mapping

from budgetlint.files.disk import TextFiles
from budgetlint.program.follow import _parts, _start
from budgetlint.program.modules import Modules, Trees
from budgetlint.program.packages.class_defaults import default
from budgetlint.program.state import Interpreter, Launched
from budgetlint.program.values import Choice, Items, Known, Map, Value
from budgetlint.resolve.program_files import ProgramFiles


def project_of(files: Mapping[str, str]) -> ProgramFiles:
    """Files in memory."""
    return ProgramFiles(TextFiles(files))


class Seen:
    """The state after a program."""

    def __init__(self, it: Interpreter, entry: str, stopped: str) -> None:
        self.it, self.stopped = it, stopped
        self.names = it.modules.made[entry].names.bound

    def __getitem__(self, name: str) -> Value:
        return self.names[name]


def followed(text: str, files: dict[str, str] | None = None, launched: Launched | None = None, entry: str = "train.py") -> Seen:
    started = launched or Launched()
    trees = Trees(project_of({entry: text, **(files or {})}))
    it = Interpreter(_parts(default, started), Modules(trees, entry, started.folder), started)
    return Seen(it, entry, _start(it, entry, ""))


class Unknown(Exception):
    """Some part of a value is not known."""


def as_python(value: Value) -> object:
    """The value as Python has it, containers too. Raises Unknown."""
    match value:
        case Known():
            return value.value
        case Items() if value.more is None:
            found = [as_python(one) for one in value.items]
            return {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}.get(value.kind, list)(found)
        case Map() if value.rest is None:
            return {key: as_python(one) for key, one in value.items.items()}
    raise Unknown(repr(value))


def ways_of(value: Value) -> list[object]:
    """Each way of a choice, a value that is none as its only way."""
    return [as_python(way.value) for way in value.ways] if isinstance(value, Choice) else [as_python(value)]
