"""Functions, classes and their objects, as values: those of the repository, and what Python and the packages have.

They have identity, as Python's have; `heap.Heap` alone writes to objects.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from budgetlint.program.places import Origin
from budgetlint.program.values import BIRTHS, External, Key, Names, Opaque, Value

if TYPE_CHECKING:
    from budgetlint.program.calling import Call  # a function of Python is what the interpreter does when it is called
    from budgetlint.program.modules import Module  # a value may be a module, which holds values
    from budgetlint.program.sinks import Sink  # an object remembers the call that made it, which was given objects
    from budgetlint.program.state import Interpreter  # a function of Python is called by the interpreter, whose values these are

_MOST_BASES = 200
Handler = Callable[["Interpreter", "Call"], Value]


class Object(Value):
    """An instance of a class of the repository (``cls``) or of a package (``kind``, its qualified name; both for a subclass).

    ``made``: the sink that made it. ``rest``: what an attribute that is not there gives. ``data``: what the package's handlers keep of it.
    ``given``: the call that made a layer of torch.
    """

    __slots__ = ("attributes", "born", "cls", "data", "given", "kind", "made", "rest")

    def __init__(self, kind: str = "", cls: Class | None = None, origins: tuple[Origin, ...] = ()) -> None:
        self.kind, self.cls, self.origins = kind, cls, origins
        self.born = next(BIRTHS)
        self.attributes: dict[Key, Value] = {}
        self.rest: Value | None = None
        self.made: Sink | None = None
        self.data: object = None
        self.given: Call | None = None

    def __repr__(self) -> str:
        return f"<{self.cls.name if self.cls else self.kind}>"


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
