"""Files that a program opens. One of the repository is read as the program reads it; of one that is not there, or that the program writes,
nothing is known.

An open file is an object of kind ``file``; its ``data`` is a `Handle`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import NamedTuple

from budgetlint.base.folders import folders_above
from budgetlint.base.source import SourceFile
from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives
from budgetlint.program.objects import Handler, Object
from budgetlint.program.packages.paths import path_text, project_path
from budgetlint.program.packages.plain import LONGEST, Method, unknown
from budgetlint.program.packages.roots import in_project
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter, Launched, text_of
from budgetlint.program.values import NONE, TRUE, Items, Known, Opaque, Value

_WRITTEN = "os.<written>"


class Handle(NamedTuple):
    """What an open file is of, and how it was opened."""

    path: Value
    mode: str


def open_(it: Interpreter, call: Call) -> Value:
    path = call.get("file", 0)
    if path is None or call.rest is not None:
        return unknown("open", call.given())
    return opened(it, path, call.get("mode", 1), call)


def opened(it: Interpreter, path: Value, mode: Value | None, call: Call) -> Object:
    """An open file. One that is opened for writing is not what the repository has from here on."""
    made = Object("file")
    asked = "r" if mode is None else text_of(mode)
    made.data = Handle(path, asked or "?")
    made.attributes = {"name": path}
    if any(not _is_here(it, way.value) for way in alternatives(path)):
        it.may_fail()
    if asked is None or set(asked) & set("wax+"):
        for way in alternatives(path):
            _change(it, way.value)
    return made


def _is_here(it: Interpreter, path: Value) -> bool:
    inner = project_path(it, path)
    return inner is not None and it.modules.files.is_file(inner)


def _change(it: Interpreter, path: Value) -> None:
    kept, inner = it.parts.constants.get(_WRITTEN), project_path(it, path)
    if isinstance(kept, Object) and inner is not None:
        it.heap.write(kept, inner, TRUE)


def _found(it: Interpreter, path: Value) -> str | None:
    """The file that a path leads to from where the program is started; of one that nothing is known to start, also from its own folder
    and those
    above, as people start it there."""
    inner = project_path(it, path)
    if inner is None or it.modules.files.is_file(inner):
        return inner
    text, folder = path_text(path) or "", posixpath.dirname(it.modules.entry)
    for one in (folder, *folders_above(folder)) if folder and not text.startswith(("/", "~")) else ():
        near = in_project(text, one) if one else None
        if near is not None and it.modules.files.is_file(near):
            return near
    return None


def source_of(it: Interpreter, path: Value) -> SourceFile | None:
    """The text of a file of the repository that the program has not written itself; None for any other. What named it is noted."""
    inner = _found(it, path)
    if inner is None:
        return None
    kept = it.parts.constants.get(_WRITTEN)
    if isinstance(kept, Object) and inner in kept.attributes:
        return None
    source = it.modules.files.source(inner)
    if source is not None:
        named = path.origins[0] if path.origins else Origin("source", Place(inner, 0))
        if (inner, named) not in it.opened:
            it.opened.append((inner, named))
    return source


def text_from(it: Interpreter, path: Value) -> Value:
    """The content of a file as a text, with the line ends that Python gives."""
    source = source_of(it, path)
    if source is None:
        it.may_fail()
        return Opaque(f"the content of {path_text(path) or 'a file'}", path, "builtins", path.origins)
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > LONGEST:
        return Opaque(f"the content of {source.path}", path, "builtins", path.origins)
    return Known(text, (Origin("config", Place(source.path, 1, source=source)),))


def read_text(it: Interpreter, base: Value, call: Call) -> Value:
    return text_from(it, base)


def read_bytes(it: Interpreter, base: Value, call: Call) -> Value:
    """The bytes of a text file: what is read from them is read from the text."""
    return _content(it, base)


def _content(it: Interpreter, path: Value) -> Value:
    made = Object("file")
    made.data = Handle(path, "rb")
    return Opaque("the bytes of a file", made, "builtins", path.origins)


def handle_of(value: Value) -> Handle | None:
    """The file behind what was opened."""
    return value.data if isinstance(value, Object) and isinstance(value.data, Handle) else None


def _read(it: Interpreter, base: Value, call: Call) -> Value:
    handle = handle_of(base)
    if handle is None or call.given() or _is_used(base):
        return unknown("a part of a file", [base])
    _use(it, base)
    if "b" in handle.mode or "?" in handle.mode:
        return it.each(handle.path, lambda one: _content(it, one))
    return it.each(handle.path, lambda one: text_from(it, one))


def _is_used(base: Value) -> bool:
    return isinstance(base, Object) and "<used>" in base.attributes


def _use(it: Interpreter, base: Value) -> None:
    """What is read once is behind the place where the next reading begins."""
    if isinstance(base, Object):
        it.heap.write(base, "<used>", TRUE)


def _lines(it: Interpreter, base: Value, call: Call) -> Value:
    whole = _read(it, base, call._replace(positional=(), keywords={}))

    def cut(text: Value) -> Value:
        if not isinstance(text, Known) or not isinstance(text.value, str):
            return Items((), "list", unknown("a line", [text]))
        lines = text.value.split("\n")
        ended = [f"{one}\n" for one in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        return (
            Items([Known(one, text.origins) for one in ended], "list")
            if len(ended) <= 1_000
            else Items((), "list", unknown("a line", [text]))
        )

    return it.each(whole, cut)


def _itself(it: Interpreter, base: Value, call: Call) -> Value:
    return base


def _nothing(it: Interpreter, base: Value, call: Call) -> Value:
    return NONE


def _part(it: Interpreter, base: Value, call: Call) -> Value:
    _use(it, base)
    return unknown("a part of a file", [base])


def _started(launched: Launched) -> Value:
    return Object("os.<written>")


METHODS: dict[str, Method] = {
    "file.read": _read, "file.readlines": _lines, "file.__iter__": _lines, "file.__enter__": _itself, "file.__exit__": _nothing,
    "file.write": _part, "file.writelines": _nothing, "file.close": _nothing, "file.flush": _nothing, "file.readline": _part,
    "file.seek": _part,
    "file.tell": _part, "file.fileno": _part,
}  # fmt: skip
FUNCTIONS: dict[str, Handler] = {"open": open_, "io.open": open_, "codecs.open": open_}
MADE: Mapping[str, Callable[[Launched], Value]] = {_WRITTEN: _started}
