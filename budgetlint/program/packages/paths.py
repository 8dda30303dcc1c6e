"""``os.path`` and the working folder: what a path is, and whether the repository has it. Paths of the project are told by `roots`.

A path is a text or a `pathlib` path; both are followed as Linux has them. Of what lies outside of the repository nobody knows whether it
is there.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead
from budgetlint.program.objects import Handler, Object
from budgetlint.program.packages.plain import REFUSED, NotPlain, origins_in, plain, spread, unknown, value_of
from budgetlint.program.packages.roots import MARK, ROOT, in_project, settled
from budgetlint.program.path_ends import between, with_end
from budgetlint.program.state import Interpreter, Launched
from budgetlint.program.values import NONE, Known, Opaque, Value

_FOLDER = "os.<folder>"
"""The constant that keeps where the program is, from the root of the project."""


def folder(it: Interpreter) -> str | None:
    """Where the program is, from the project's root; None where it went somewhere else."""
    kept = it.parts.constants.get(_FOLDER)
    if not isinstance(kept, Object):
        return it.launched.folder
    now = kept.attributes.get("folder")
    return now.value if isinstance(now, Known) and isinstance(now.value, str) else None


def path_text(value: Value) -> str | None:
    """A known path as a text."""
    one = value.value if isinstance(value, Known) else None
    return str(one) if isinstance(one, str | PurePosixPath) else None


def project_path(it: Interpreter, value: Value) -> str | None:
    """A known path of the project, from its root; None for any other."""
    text, here = path_text(value), folder(it)
    if text is None or (here is None and not text.startswith("/")):
        return None
    return in_project(text, here or "")


def absolute(it: Interpreter, text: str) -> str | None:
    """The absolute path of a text; None where it is not known."""
    here = folder(it)
    if not text.startswith("/") and here is None:
        return None
    whole = posixpath.normpath(posixpath.join(ROOT, here or "", text))
    own = not text.startswith("/") or MARK in text
    return whole if settled(whole) and whole.startswith(ROOT) is own else None


def _worked_out(name: str, function: Callable[..., object], least: int, most: int) -> Handler:
    """A function of ``os.path`` that only looks at the text."""

    def handler(it: Interpreter, call: Call) -> Value:
        def one(values: list[Value]) -> Value:
            try:
                given = [plain(value, paths=True, marks=True) for value in values]
                return told(function(*given), given, values, name)
            except NotPlain:
                return _ended(name, unknown(name, values, "os"), values)
            except REFUSED:
                raise Dead from None

        if call.rest is not None or call.keywords or not least <= len(call.positional) <= most:
            return unknown(name, call.given(), "os")
        return spread(it, call.positional, one, name)

    return handler


def _ended(name: str, value: Value, given: list[Value]) -> Value:
    """What of a path is known at its end, where the function keeps that."""
    return with_end(value, between(given)) if name in _KEEPS_THE_END else value


_KEEPS_THE_END = frozenset({"os.path.join", "os.path.normpath", "os.path.abspath", "os.path.expanduser", "os.path.expandvars"})
"""Not ``realpath``, which follows links."""


def told(found: object, given: list[object], values: list[Value], name: str) -> Value:
    """What came out, unless it tells of a folder above the project's, which is not known."""
    parts = found if isinstance(found, tuple | list) else (found,)
    lost = any(isinstance(one, str | PurePosixPath) and _above(str(one), given) for one in parts)
    return unknown(f"{name} of a folder above the project's", values, "os") if lost else value_of(found, origins_in(values))


def _above(text: str, given: list[object]) -> bool:
    """A part of the unknown folder itself, or a folder above it."""
    if MARK in text:
        return not settled(text)
    marked = any(MARK in str(one) for one in given)
    return marked and text.startswith("/")


def _of_text(function: Callable[[str], object]) -> Callable[..., object]:
    def run(path: object) -> object:
        if not isinstance(path, str | PurePosixPath):
            raise TypeError
        return function(str(path))

    return run


def _base(path: str) -> str:
    found = posixpath.basename(path)
    return found if path != ROOT else path + MARK  # its own name is not known: `told` sees that


def _joined(*parts: object) -> object:
    if not all(isinstance(one, str | PurePosixPath) for one in parts):
        raise TypeError
    return posixpath.join(*(str(one) for one in parts))


def _split(path: str) -> tuple[str, str]:
    return (posixpath.dirname(path), _base(path))


