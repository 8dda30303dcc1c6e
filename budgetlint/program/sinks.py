"""A call that decides memory, as it was made."""

from __future__ import annotations

from budgetlint.program.objects import Object
from budgetlint.program.places import Place
from budgetlint.program.values import Value

MODELS = frozenset({"load", "adapter", "kbit", "unsloth_load", "unsloth_adapter", "peft_load", "own_model"})
"""Kinds of sinks whose result is a model."""
_LOOP = " has items"
"""The condition of a loop's body: a training that takes no step needs no memory."""


class Condition(str):
    """One way of a condition, in the program's words: as long as the program is on it, the same object."""

    __slots__ = ()


class Sink:
    """``kind`` is what it decides (`sink_kinds.KINDS`), ``name`` the qualified name of what was called, ``base`` the class of the
    repository that stands between (its own Trainer), ``receiver`` what it was a method of.

    ``arguments`` are by parameter name as far as the signature is known, the others by position in ``positional``. ``rest``: what arguments
    that are not there may be, None where the call is closed. ``conditions``: what has to hold, in the program's words. All values are those
    of the moment of the call: later changes are not seen, but for ``result``, which is the object itself. ``callers``: the names of the
    functions that were being followed, the outermost first. ``tried``: a TypeError of the call is caught, so that arguments may be given
    to see whether they are taken.
    """

    __slots__ = (
        "arguments",
        "base",
        "callers",
        "conditions",
        "kind",
        "line",
        "name",
        "number",
        "overrides",
        "place",
        "positional",
        "receiver",
        "rest",
        "result",
        "tried",
    )

    def __init__(self, kind: str, name: str, place: Place, number: int) -> None:
        self.kind, self.name, self.place, self.number = kind, name, place, number
        self.line = place.line
        self.base = ""
        self.callers: tuple[str, ...] = ()
        self.overrides: dict[str, Place] = {}
        self.arguments: dict[str, Value] = {}
        self.positional: tuple[Value, ...] = ()
        self.rest: Value | None = None
        self.conditions: tuple[str, ...] = ()
        self.receiver: Value | None = None
        self.result: Object | None = None
        self.tried = False

    def copy(self) -> Sink:
        """The same call, whose arguments may be written otherwise."""
        made = Sink(self.kind, self.name, self.place, self.number)
        for slot in self.__slots__:
            setattr(made, slot, getattr(self, slot))
        made.arguments = dict(self.arguments)
        return made

    def get(self, *names: str, at: int | None = None) -> Value | None:
        """An argument by any of its names, or by position; None where it was not given."""
        for name in names:
            if name in self.arguments:
                return self.arguments[name]
        return self.positional[at] if at is not None and at < len(self.positional) else None

    def beside(self, other: Sink | None) -> tuple[str, ...]:
        """What has to hold for this call where the other is made: the ways that both are on are taken."""
        taken = set(map(id, other.conditions)) if other is not None else set()
        return tuple(one for one in self.conditions if id(one) not in taken)

    @property
    def may_be_skipped(self) -> bool:
        """Does a condition decide whether the call is made, beside that a loop has something to go over?"""
        return self.may_be_skipped_where(None)

    def may_be_skipped_where(self, other: Sink | None) -> bool:
        """The same, where it is known that another call is made."""
        return any(part and not part.endswith(_LOOP) for whole in self.beside(other) for part in whole.split(" and "))

    def __repr__(self) -> str:
        shown = ", ".join(
            [*map(repr, self.positional), *(f"{name}={value!r}" for name, value in self.arguments.items()), *(["**?"] if self.rest else [])]
        )
        return f"{self.place} {self.name}({shown})" + (f" if {' and '.join(self.conditions)}" if self.conditions else "")
