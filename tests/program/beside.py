"""A program beside Python itself: what is claimed to arrive at a call is what arrives there.

A program calls `sink(name=value)`; `p`, `q`, `r` (a condition each) and `many` (a list) are given by nobody. Python runs it once for each
way that these can be; the interpreter follows it once. What is wrong is told in words, and so is what is not known.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import re
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from budgetlint.files.disk import TextFiles
from budgetlint.program.follow import Followed, follow
from budgetlint.program.modules import Trees
from budgetlint.program.sinks import Sink
from budgetlint.program.values import Absent, Choice, Items, Known, Map, Value
from budgetlint.resolve.program_files import ProgramFiles

_OUTSIDE = {"p": (False, True), "q": (False, True), "r": (False, True), "many": ([], ["m"], ["m", "n", "m"])}
_HERE = Path(__file__).parent / "ways"
_PRELUDE = "from transformers import TrainingArguments as sink\nfrom outside import many, p, q, r\n"
_LINES = _PRELUDE.count("\n")


def files_of(files: Mapping[str, str]) -> ProgramFiles:
    """Files in memory."""
    return ProgramFiles(TextFiles(files))


class Way(NamedTuple):
    """A small program of `ways/`.

    ``known``: all that arrives can be known; of the others it is asked only that nothing wrong is claimed.
    """

    name: str
    known: bool
    text: str
    files: dict[str, str]


def ways(name: str) -> list[Way]:
    """The programs of a text: ``## known: name`` or ``## sound: name``, the program, then its other files, each under ``# path``."""
    found: list[Way] = []
    for part in re.split(r"^## ", (_HERE / f"{name}.txt").read_text(encoding="utf8"), flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        kind, _, title = head.partition(": ")
        text, *others = re.split(r"^# (?=\S+\.py$)", body, flags=re.MULTILINE)
        files = {path: rest for path, _, rest in (one.partition("\n") for one in others)}
        found.append(Way(title, kind == "known", text.rstrip(), files))
    return found


class Met(NamedTuple):
    """A call of `sink` that Python met: where, with what."""

    line: int
    values: dict[str, object]


def followed(text: str, files: Mapping[str, str] | None = None) -> Followed:
    modules = {path: _PRELUDE + one for path, one in (files or {}).items()}
    return follow(Trees(files_of({"train.py": _PRELUDE + text, **modules})), "train.py")


def run(text: str, files: Mapping[str, str] | None = None) -> Iterator[list[Met]]:
    """What Python meets, once for each way that comes to its end."""
    names = [name for name in _OUTSIDE if any(name in _names(one) for one in (text, *(files or {}).values()))]
    for values in itertools.product(*(_OUTSIDE[name] for name in names)):
        met: list[Met] = []
        if _ends(text, files or {}, dict(zip(names, values, strict=True)), met):
            yield met


def _names(text: str) -> set[str]:
    return {one.id for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Name)}


def _ends(text: str, files: Mapping[str, str], given: dict[str, object], met: list[Met]) -> bool:
    def sink(**values: object) -> None:
        met.append(Met(sys._getframe(1).f_lineno, {name: plain(value) for name, value in values.items()}))

    before = set(sys.modules)
    finder = _Finder(files, {"sink": sink, **given})
    sys.meta_path.insert(0, finder)
    scope = {"sink": sink, "__name__": "__main__", "__builtins__": builtins, **given}
    main = sys.modules["__main__"]
    try:
        sys.modules["__main__"] = types.ModuleType("__main__")
        sys.modules["__main__"].__dict__.update(scope)
        exec(compile("\n" * _LINES + text, "train.py", "exec", dont_inherit=True), sys.modules["__main__"].__dict__)
    except (Exception, SystemExit):
        return False
    finally:
        sys.modules["__main__"] = main
        sys.meta_path.remove(finder)
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in finder.roots:
                del sys.modules[name]
    return True


class _Finder:
    """Modules from memory."""

    def __init__(self, files: Mapping[str, str], given: dict[str, object]) -> None:
        self.files, self.given = files, given
        self.roots = {path.partition("/")[0].removesuffix(".py") for path in files}

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        from importlib.machinery import ModuleSpec

        part = name.replace(".", "/")
        if part.partition("/")[0] not in self.roots:
            return None
        package = f"{part}/__init__.py" in self.files or any(one.startswith(f"{part}/") for one in self.files)
        at = f"{part}/__init__.py" if package else f"{part}.py"
        if not package and at not in self.files:
            return None
        spec = ModuleSpec(name, self, is_package=package)  # type: ignore[arg-type]
        spec.loader_state = at
        return spec

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__.update(self.given)
        path = module.__spec__.loader_state  # type: ignore[union-attr]
        exec(compile("\n" * _LINES + self.files.get(path, ""), path, "exec", dont_inherit=True), module.__dict__)


