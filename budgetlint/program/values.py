"""What an expression of a training program can be, found without running it. Every value knows where it came from.

Containers and objects have identity, as Python's have: a change is seen through every name. Only `heap.Heap` writes to them, so that both
ways of a condition start from the same state. The others never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, islice
from pathlib import PurePosixPath
from types import EllipsisType
from typing import TYPE_CHECKING, NamedTuple

from budgetlint.program.places import Origin

if TYPE_CHECKING:
    from budgetlint.program.modules import Module  # a value may be a module, which holds values

_MOST_SHOWN, _MOST_SHOWN_DEPTH = 12, 4
BIRTHS = count()
"""Numbers of containers and objects in the order in which they are made: what a loop makes in each round is none that it hands on."""

Plain = str | bytes | int | float | complex | bool | None | PurePosixPath | EllipsisType
"""A scalar of Python. Paths are values too: programs build them, and open them."""


class Value:
    """What all have. ``origins`` is empty where a value is made of nothing that stands anywhere."""

    __slots__ = ("origins",)
    origins: tuple[Origin, ...]


class Known(Value):
    """A scalar that is what Python would have here."""

    __slots__ = ("value",)

    def __init__(self, value: Plain, origins: tuple[Origin, ...] = ()) -> None:
        self.value, self.origins = value, origins

    def __repr__(self) -> str:
        return repr(self.value)


class Items(Value):
    """A list, tuple or set in order. ``more``: why there may be further items that are not known, None where these are all."""

    __slots__ = ("born", "items", "kind", "more")

    def __init__(self, items: Sequence[Value], kind: str = "list", more: Value | None = None, origins: tuple[Origin, ...] = ()) -> None:
        self.born = next(BIRTHS)
        self.items, self.kind, self.more, self.origins = tuple(items), kind, more, origins

    def __repr__(self) -> str:
        return shown(self)


class Map(Value):
    """A dict, or a mapping of a config file. ``rest``: what a key that is not there gives, None where these are all.

    ``loader`` is that of the call which opened the file, ``path`` the dotted path in it, ``root`` the whole tree where ``${a.b}`` is
    resolved.
    """

    __slots__ = ("born", "items", "loader", "path", "rest", "root")

    def __init__(self, items: dict[Key, Value] | None = None, rest: Value | None = None, origins: tuple[Origin, ...] = ()) -> None:
        self.born = next(BIRTHS)
        self.items: dict[Key, Value] = {} if items is None else items
        self.rest, self.origins = rest, origins
        self.loader, self.path = "", ""
        self.root: Map | None = None

    def __repr__(self) -> str:
        return shown(self)


class External(Value):
    """A module, class, function or constant of a package: ``transformers.Trainer``. Never looked into."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name, self.origins = name, ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, External) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Way(NamedTuple):
    """One of several values, and when it is this: a condition in the program's words, empty where it is not told."""

    when: str
    value: Value


class Choice(Value):
    """One of several; which one hangs on conditions that nobody here decides. Made by `choice` only: flat, two or more, none twice."""

    __slots__ = ("ways",)

    def __init__(self, ways: Sequence[Way]) -> None:
        self.ways, self.origins = tuple(ways), ()

    def __repr__(self) -> str:
        return shown(self)


class Open(Value):
    """Somebody outside decides: a flag that no launch gives, a key that the file has not, a variable of the environment.

    ``kind``: ``flag``, ``field``, ``environment``, ``word`` (a word of a launch that is not known, ``${X}``). ``name``: which.
    """

    __slots__ = ("kind", "name")

    def __init__(self, kind: str, name: str, origins: tuple[Origin, ...] = ()) -> None:
        self.kind, self.name, self.origins = kind, name, origins

    def __repr__(self) -> str:
        return f"?{self.kind} {self.name}"


class Unset(Open):
    """A variable of the environment that nothing here sets, asked for without a default: open, save where ``or`` has one."""

    __slots__ = ()


class Opaque(Value):
    """What is not followed, and why. ``of``: what it was made of, so that a change of a model's part is known to be one.

    ``package``: the package whose code made it, empty where that is not known.
    """

    __slots__ = ("of", "package", "why")

    def __init__(self, why: str, of: Value | None = None, package: str = "", origins: tuple[Origin, ...] = ()) -> None:
        self.why, self.of, self.package, self.origins = why, of, package, origins

    def __repr__(self) -> str:
        return f"?({self.why})"


class Copied(Opaque):
    """Where a copy of something lies that has a name (``name``): the path is not known, what lies there is."""

    __slots__ = ("name",)

    def __init__(self, name: Known, why: str, package: str) -> None:
        super().__init__(why, None, package, name.origins)
        self.name = name


class Ending(Opaque):
    """A path that is not known, of which the last part is (``end``)."""

    __slots__ = ("end",)

    def __init__(self, path: Opaque, end: str) -> None:
        super().__init__(path.why, path.of, path.package, path.origins)
        self.end = end


class Absent(Value):
    """Nothing is there: a name that one way did not bind, a key that one way did not set, an argument that was not given."""

    __slots__ = ()

    def __init__(self) -> None:
        self.origins = ()

    def __repr__(self) -> str:
        return "absent"


class Names:
    """The names of a body. ``shared``: those declared ``global`` or ``nonlocal``, and whose they are.

    ``kind``: ``class`` (functions in it do not see its names), ``comprehension``, empty for modules and functions.
    """

    __slots__ = ("above", "bound", "kind", "module", "shared")

    def __init__(self, above: Names | None, module: Module, kind: str = "") -> None:
        self.above, self.module, self.kind = above, module, kind
        self.bound: dict[Key, Value] = {}
        self.shared: dict[str, Names] = {}


Key = str | int | float | bool | bytes | None | tuple["Key", ...] | Value | PurePosixPath
"""What a mapping is asked by: plain scalars by equality, classes and externals by identity."""


ABSENT = Absent()
NONE, TRUE, FALSE = Known(None), Known(True), Known(False)


def shown(value: Value, depth: int = 0) -> str:
    """A value in few words; what is long, or in something in something, is left out."""
    if not isinstance(value, Items | Map | Choice):
        return repr(value)
    if depth >= _MOST_SHOWN_DEPTH:
        return "..."
    if isinstance(value, Choice):
        return " | ".join(f"{shown(way.value, depth + 1)} if {way.when}" if way.when else shown(way.value, depth + 1) for way in value.ways)
    if isinstance(value, Items):
        parts = [shown(one, depth + 1) for one in value.items[:_MOST_SHOWN]]
        more = value.more is not None or len(value.items) > _MOST_SHOWN
        return f"[{', '.join([*parts, *(['...'] if more else [])])}]"
    parts = [f"{key!r}: {shown(one, depth + 1)}" for key, one in islice(value.items.items(), _MOST_SHOWN)]
    more = value.rest is not None or len(value.items) > _MOST_SHOWN
    return "{" + ", ".join([*parts, *(["..."] if more else [])]) + "}"
