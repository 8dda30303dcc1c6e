"""What the stand-ins share: one JSON line for each call that decides memory, written to the file that ``RECORD_TO`` names.

A line says the qualified name, the file and line of the call in the program (``RECORD_ROOT``), whether the program made it itself, and each
argument by name as plain JSON; what an earlier call gave stands as ``{"sink": n}``, n counted from 0. A value of which JSON has no word is
``{"object": its class}``."""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import FrameType
from typing import Any

# the folder of the program; what stands elsewhere belongs to packages
ROOT = os.environ.get("RECORD_ROOT", "") + os.sep
_NUMBER: dict[int, int] = {}
_KEPT: list[object] = []
_count = 0


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def place() -> tuple[str, int]:
    """File and line of the program that called, the nearest one; the first line of a call that takes several."""
    for frame in _frames():
        name = frame.f_code.co_filename
        if name.startswith(ROOT):
            return name.removeprefix(ROOT), _line(frame)
    return "", 0


def direct(package: str) -> bool:
    """Whether the program itself made the call, or a parser or base class of the same package for it."""
    for frame in _frames():
        name = frame.f_code.co_filename
        if name.startswith(ROOT):
            return True
        inside = name == __file__ or f"/{package}/" in name or frame.f_code.co_name in ("__init__", "begin")
        if not inside:
            return False
    return False


def _line(frame: FrameType) -> int:
    at = frame.f_lasti // 2
    spans = list(frame.f_code.co_positions())
    return spans[at][0] or frame.f_lineno


def keep(thing: object, number: int) -> None:
    """From now on ``thing`` is what call ``number`` gave."""
    if thing is None or isinstance(thing, bool | int | float | str):
        return
    _KEPT.append(thing)
    _NUMBER[id(thing)] = number


def number_of(thing: object) -> int | None:
    return _NUMBER.get(id(thing))


def plain(value: object, depth: int = 0) -> Any:
    """``value`` as JSON has it."""
    if id(value) in _NUMBER:
        return {"sink": _NUMBER[id(value)]}
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Path) or type(value).__name__ in ("dtype", "device"):
        return str(value)
    return {"object": type(value).__qualname__} if depth > 8 else _plain_of_many(_unwrapped(value), depth + 1)


def _unwrapped(value: object) -> object:
    if type(value).__module__.partition(".")[0] != "omegaconf":
        return value
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value, resolve=True)


def _plain_of_many(value: object, depth: int) -> Any:
    if isinstance(value, Mapping):
        return {str(plain(key, depth)): plain(one, depth) for key, one in value.items()}
    if isinstance(value, Set):
        return sorted((plain(one, depth) for one in value), key=str)
    if isinstance(value, Sequence) and not isinstance(value, bytes) and type(value).__module__ in ("builtins", "collections"):
        return [plain(one, depth) for one in value]
    if inspect.isclass(value) or inspect.isroutine(value):
        return {"function": value.__name__}
    return {"object": type(value).__qualname__}


def write(name: str, arguments: Mapping[str, object], at: tuple[str, int] | None = None, **more: object) -> int:
    """One line; its number."""
    global _count
    file, line = at or place()
    plainly = {key: plain(value) for key, value in arguments.items()}
    written = {"name": name, "file": file, "line": line, "direct": direct(name.partition(".")[0]), "arguments": plainly, **more}
    with open(os.environ.get("RECORD_TO", os.devnull), "a", encoding="utf-8") as out:
        out.write(json.dumps(written) + "\n")
    _count += 1
    return _count - 1


def bound(call: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object]:
    """The arguments that were given, by name; ``self`` and ``cls`` are none. Raises ``TypeError`` as the call would."""
    signature = inspect.signature(call)
    given: dict[str, object] = {}
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            given.update(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            given.update({f"*{at}": one for at, one in enumerate(value)})
        elif name not in ("self", "cls"):
            given[name] = value
    return given


def sink(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function whose calls are written down under ``name``, before it runs. A name with ``{}`` is of the class that was called."""

    def decorate(call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            number = write(_of_class(name, args), bound(call, args, kwargs))
            result = call(*args, **kwargs)
            for one in args[:1] if call.__name__ == "__init__" else result if isinstance(result, tuple) else (result,):
                keep(one, number)
            return result

        return recorded

    return decorate


def _of_class(name: str, args: Sequence[object]) -> str:
    return name.format(_library_class(args[0])) if "{}" in name else name


def _library_class(owner: object) -> str:
    """The class of a package that a class or an object of the program descends from."""
    cls = owner if isinstance(owner, type) else type(owner)
    return next(
        (f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in cls.__mro__ if "__stand_in__" in vars(base)), cls.__name__
    )


_inits: dict[int, tuple[dict[str, object], tuple[str, int]]] = {}


def _note_init(cls: Any) -> None:
    """A class of the program with an ``__init__`` of its own hands on to that of the package: the call is the one there."""
    real = cls.__init__
    if hasattr(real, "noted"):
        return

    @functools.wraps(real)
    def noted(self: object, *args: Any, **kwargs: Any) -> None:
        _inits[id(self)] = bound(real, (self, *args), kwargs), place()
        real(self, *args, **kwargs)

    noted.noted = True  # type: ignore[attr-defined]
    cls.__init__ = noted


def _is_default(field: Any, value: object) -> bool:
    """A parser gives every field, and nobody says which of them somebody wrote."""
    default = field.default if field.default is not dataclasses.MISSING else field.default_factory()
    return type(default) is type(value) and default == value


class RecordedClass(type):
    """Making an object of the class is a sink: the arguments that were given, then the fields as the object has them; later changes by
    the program are lines of their own, ``{class}.__setattr__``."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls.__init__.__code__.co_filename.startswith(ROOT):
            _note_init(next(base for base in cls.__mro__ if "__stand_in__" in vars(base)))
            thing = super().__call__(*args, **kwargs)
            given, at = _inits.pop(id(thing))
        else:
            given, at = bound(cls.__init__, (None, *args), kwargs), place()
            thing = super().__call__(*args, **kwargs)
        fields = getattr(thing, "__dataclass_fields__", {})
        if parsed := sys._getframe(1).f_code.co_filename.endswith("hf_argparser.py"):
            given = {name: value for name, value in given.items() if not _is_default(fields[name], value)}
        number = write(_library_class(cls), given, at, parsed=parsed, fields={name: plain(getattr(thing, name, None)) for name in fields})
        keep(thing, number)
        return thing

    def __setattr__(cls, name: str, value: object) -> None:
        super().__setattr__(name, value)


def note_changes(cls: type) -> type:
    """The program's ``thing.x = value`` after ``cls`` made the thing is written down."""

    def set_it(self: object, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        if (number := number_of(self)) is not None:
            write(f"{_library_class(self)}.__setattr__", {name: value}, of=number)

    cls.__setattr__ = set_it
    return cls


class Anything:
    """An object of which nothing is known: takes every attribute, call and item, and is empty where it is looped over."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Anything()

    def __getitem__(self, key: object) -> Any:
        return Anything()

    def __setitem__(self, key: object, value: object) -> None:
        """Takes it."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        """Lets everything through."""