def plain(value: object, depth: int = 0) -> object:
    """A value as it is now, of plain kinds; what is none is its class's name."""
    if isinstance(value, list | tuple) and depth < 6:
        return (
            type(value)(plain(one, depth + 1) for one in value)
            if type(value) in (list, tuple)
            else tuple(plain(one, depth + 1) for one in value)
        )
    if isinstance(value, dict) and depth < 6:
        return {key: plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return set(value)
    return value if isinstance(value, str | bytes | int | float | bool | complex) or value is None else _OTHER


_OTHER = type("Other", (), {"__repr__": lambda self: "an object"})()
"""An object that the two are not compared on."""


def wrong(text: str, files: Mapping[str, str] | None = None) -> list[str]:
    """What is claimed and is not so."""
    found: list[str] = []
    got = followed(text, files)
    runs = list(run(text, files))
    for met in runs:
        found += _missed(got, met)
    if runs and not got.stopped:
        found += [
            f"line {one.line - _LINES}: said to be always met, and is not"
            for one in got.sinks
            if not one.conditions and not all(_has(met, one) for met in runs)
        ]
    if got.stopped and runs and not got.stopped.startswith("the program is"):
        found.append(f"stopped: {got.stopped}")
    return list(dict.fromkeys(found))


def _has(met: list[Met], sink: Sink) -> bool:
    return sink.place.path != "train.py" or any(one.line == sink.line for one in met)


def _missed(got: Followed, met: list[Met]) -> Iterator[str]:
    for one in met:
        sinks = [sink for sink in got.sinks if sink.line == one.line]
        if not sinks and not got.stopped:
            yield f"line {one.line - _LINES}: not met"
        elif sinks and not any(_agree(sink, one) for sink in sinks):
            shown = " / ".join(repr(sink.arguments) for sink in sinks)
            yield f"line {one.line - _LINES}: {one.values} is none of {shown}"


def _agree(sink: Sink, met: Met) -> bool:
    names = set(sink.arguments) | set(met.values)
    return all(
        (sink.rest is not None and name not in sink.arguments)
        or (name in sink.arguments and may_be(sink.arguments[name], met.values.get(name, _NOTHING)))
        for name in names
    )


_NOTHING = object()


def may_be(value: Value, real: object) -> bool:
    """Whether what is claimed of a value allows what Python has."""
    match value:
        case Choice():
            return any(may_be(way.value, real) for way in value.ways)
        case Known():
            return real is not _NOTHING and type(value.value) is type(real) and value.value == real
        case Items():
            return _items_may_be(value, real)
        case Map():
            return _map_may_be(value, real)
    if isinstance(value, Absent):
        return real is _NOTHING
    return True


def _items_may_be(value: Items, real: object) -> bool:
    if value.kind in ("set", "frozenset"):
        return isinstance(real, set) and (value.more is not None or len(value.items) >= len(real))
    if not isinstance(real, list | tuple) or real.__class__.__name__ not in (value.kind, "tuple"):
        return False
    if len(value.items) > len(real) or (value.more is None and len(value.items) != len(real)):
        return any("absent" in repr(one) for one in value.items)
    return all(may_be(one, other) for one, other in zip(value.items, real, strict=False))


def _map_may_be(value: Map, real: object) -> bool:
    if not isinstance(real, dict):
        return real is _OTHER
    if value.rest is None and any(key not in value.items for key in real):
        return False
    return all(may_be(one, real.get(key, _NOTHING)) for key, one in value.items.items() if not (key not in real and value.rest is not None))


def unknown(text: str, files: Mapping[str, str] | None = None) -> list[str]:
    """Arguments that are not known, nor one of several that are: soundness alone would let everything be open."""
    got = followed(text, files)
    return [
        f"line {one.line - _LINES}: {name}={value!r}" for one in got.sinks for name, value in one.arguments.items() if not _is_known(value)
    ] + ([] if got.sinks else ["no sink was met"])


def _is_known(value: Value) -> bool:
    match value:
        case Choice():
            return all(_is_known(way.value) for way in value.ways)
        case Items():
            return value.more is None and all(map(_is_known, value.items))
        case Map():
            return value.rest is None and all(map(_is_known, value.items.values()))
    return isinstance(value, Known | Absent)
