"""What the interpreter says of a program beside what Python did: each known value is the one that was there, or there is a fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from budgetlint.files.disk import DiskFiles
from budgetlint.program.follow import Followed, follow
from budgetlint.program.modules import Trees
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.sink_kinds import kind_of_call, kind_of_method
from budgetlint.program.sinks import Sink
from budgetlint.program.state import Launched
from budgetlint.program.values import Absent, Choice, External, Items, Known, Map, Value
from budgetlint.resolve.program_files import ProgramFiles
from tests.program.execute import Called, Ran

NOT_GIVEN = object()
_SAID = Known | External | Items | Map | Object
_ADAPTERS = frozenset({"adapter", "unsloth_adapter", "peft_load"})
_MODELS = frozenset({"load", "unsloth_load", "kbit", "ddp", "fsdp", *_ADAPTERS})
_SAME_DTYPE = {"float": "float32", "half": "float16", "double": "float64", "long": "int64"}


def followed(root: Path, entry: str, words: Sequence[str], environment: Mapping[str, str]) -> Followed:
    """The program as the interpreter has it, started as Python starts it."""
    started = Launched(tuple(Known(word) for word in words), "", {key: Known(value) for key, value in environment.items()})
    return follow(Trees(ProgramFiles(DiskFiles(root))), entry, started)


@dataclass(frozen=True)
class Fault:
    """``kind``: ``differs`` (a known value is another), ``closed`` (an argument that was given is not there), ``extra`` (one that was not
    given is), ``missed`` (a call is not there), ``phantom`` (a certain call was not made), ``stops`` (Python stopped, and nothing says so),
    ``goes on`` (Python did not stop where it is said to).
    """

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


def faults(root: Path, ran: Ran, found: Followed) -> list[Fault]:
    """Everything that the interpreter claims of this program and Python does not bear out."""
    comparison = _Comparison(root, ran, found)
    return list(dict.fromkeys([*comparison.reached(), *comparison.claimed(), *comparison.objects(), *comparison.refused()]))


def shares(ran: Ran, found: Followed) -> tuple[int, int]:
    """Of the arguments that Python gave to calls of the program: how many are known at some claim, and all."""
    known = total = 0
    for called in ran.calls:
        if _covered(called.name) and called.direct:
            claims = [one for one in found.sinks if one.line == called.line and _same_name(one.name, called.name)]
            total += len(called.arguments)
            known += sum(any(isinstance(one.arguments.get(name), _SAID) for one in claims) for name in called.arguments)
    return known, total


def _covered(name: str) -> bool:
    """Whether the interpreter holds calls of this name for ones that decide memory."""
    owner, _, last = name.rpartition(".")
    method = kind_of_method(last) and (last == "train" or not owner.endswith("Trainer"))
    return bool(kind_of_call(name) or method) or last in {"__call__", "apply_chat_template"}


class _Comparison:
    def __init__(self, root: Path, ran: Ran, found: Followed) -> None:
        self.root, self.ran, self.found = root, ran, found
        self.patched = any(doubt.is_of_all for doubt in found.doubts)
        self.calls = [(number, one) for number, one in enumerate(ran.calls) if _covered(one.name)]

    # both ways between calls and claims

    def reached(self) -> Iterator[Fault]:
        """Each call that Python made: some claim at its place says nothing else."""
        for number, called in self.calls:
            claims = self._claims(called)
            if claims:
                yield from min(([*self._arguments(claim, number, called)] for claim in claims), key=len)
            elif called.direct and not self.found.stopped:
                yield Fault("missed", f"{called.file}:{called.line}", called.name)

    def claimed(self) -> Iterator[Fault]:
        """Each claim without a condition: Python made such a call, of which nothing else is said."""
        for claim in self.found.sinks:
            if claim.conditions or (self.ran.status and self.found.refusals):
                continue
            made = [(number, called) for number, called in self.calls if claim in self._claims(called)]
            if not made:
                yield Fault("stops" if self.ran.status else "phantom", str(claim.place), claim.name)
            else:
                yield from min(([*self._arguments(claim, *one)] for one in made), key=len)

    def _claims(self, called: Called) -> list[Sink]:
        return [
            one
            for one in self.found.sinks
            if _same_name(one.name, called.name) and one.place.path == called.file
            and _one_call(self.root, called.file, one.line, called.line)
        ]  # fmt: skip

    def _arguments(self, claim: Sink, number: int, called: Called) -> Iterator[Fault]:
        where = f"{called.file}:{called.line} {called.name}"
        for name, given in called.arguments.items():
            value = claim.arguments.get(name)
            if value is None and claim.rest is None and not claim.positional and (called.direct or called.parsed):
                yield Fault("closed", where, f"{name}={given!r} is not there")
            elif value is not None and not self.agrees(value, given, number):
                yield Fault("differs", where, f"{name}={value!r}, Python: {given!r}")
        for name, value in claim.arguments.items():
            if name not in called.arguments and not self.agrees(value, NOT_GIVEN, number) and not _is_default(value, called, name):
                yield Fault("extra", where, f"{name}={value!r} was not given")

    def refused(self) -> Iterator[Fault]:
        if not self.ran.status:
            for one in self.found.refusals:
                yield Fault("goes on", str(one.place), one.condition)
            if "error" in self.found.stopped:
                yield Fault("goes on", "", self.found.stopped)

    # arguments objects, as they are at the end

    def objects(self) -> Iterator[Fault]:
        if self.ran.status and self.found.refusals:
            return  # what is read on behind a refusal is not what Python did
        for number, called in self.calls:
            claims = [one for one in self._claims(called) if one.kind == "arguments" and one.result is not None]
            if called.fields and claims:
                yield from min(([*self._fields(claim, number, called)] for claim in claims), key=len)

    def _fields(self, claim: Sink, number: int, called: Called) -> Iterator[Fault]:
        assert claim.result is not None
        where = f"{called.file}:{called.line} {called.name}"
        final = self.state(number, len(self.ran.calls))
        for name, value in claim.result.attributes.items():
            asked = final.get(str(name), NOT_GIVEN)
            if asked is not NOT_GIVEN and not self._field(name, value, number, len(self.ran.calls)):
                yield Fault("differs", where, f"at the end {name}={value!r}, Python: {asked!r}")
        changed = {name for one in self._changes(number, len(self.ran.calls)) for name in one.arguments}
        for name in sorted(changed - {str(one) for one in claim.result.attributes}):
            if claim.result.rest is None and not self._doubted(claim):
                yield Fault("closed", where, f"at the end {name}={final[name]!r} is not there")

    def _field(self, name: Any, value: Value, number: int, until: int) -> bool:
        """Whether a field of what call ``number`` made is as ``value`` says; one that nobody set has what the class has."""
        asked = self.state(number, until)[str(name)]
        written = str(name) in self.ran.calls[number].arguments or any(str(name) in one.arguments for one in self._changes(number, until))
        allowed = (asked,) if written else (asked, NOT_GIVEN)
        return any(self.agrees(value, one, until) for one in allowed) or self._read_otherwise(value)

    def _read_otherwise(self, value: Value) -> bool:
        """What ``__post_init__`` of the package makes of None and of JSON in a text; a patched class may make anything."""
        return self.patched or (
            isinstance(value, Known) and (value.value is None or (isinstance(value.value, str) and value.value.startswith("{")))
        )

    def _doubted(self, claim: Sink) -> bool:
        return self.patched or any(isinstance(one.about, Object) and one.about.made is claim for one in self.found.doubts)

    def state(self, number: int, until: int) -> dict[str, Any]:
        """The fields of what call ``number`` made, as they were before call ``until``."""
        changes = [one.arguments for one in self._changes(number, until)]
        return {**self.ran.calls[number].fields, **{name: value for change in changes for name, value in change.items()}}

    def _changes(self, number: int, until: int) -> list[Called]:
        return [one for one in self.ran.calls[:until] if one.of == number]

    # one value

    def agrees(self, value: Value, given: Any, at: int) -> bool:
        """Whether Python's value is one that ``value`` allows; ``at``: the number of the call that it was given to."""
        if isinstance(value, Choice):
            return any(self.agrees(way.value, given, at) for way in value.ways)
        if isinstance(value, Absent):
            return given is NOT_GIVEN
        if isinstance(value, Known | External | Items | Map | Object | Function | Class):
            return given is not NOT_GIVEN and self._is(value, given, at)
        return True

    def _is(self, value: Value, given: Any, at: int) -> bool:
        match value:
            case Known():
                return _plain(value.value, given)
            case External():
                return self._external(value.name, given)
            case Items():
                return isinstance(given, list) and self._items(value, given, at)
            case Map():
                return isinstance(given, dict) and self._map(value, given, at)
            case Object():
                return self._object(value, given, at)
        return isinstance(given, dict)

    def _external(self, name: str, given: Any) -> bool:
        """A class or function is what it is called; a number or text that a package holds may be any, but for torch's dtypes."""
        last = _last(name)
        if isinstance(given, dict) and "function" in given:
            return last == given["function"]
        dtype = isinstance(given, str) and given.startswith("torch.")
        return not dtype or given in (f"torch.{last}", f"torch.{_SAME_DTYPE.get(last, last)}")

    def _items(self, value: Items, given: list[Any], at: int) -> bool:
        if value.kind in ("set", "frozenset") and value.more is None:
            return len(value.items) == len(given) and all(any(self.agrees(one, other, at) for one in value.items) for other in given)
        if value.more is not None:
            return True
        return len(value.items) == len(given) and all(self.agrees(one, other, at) for one, other in zip(value.items, given, strict=True))

    def _map(self, value: Map, given: dict[str, Any], at: int) -> bool:
        claimed = {_key(key): one for key, one in value.items.items()}
        if value.rest is None and set(given) - set(claimed):
            return False
        return all(self.agrees(one, given.get(key, NOT_GIVEN), at) for key, one in claimed.items())

    def _object(self, value: Object, given: Any, at: int) -> bool:
        if not isinstance(given, dict):
            return value.cls is not None  # an enum's member, a text of a class of the program
        if "sink" not in given or value.made is None:
            return True
        made = self.ran.calls[given["sink"]]
        if not made.direct:
            return True
        if (value.made.kind in _ADAPTERS) != (kind_of_call(made.name) in _ADAPTERS):
            return False
        if not any(value.made.number == one.number for one in self._claims(made)):
            return value.made.kind in _MODELS  # what wraps a model may give the model itself
        fields = self.state(given["sink"], at)
        return self.patched or all(
            self._field(name, one, given["sink"], at) for name, one in value.attributes.items() if str(name) in fields
        )


