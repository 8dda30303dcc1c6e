"""``keys()``, ``values()`` and ``items()`` of a dict."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.iterate import key_value
from budgetlint.program.packages.plain import Method, taken
from budgetlint.program.reads import gone_over, whole
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Absent, Items, Key, Map, Opaque, Value, Way


class View(Items):
    """``keys()``, ``values()``, ``items()``: what the dict has at the moment when it is asked. Nothing is written to a view."""

    __slots__ = ("of",)

    def __init__(self, of: Map, kind: str) -> None:
        self.of, self.kind, self.origins, self.born = of, kind, of.origins, of.born

    @property
    def items(self) -> tuple[Value, ...]:
        return tuple(self._one(key, value) for key, value in self.of.items.items())

    @items.setter
    def items(self, new: Sequence[Value]) -> None:
        """A change that is taken back changes nothing either."""

    @property
    def more(self) -> Value | None:
        rest = self.of.rest
        return None if rest is None else Opaque(f"{self.kind} that are not known", rest, "builtins", rest.origins)

    @more.setter
    def more(self, new: Value | None) -> None:
        """As for the items."""

    def _one(self, key: Key, value: Value) -> Value:
        shown: Value = key_value(key)
        if self.kind == "dict_values":
            shown = value
        elif self.kind == "dict_items":
            shown = Items((key_value(key), present(value)), "tuple")
        return choice([Way("", shown), Way("", ABSENT)]) if perhaps_absent(value) and self.kind != "dict_values" else shown


def present(value: Value) -> Value:
    """The value on a way on which it is there."""
    ways = [way for way in alternatives(value) if not isinstance(way.value, Absent)]
    return choice(ways) if ways else value


def view(kind: str) -> Method:
    def method(it: Interpreter, base: Value, call: Call) -> Value:
        if isinstance(base, Map) and base.root is not None:
            whole(it, base)
            return _tree(it, base, kind)
        assert isinstance(base, Map)
        gone_over(it, base, call.node)
        return View(base, kind)

    return method


def _tree(it: Interpreter, base: Map, kind: str) -> Value:
    """Of a tree whose values are resolved when they are read: what it has now."""
    if base.rest is not None or any(map(perhaps_absent, base.items.values())):
        return Items((), "list", taken(kind, [base]))
    return Items([_of_tree(it, base, key, kind) for key in base.items], "list", None, base.origins)


def _of_tree(it: Interpreter, base: Map, key: Key, kind: str) -> Value:
    """An item of a tree whose values are resolved when they are read."""
    shown, value = key_value(key), it.parts.node(it, base, key)
    return shown if kind == "dict_keys" else value if kind == "dict_values" else Items((shown, value), "tuple")
