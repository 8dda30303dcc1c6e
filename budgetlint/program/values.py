"""What an expression of a training program can be, found without running it. Every value knows where it came from.

Containers and objects have identity, as Python's have: a change is seen through every name. Only `heap.Heap` writes to them, so that both
ways of a condition start from the same state. The others never change.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count, islice
from pathlib import PurePosixPath
from types import EllipsisType
from typing import TYPE_CHECKING, NamedTuple

from budgetlint.program.places import Origin

if TYPE_CHECKING:
    from budgetlint.program.calling import Call  # a function of Python is what the interpreter does when it is called
    from budgetlint.program.modules import Module  # a value may be a module, which holds values
    from budgetlint.program.sinks import Sink  # an object remembers the call that made it, which was given objects
    from budgetlint.program.state import Interpreter  # a function of Python is called by the interpreter, whose values these are

MOST_WAYS = 8
"""More values than this are no choice that anybody would read: 98 of 100 choices of 67 programs in 26 repositories have 6 or fewer."""
_MOST_ORIGINS = 6
_MOST_BASES = 200
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


class Object(Value):
    """An instance of a class of the repository (``cls``) or of a package (``kind``, its qualified name; both for a subclass).

    ``made``: the sink that made it. ``rest``: what an attribute that is not there gives. ``data``: what the package's handlers keep of it.
    """

    __slots__ = ("attributes", "born", "cls", "data", "kind", "made", "rest")

    def __init__(self, kind: str = "", cls: Class | None = None, origins: tuple[Origin, ...] = ()) -> None:
        self.kind, self.cls, self.origins = kind, cls, origins
        self.born = next(BIRTHS)
        self.attributes: dict[Key, Value] = {}
        self.rest: Value | None = None
        self.made: Sink | None = None
        self.data: object = None

    def __repr__(self) -> str:
        return f"<{self.cls.name if self.cls else self.kind}>"


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


class Function(Value):
    """A function of the repository; ``bound`` is what it is a method of, ``owner`` the class that defines it.

    ``defaults``: what its parameters are that a call does not give, as they were when it was defined. ``memory``: under ``lru_cache``, what
    it gave, by its arguments.
    """

    __slots__ = ("bound", "decorated", "defaults", "memory", "names", "node", "owner")

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, names: Names, bound: Value | None = None) -> None:
        self.node, self.names, self.bound, self.origins = node, names, bound, ()
        self.owner: Class | None = None
        self.decorated: Value | None = None
        self.defaults: dict[str, Value] = {}
        self.memory: Object | None = None

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "<lambda>")

    def of(self, bound: Value | None) -> Function:
        """The same function as a method of an object or class."""
        made = Function(self.node, self.names, bound)
        made.owner, made.decorated, made.defaults, made.memory = self.owner, self.decorated, self.defaults, self.memory
        return made

    def __repr__(self) -> str:
        return f"<function {self.name}>"


class Property(Value):
    """A property of a class: what it gives, and what is done when it is set. ``kept``: the object keeps what it gave first."""

    __slots__ = ("get", "kept", "set")

    def __init__(self, get: Function, set_: Function | None = None, *, kept: bool = False) -> None:
        self.get, self.set, self.kept, self.origins = get, set_, kept, ()

    def __repr__(self) -> str:
        return f"<property {self.get.name}>"


class Class(Value):
    """A class of the repository. ``line``: itself and its bases, in the order in which Python looks.

    ``strange``: why nobody knows what its attributes and objects are: a metaclass of its own.
    ``settings``: the words of a decorator that makes a dataclass of it, ``defaults``: what its fields are that nobody gives.
    """

    __slots__ = ("attributes", "bases", "decorators", "defaults", "line", "names", "node", "settings", "strange")

    def __init__(self, node: ast.ClassDef, names: Names, bases: Sequence[Value], attributes: dict[Key, Value]) -> None:
        self.node, self.names, self.bases, self.attributes, self.origins = node, names, tuple(bases), attributes, ()
        self.decorators: tuple[Value, ...] = ()
        self.strange: Value | None = next((one.strange for one in bases if isinstance(one, Class)), None)
        self.settings: dict[str, Value] = {}
        self.defaults: dict[str, Value] = {}
        lines = [[*base.line] if isinstance(base, Class) else [base] for base in self.bases]
        if sum(map(len, lines)) > _MOST_BASES:
            lines, self.strange = [], Opaque(f"{node.name} has too many bases")
        self.line: tuple[Value, ...] = (self, *_merged(lines, self.bases))

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def kind(self) -> str:
        """The qualified name of the first class of a package that it is built on; empty for none."""
        return next((one.name for one in self.line if isinstance(one, External) and one.name not in _NO_KINDS), "")

    def find(self, name: str) -> Value | None:
        """What a class of the repository in the line says of this name."""
        return next((one.attributes[name] for one in self.line if isinstance(one, Class) and name in one.attributes), None)

    def __repr__(self) -> str:
        return f"<class {self.name}>"


_NO_KINDS = frozenset({"object", "abc.ABC", "typing.Generic", "typing.Protocol"})
"""Classes of Python that give an object nothing."""


def _merged(lines: list[list[Value]], bases: Sequence[Value]) -> list[Value]:
    """The lines of the bases as one, as Python merges them: a class before those that it is built on."""
    waiting = [*(list(line) for line in lines), list(bases)]
    found: list[Value] = []
    while any(waiting):
        heads = [line[0] for line in waiting if line]
        good = next((one for one in heads if all(one not in line[1:] for line in waiting)), heads[0])
        found.append(good)
        waiting = [[one for one in line if one != good] for line in waiting]
    return found


class Package(Value):
    """A module of the repository."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        self.module, self.origins = module, ()

    def __repr__(self) -> str:
        return f"<module {self.module.path}>"