def _plain(value: Any, given: Any) -> bool:
    """Equal as Python has it, a number never for a truth value."""
    if isinstance(value, PurePosixPath):
        return str(value) == given
    if isinstance(value, bool) or isinstance(given, bool):
        return value is given
    return bool(value == given)


def _is_default(value: Value, called: Called, name: str) -> bool:
    """A claim of what the class has where nothing was given; what a parser hands to a class may be meant for another."""
    if called.parsed and name not in called.fields:
        return True
    if called.name.endswith("Trainer"):
        return isinstance(value, Known) and value.value is None
    return isinstance(value, Known) and name in called.fields and _plain(value.value, called.fields[name])


def _key(key: Any) -> str:
    return "null" if key is None else str(getattr(key, "name", key))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _same_name(claim: str, called: str) -> bool:
    """The same class or function; the claim of a method has its own name only."""
    one, other = claim.split("."), called.split(".")
    if one[-1] in ("from_pretrained", "from_config", "get_peft_model") and len(one) > 1:
        return one[-2:] == other[-2:] or (one[-1] == "get_peft_model" and one[-1] == other[-1])
    return one[-1] == other[-1]


@lru_cache(maxsize=8)
def _spans(text: str) -> tuple[tuple[int, int], ...]:
    """Lines from which each call of a file is made: those of its function's name."""
    return tuple((one.lineno, one.func.end_lineno or one.lineno) for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call))


def _one_call(root: Path, file: str, line: int, other: int) -> bool:
    """Whether two lines are of one call; of a call that takes several Python tells another than the first."""
    if line == other:
        return True
    return any(first <= line <= last and first <= other <= last for first, last in _spans((root / file).read_text(encoding="utf-8")))
