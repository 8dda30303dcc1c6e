"""``pathlib``: paths are values, and most of what they are asked depends on their text alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead
from budgetlint.program.objects import Handler
from budgetlint.program.packages.files import opened, read_bytes, read_text
from budgetlint.program.packages.iterators import not_gone_over
from budgetlint.program.packages.paths import absolute, path_text, told
from budgetlint.program.packages.plain import REFUSED, Method, NotPlain, Property, origins_in, plain, spread, unknown
from budgetlint.program.packages.presence import exists, listed_in
from budgetlint.program.packages.roots import MARK, ROOT
from budgetlint.program.path_ends import between, with_end
from budgetlint.program.state import Interpreter
from budgetlint.program.values import NONE, Items, Known, Opaque, Value


def _path(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or call.keywords:
        return unknown("pathlib.Path", call.given(), "pathlib")

    def made(values: list[Value]) -> Value:
        texts = [path_text(one) for one in values]
        known = [one for one in texts if one is not None]
        if len(known) == len(values):
            return Known(PurePosixPath(*known), origins_in(values))
        if any(isinstance(one, Known) and path_text(one) is None for one in values):
            raise Dead
        return with_end(unknown("pathlib.Path", values, "pathlib"), between(values))

    return spread(it, call.positional, made, "pathlib.Path")


def _own(path: Value) -> PurePosixPath | None:
    return path.value if isinstance(path, Known) and isinstance(path.value, PurePosixPath) else None


def _method(name: str) -> Method:
    """A method that only looks at the text."""
    function: Callable[..., object] = getattr(PurePosixPath, name)

    def method(it: Interpreter, base: Value, call: Call) -> Value:
        def one(values: list[Value]) -> Value:
            try:
                given = [plain(value, paths=True, marks=True) for value in values]
                return told(function(*given), given, values, f"pathlib.Path.{name}")
            except NotPlain:
                return unknown(name, values, "pathlib")
            except REFUSED:
                raise Dead from None

        if call.rest is not None or call.keywords:
            return unknown(name, [base, *call.given()], "pathlib")
        return spread(it, [base, *call.positional], one, name)

    return method


def _property(read: Callable[[PurePosixPath], object]) -> Property:
    def found(it: Interpreter, base: Value) -> Value:
        path = _own(base)
        return unknown("a path", [base]) if path is None else told(read(path), [path], [base], "a path")

    return found


def _parents(it: Interpreter, base: Value) -> Value:
    path = _own(base)
    if path is None:
        return unknown("a path", [base])
    above = list(path.parents)
    if MARK not in str(path):
        return Items([Known(one, base.origins) for one in above], "tuple")
    kept = [Known(one, base.origins) for one in above if MARK in str(one)]
    return Items(kept, "tuple", Opaque("a folder above the project's", package="pathlib"))


def _parts(path: PurePosixPath) -> object:
    return path.parts if MARK not in str(path) else MARK


def _whole(name: str) -> Method:
    """``absolute`` and ``resolve``; links are not followed, so only the project's own paths are told of the second."""

    def method(it: Interpreter, base: Value, call: Call) -> Value:
        text = path_text(base)
        found = None if text is None else absolute(it, text)
        if (
            found is None
            or text is None
            or (name == "resolve" and not found.startswith(ROOT))
            or (name == "absolute" and ".." in text.split("/"))
        ):
            return unknown(f"pathlib.Path.{name}", [base], "pathlib")
        return Known(PurePosixPath(found), base.origins)

    return method


def _asked(what: str) -> Method:
    return lambda it, base, call: exists(it, base, what)


def _home(it: Interpreter, base: Value, call: Call) -> Value:
    text = path_text(base)
    return base if text is not None and not text.startswith("~") else with_end(unknown("expanduser", [base], "pathlib"), [base])


def _cwd(it: Interpreter, call: Call) -> Value:
    whole = absolute(it, "")
    return Opaque("the working folder", package="pathlib") if whole is None else Known(PurePosixPath(whole))


def _listed(name: str) -> Method:
    def method(it: Interpreter, base: Value, call: Call) -> Value:
        where = Known(base.value, (listed_in(it, base, call), *base.origins)) if isinstance(base, Known) else base
        return not_gone_over(f"pathlib.Path.{name}", [where])

    return method


def _text(it: Interpreter, base: Value, call: Call) -> Value:
    text = path_text(base)
    return unknown("a path", [base]) if text is None else Known(text, base.origins)


def _nothing(it: Interpreter, base: Value, call: Call) -> Value:
    return NONE


def _opaque(name: str) -> Method:
    return lambda it, base, call: unknown(f"pathlib.Path.{name}", [base], "pathlib")


def _name(path: PurePosixPath) -> object:
    return MARK if str(path) == ROOT else path.name


def _stem(path: PurePosixPath) -> object:
    return MARK if str(path) == ROOT else path.stem


def _parent(path: PurePosixPath) -> object:
    return MARK if str(path) == ROOT else path.parent


_PURE = ("as_posix", "is_absolute", "joinpath", "with_suffix", "with_name", "with_stem", "relative_to", "is_relative_to", "match")
_LISTS = ("glob", "rglob", "iterdir")
_MAKES = ("mkdir", "touch", "unlink", "rmdir", "write_text", "write_bytes", "chmod", "symlink_to")
METHODS: dict[str, Method] = {
    **{f"path.{name}": _method(name) for name in _PURE}, **{f"path.{name}": _listed(name) for name in _LISTS},
    **{f"path.{name}": _nothing for name in _MAKES}, **{f"path.{name}": _opaque(name) for name in ("stat", "owner", "rename",
    "replace", "samefile", "as_uri", "readlink")},
    "path.absolute": _whole("absolute"), "path.resolve": _whole("resolve"), "path.expanduser": _home, "path.__str__": _text,
    "path.__fspath__": _text,
    "path.exists": _asked("path"), "path.is_file": _asked("file"), "path.is_dir": _asked("folder"),
    "path.open": lambda it, base, call: opened(it, base, call.get("mode", 0), call), "path.read_text": read_text,
    "path.read_bytes": read_bytes,
}  # fmt: skip
PROPERTIES: dict[str, Property] = {
    "path.name": _property(_name), "path.stem": _property(_stem), "path.suffix": _property(lambda path: path.suffix),
    "path.suffixes": _property(lambda path: list(path.suffixes)), "path.parent": _property(_parent), "path.parts": _property(_parts),
    "path.parents": _parents,
    "path.root": _property(lambda path: path.root), "path.anchor": _property(lambda path: path.anchor),
    "path.drive": _property(lambda path: path.drive),
}  # fmt: skip
FUNCTIONS: dict[str, Handler] = {
    **{f"pathlib.{name}": _path for name in ("Path", "PosixPath", "PurePath", "PurePosixPath")}, "pathlib.Path.cwd": _cwd,
    "pathlib.Path.home": lambda it, call: Opaque("the home folder", package="pathlib"),
}  # fmt: skip