class Native(Value):
    """A function of Python or of a package that is known here."""

    __slots__ = ("call", "name")

    def __init__(self, name: str, call: Handler) -> None:
        self.name, self.call, self.origins = name, call, ()

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Partial(Native):
    """``functools.partial``: a call of ``parts["func"]`` with ``parts["args"]`` and ``parts["keywords"]`` already given."""

    __slots__ = ("parts",)

    def __init__(self, name: str, call: Handler, parts: Mapping[str, Value]) -> None:
        super().__init__(name, call)
        self.parts = parts


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


class Opaque(Value):
    """What is not followed, and why. ``of``: what it was made of, so that a change of a model's part is known to be one.

    ``package``: the package whose code made it, empty where that is not known.
    """

    __slots__ = ("of", "package", "why")

    def __init__(self, why: str, of: Value | None = None, package: str = "", origins: tuple[Origin, ...] = ()) -> None:
        self.why, self.of, self.package, self.origins = why, of, package, origins

    def __repr__(self) -> str:
        return f"?({self.why})"


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

Handler = Callable[["Interpreter", "Call"], Value]

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


def same(one: Value, other: Value, depth: int = 0) -> bool:
    """Equal for certain: nobody could tell one from the other, by identity or by content. Tuples in tuples in tuples are told apart."""
    if one is other:
        return True
    if one.__class__ is not other.__class__:
        return False
    if depth >= _MOST_SHOWN_DEPTH:
        return False
    match one, other:
        case Known(), Known():
            return type(one.value) is type(other.value) and one.value == other.value
        case External(), External():
            return one.name == other.name
        case Open(), Open():
            return (one.kind, one.name) == (other.kind, other.name)
        case Opaque(), Opaque():
            return one.why == other.why and one.of is other.of
        case Items(), Items() if one.kind == "tuple" == other.kind:
            pairs = zip(one.items, other.items, strict=False)
            return len(one.items) == len(other.items) and one.more is other.more and all(same(*pair, depth + 1) for pair in pairs)
        case Function(), Function():
            parts = (getattr(one, name) is getattr(other, name) for name in ("node", "names", "bound", "defaults", "memory"))
            return all(parts)
    return False


def alternatives(value: Value) -> tuple[Way, ...]:
    """The ways of a choice; a value that is none is its only way."""
    return value.ways if isinstance(value, Choice) else (Way("", value),)


def choice(ways: Iterable[Way]) -> Value:
    """One value of several ways: flat, none twice. Too many are opaque; there is at least one way."""
    kept: list[Way] = []
    ways = list(ways)
    if len(ways) == 2:
        (one, other) = ways
        if same(one.value, other.value):
            return one.value
        if not (isinstance(one.value, Choice) or isinstance(other.value, Choice)):
            return Choice(ways)
    elif len(ways) > 1 and all(way.value is ways[0].value for way in ways):
        return ways[0].value
    for way in ways:
        for inner in alternatives(way.value):
            if not any(same(inner.value, one.value) for one in kept):
                kept.append(Way(both(way.when, inner.when), inner.value))
            if len(kept) > MOST_WAYS:
                return Opaque(f"one of more than {MOST_WAYS} values", origins=origins_of(one.value for one in kept))
    return kept[0].value if len(kept) == 1 else Choice(kept)


def both(one: str, other: str) -> str:
    """Two conditions as one."""
    return f"{one} and {other}" if one and other else one or other


def origins_of(values: Iterable[Value]) -> tuple[Origin, ...]:
    """Where several values came from, in order, none twice, the first few."""
    return tuple(dict.fromkeys(origin for value in values for origin in value.origins))[:_MOST_ORIGINS]


def key_of(value: Value, depth: int = 0) -> Key | Absent:
    """What a mapping is asked by; ABSENT where the value is no key that is known."""
    if depth >= _MOST_SHOWN_DEPTH:
        return ABSENT
    if isinstance(value, Known):
        return value.value if value.value is not ... and not isinstance(value.value, complex) else ABSENT
    if isinstance(value, Items) and value.kind == "tuple" and value.more is None:
        keys = tuple(key_of(one, depth + 1) for one in value.items)
        return ABSENT if any(one is ABSENT for one in keys) else keys
    return value if isinstance(value, Class | Function | External) else ABSENT
