"""`record`: a dataclass for what every process makes: places, trees, settings, readers.

To mypy a record is a frozen dataclass with slots; `dataclasses.replace` and `fields` take it. At run time nothing guards its
attributes: a guarded one takes thrice as long to make, and a file has a thousand. And its ``__eq__``, ``__hash__`` and
``__repr__`` are the functions below, not code that `dataclasses` writes and compiles for each class at import: for thirty
classes that was a third of what a short process took.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(made: type[T]) -> type[T]:
    return _shared(dataclass(eq=False, repr=False, slots=True)(made))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def open_record(made: type[T]) -> type[T]:
    """A record without slots, for cached properties."""
    return _shared(dataclass(eq=False, repr=False)(made))


def _shared(made: type[T]) -> type[T]:
    for name, method in (("__eq__", _equal), ("__hash__", _hash), ("__repr__", _repr)):
        setattr(made, name, method)
    return made


@cache
def _values(made: Any) -> Callable[[object], Any]:
    """What is compared of an object of this class, in one call."""
    return attrgetter(*(one.name for one in fields(made) if one.compare))


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _values(self.__class__)
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(_values(self.__class__)(self))


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"