def _absolute(name: str) -> Handler:
    """``abspath`` and ``realpath``; links are not followed, so only the project's own paths are told of the second."""

    def one(it: Interpreter, value: Value) -> Value:
        text = path_text(value)
        if text is None:
            if isinstance(value, Known):
                raise Dead
            return _ended(name, unknown(name, [value], "os"), [value])
        found = absolute(it, text)
        if found is None or (name == "os.path.realpath" and not found.startswith(ROOT)):
            return unknown(name, [value], "os")
        return Known(found, value.origins)

    def handler(it: Interpreter, call: Call) -> Value:
        value = call.get("path", 0)
        return unknown(name, call.given(), "os") if value is None or call.rest is not None else it.each(value, lambda way: one(it, way))

    return handler


def _expanded(name: str, mark: str) -> Handler:
    """``expanduser`` and ``expandvars`` of a text that has nothing of the kind."""

    def one(value: Value) -> Value:
        text = path_text(value)
        if text is None or mark in text:
            return _ended(name, unknown(name, [value], "os"), [value])
        return Known(text, value.origins)

    def handler(it: Interpreter, call: Call) -> Value:
        value = call.get("path", 0)
        return unknown(name, call.given(), "os") if value is None or call.rest is not None else it.each(value, one)

    return handler


def _relative(it: Interpreter, call: Call) -> Value:
    def one(values: list[Value]) -> Value:
        texts = [path_text(value) for value in values]
        whole = [absolute(it, text) if text else None for text in texts]
        start = absolute(it, "") if len(whole) < 2 else whole[1]
        if not whole or whole[0] is None or start is None or whole[0].startswith(ROOT) != start.startswith(ROOT):
            return unknown("os.path.relpath", values, "os")
        return told(posixpath.relpath(whole[0], start), [*whole], values, "os.path.relpath")

    given = [one for one in (call.get("path", 0), call.get("start", 1)) if one is not None]
    return spread(it, given, one, "os.path.relpath") if given and call.rest is None else unknown("os.path.relpath", call.given(), "os")


def _getcwd(it: Interpreter, call: Call) -> Value:
    here = folder(it)
    return Opaque("the working folder", package="os") if here is None else Known(posixpath.join(ROOT, here) if here else ROOT)


def _chdir(it: Interpreter, call: Call) -> Value:
    kept = it.parts.constants.get(_FOLDER)
    path = project_path(it, call.positional[0]) if len(call.positional) == 1 else None
    if isinstance(kept, Object):
        it.heap.write(kept, "folder", Opaque("the working folder", package="os") if path is None else Known(path))
    return NONE


def _started(launched: Launched) -> Value:
    kept = Object("os.getcwd")
    kept.attributes["folder"] = Known(launched.folder)
    return kept


def _fspath(it: Interpreter, call: Call) -> Value:
    value = call.positional[0] if len(call.positional) == 1 else None
    text = None if value is None else path_text(value)
    return unknown("os.fspath", call.given(), "os") if text is None or value is None else Known(text, value.origins)


FUNCTIONS: dict[str, Handler] = {
    "os.path.join": _worked_out("os.path.join", _joined, 1, 30),
    "os.path.dirname": _worked_out("os.path.dirname", _of_text(posixpath.dirname), 1, 1),
    "os.path.basename": _worked_out("os.path.basename", _of_text(_base), 1, 1),
    "os.path.split": _worked_out("os.path.split", _of_text(_split), 1, 1),
    "os.path.splitext": _worked_out("os.path.splitext", _of_text(posixpath.splitext), 1, 1),
    "os.path.normpath": _worked_out("os.path.normpath", _of_text(posixpath.normpath), 1, 1),
    "os.path.normcase": _worked_out("os.path.normcase", _of_text(str), 1, 1),
    "os.path.isabs": _worked_out("os.path.isabs", _of_text(posixpath.isabs), 1, 1),
    "os.path.abspath": _absolute("os.path.abspath"), "os.path.realpath": _absolute("os.path.realpath"), "os.path.relpath": _relative,
    "os.path.expanduser": _expanded("os.path.expanduser", "~"), "os.path.expandvars": _expanded("os.path.expandvars", "$"),
    "os.getcwd": _getcwd, "os.chdir": _chdir, "os.fspath": _fspath,
}  # fmt: skip
CONSTANTS: dict[str, Value] = {
    "os.sep": Known("/"),
    "os.path.sep": Known("/"),
    "os.pathsep": Known(":"),
    "os.linesep": Known("\n"),
    "os.curdir": Known("."),
    "os.pardir": Known(".."),
}
MADE: Mapping[str, Callable[[Launched], Value]] = {_FOLDER: _started}
