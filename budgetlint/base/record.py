"""`record`: the dataclass of everything here, without the price of `dataclasses`.

To mypy a record is a frozen dataclass with slots, and a state one that may change; `dataclasses.replace`, `fields` and `asdict` take
both. At run time nothing guards a record's attributes: a guarded one takes thrice as long to make, and a file has a thousand. The
``__init__`` is written and compiled when a class has made a few objects, ``__eq__``, ``__hash__`` and ``__repr__`` are the functions
below: `dataclasses` compiles all of them for each class at import, a check of one file has 140 classes, makes objects of 100 and more
than a few of 27. With the modules that it imports itself (inspect, ast, dis, tokenize), `dataclasses` was 40 of the 150 ms of such a
check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

__all__ = ["FEW", "Field", "field", "fields", "open_record", "open_state", "record", "replace", "state"]

T = TypeVar("T")

UNSET: Any = type("Unset", (), {"__repr__": lambda _: "UNSET"})()
"""No default."""


class Field:
    """What is known of a field: the part of `dataclasses.Field` that is used here."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "name", "repr")

    def __init__(
        self,
        *,
        default: Any = UNSET,
        default_factory: Any = UNSET,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare, self.kw_only = init, repr, compare, kw_only
        self.name = ""


def _fields(of: Any) -> tuple[Field, ...]:
    return tuple(getattr(of, "__record__", None) or of.__dataclass_fields__.values())  # of a plain dataclass too


def _replace(one: Any, /, **changes: Any) -> Any:
    """The same record with other values. They are given by place where they can be: a call by fifty names takes twice as long."""
    kind = one.__class__
    places, read, by_place = _TAKEN.get(kind) or _taken(kind)
    if not by_place or not changes.keys() <= places.keys():
        return kind(**{**dict(zip(places, read(one), strict=True)), **changes})
    values = list(read(one))
    for name, value in changes.items():
        values[places[name]] = value
    return kind(*values)


_Taken = tuple[dict[str, int], Callable[[object], tuple[Any, ...]], bool]
_TAKEN: dict[type, _Taken] = {}


def _taken(kind: Any) -> _Taken:
    """What ``__init__`` takes of an object of this class and at which place, one call that reads all of it, and whether places do."""
    taken = [one for one in _fields(kind) if one.init]
    names = [one.name for one in taken]
    several = len(names) > 1  # of a single name attrgetter gives no tuple
    read: Callable[[Any], tuple[Any, ...]] = attrgetter(*names) if several else lambda one: tuple([getattr(one, name) for name in names])
    found = _TAKEN[kind] = {name: at for at, name in enumerate(names)}, read, not any(one.kw_only for one in taken)
    return found


if TYPE_CHECKING:  # to mypy they are those of dataclasses: it checks the names that replace is given
    from dataclasses import field, fields, replace
else:
    field, fields, replace = Field, _fields, _replace


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(made: type[T]) -> type[T]:
    done: type[T] = _by_value(_slotted(_known(made)))
    return done


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def open_record(made: type[T]) -> type[T]:
    """A record without slots, for cached properties."""
    done: type[T] = _by_value(_known(made))
    return done


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def state(made: type[T]) -> type[T]:
    """What changes as work goes on: equal only to itself."""
    done: type[T] = _begun(_slotted(_known(made)))
    return done


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def open_state(made: type[T]) -> type[T]:
    """A state without slots."""
    done: type[T] = _begun(_known(made))
    return done


# -- making the class ------------------------------------------------------------------------------------------------------


def _known(made: Any) -> Any:
    """The class with ``__record__``: its fields, those of its bases first. Defaults become class attributes again."""
    known: dict[str, Field] = {}
    for base in made.__mro__[:0:-1]:
        known.update((one.name, one) for one in base.__dict__.get("__record__", ()))
    for name in made.__annotations__:
        given = made.__dict__.get(name, UNSET)
        one = known[name] = given if isinstance(given, Field) else Field(default=given)
        one.name = name
        if one is given:
            if one.default is UNSET:
                delattr(made, name)
            else:
                setattr(made, name, one.default)
    made.__record__ = tuple(known.values())
    made.__match_args__ = tuple([one.name for one in made.__record__ if one.init and not one.kw_only])  # type: ignore[misc]
    return made


def _slotted(made: Any) -> Any:
    """The class again, with slots: they cannot be given to a class that exists (`dataclasses._add_slots`)."""
    inherited = {name for base in made.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    own = dict(made.__dict__)
    for one in made.__record__:
        own.pop(one.name, None)
    own.pop("__dict__", None)
    own.pop("__weakref__", None)
    own["__slots__"] = tuple([one.name for one in made.__record__ if one.name not in inherited])
    again = type(made)(made.__name__, made.__bases__, own)
    again.__qualname__ = made.__qualname__
    return again


def _by_value(made: Any) -> Any:
    made.__eq__, made.__hash__ = _equal, _hash
    return _begun(made)


FEW = 8
"""Objects that are made before an ``__init__`` is compiled: that takes as long as setting the fields of thirty one by one."""


def _begun(made: Any) -> Any:
    """The class with an ``__init__`` that sets fields one by one, and is compiled after a few calls."""
    made.__repr__, made.__dataclass_fields__ = _repr, _DATACLASS_FIELDS
    if "__init__" not in made.__dict__:
        left = FEW

        def first(self: Any, *args: Any, **given: Any) -> None:
            nonlocal left
            left -= 1
            if left < 0 or not _is_filled(self, made, args, given):
                made.__init__ = _init_of(made)
                made.__init__(self, *args, **given)

        made.__init__ = first
    return made


def _is_filled(one: Any, made: Any, args: tuple[Any, ...], given: dict[str, Any]) -> bool:
    """Set the fields of a new object. False where the arguments do not fit: the compiled ``__init__`` says what is wrong."""
    values = dict(zip(made.__match_args__, args, strict=False), **given)
    if len(values) < len(args) + len(given):
        return False
    for known in made.__record__:
        value = values.pop(known.name, UNSET) if known.init else UNSET
        if value is UNSET:
            value = known.default if known.default_factory is UNSET else known.default_factory()
        if value is not UNSET:
            setattr(one, known.name, value)
        elif known.init:
            return False
    if values:
        return False
    if hasattr(made, "__post_init__"):
        one.__post_init__()
    return True


def _init_of(made: Any) -> Callable[..., None]:
    """``__init__(self, a, b=…, *, c=…)``, as `dataclasses` writes it."""
    known: dict[str, Any] = {"UNSET": UNSET}
    plain: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for at, one in enumerate(made.__record__):
        name, value = one.name, f"_{at}"
        if one.default_factory is not UNSET:
            known[value] = one.default_factory
            lines.append(f" self.{name} = {value}() if {name} is UNSET else {name}" if one.init else f" self.{name} = {value}()")
        elif one.init:
            known[value] = one.default
            lines.append(f" self.{name} = {name}")
        elif one.default is not UNSET:
            known[value] = one.default
            lines.append(f" self.{name} = {value}")
        if one.init:
            default = "UNSET" if one.default_factory is not UNSET else value if one.default is not UNSET else ""
            (named if one.kw_only else plain).append(f"{name}={default}" if default else name)
    if hasattr(made, "__post_init__"):
        lines.append(" self.__post_init__()")
    parameters = ", ".join(("self", *plain, *(("*", *named) if named else ())))
    exec("\n".join((f"def __init__({parameters}):", *lines, " return")), known)
    init: Callable[..., None] = known["__init__"]
    return init


# -- what all have -----------------------------------------------------------------------------------------------------------

_COMPARED: dict[type, Callable[[object], Any]] = {}


def _values(made: Any) -> Callable[[object], Any]:
    """What is compared of an object of this class, in one call."""
    found = _COMPARED.get(made)
    if found is None:
        found = _COMPARED[made] = attrgetter(*(one.name for one in made.__record__ if one.compare))
    return found


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _values(self.__class__)
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(_values(self.__class__)(self))


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in self.__record__ if one.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


class _DataclassFields:
    """The fields as `dataclasses` knows them, made when it is first asked about a record."""

    def __init__(self) -> None:
        self._known: dict[type, Mapping[str, Any]] = {}

    def __get__(self, _: object, owner: Any) -> Mapping[str, Any]:
        found = self._known.get(owner)
        if found is None:
            found = self._known[owner] = _as_dataclasses_has_them(owner)
        return found


def _as_dataclasses_has_them(made: Any) -> Mapping[str, Any]:
    import dataclasses

    def known(one: Field) -> Any:
        given = {name: getattr(one, name) for name in ("default", "default_factory") if getattr(one, name) is not UNSET}
        return dataclasses.field(init=one.init, repr=one.repr, compare=one.compare, kw_only=one.kw_only, **given)

    twin: Any = dataclasses.make_dataclass(made.__name__, [(one.name, Any, known(one)) for one in made.__record__])
    found: Mapping[str, Any] = twin.__dataclass_fields__
    return found


_DATACLASS_FIELDS = _DataclassFields()
