"""The statements of one scope: checked, each single-valued one once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.finding import Related
from budgetlint.base.record import field, state
from budgetlint.base.source import SourceFile, Span
from budgetlint.language.asserts import AssertChecker
from budgetlint.language.check import Checked, Checker
from budgetlint.language.includes import Placed
from budgetlint.language.problems import Problems
from budgetlint.language.slots import FILE, PLACE_NAMES, TARGET
from budgetlint.language.statements import STATEMENTS
from budgetlint.language.tree import Assert, Keys, Let, ListValue, Statement, Value
from budgetlint.language.variables import Variables

SAME_THING = {"adapter": "lora", "lora": "adapter"}
"""Statements that answer the same question: one of them in a scope."""

MORE = {
    "device": "; cards of different sizes in one machine: the smallest decides, every process gets as much (CUDA_VISIBLE_DEVICES leaves it "
    "out); different machines: a target block each"
}
"""What else may be meant by saying it twice."""


@state
class Scope:
    """``inner`` are the scopes of its ``target`` and ``run`` blocks, each with the statement that opens it."""

    place: str
    statements: list[Checked] = field(default_factory=list)
    asserts: list[Assert] = field(default_factory=list)
    inner: list[tuple[Checked, Scope]] = field(default_factory=list)

    _by_keyword: dict[str, list[Checked]] = field(default_factory=dict)
    """A run asks its own scope and the top level's for a dozen keywords."""

    def add(self, checked: Checked) -> None:
        self.statements.append(checked)
        self._by_keyword.setdefault(checked.keyword, []).append(checked)

    def all(self, keyword: str) -> Iterator[Checked]:
        return iter(self._by_keyword.get(keyword, ()))

    def one(self, keyword: str) -> Checked | None:
        return next(self.all(keyword), None)


@state
class ScopeBuilder:
    problems: Problems
    variables: Variables

    def build(self, items: Iterable[Placed], place: str) -> Scope:
        scope = Scope(place)
        seen: dict[str, Checked] = {}
        for placed in items:
            if self.problems.full:
                break
            if isinstance(placed.item, Let):
                self._let(placed, place)
            elif isinstance(placed.item, Assert):
                self._assert(placed.item, placed.source, scope)
            elif isinstance(placed.item, Keys):
                self._keys(placed.item, placed.source)
            else:
                self._statement(placed.item, placed.source, scope, seen)
        return scope

    def _let(self, placed: Placed, place: str) -> None:
        """Top-level ones are defined before anything is checked."""
        if place != FILE:
            message = f"'let' has no meaning in {PLACE_NAMES[place]}"
            self.problems.add("BL011", placed.source, placed.item.span, message, "define it at the top level")

    def _keys(self, item: Keys, source: SourceFile) -> None:
        """``device = t4``, as in many languages."""
        key, equals = item.options[0].key, source.text.index("=", item.options[0].key_span.end)
        spec = STATEMENTS.get(key)
        help = f"a statement has no '=': {spec.example}" if spec else "only the block of a 'reads' holds settings with '='"
        self.problems.add("BL001", source, Span(equals, equals + 1), f"unexpected '='; '{key[:40]}=' is no statement", help)

    def _assert(self, item: Assert, source: SourceFile, scope: Scope) -> None:
        if scope.place == TARGET:
            self.problems.add("BL011", source, item.span, "'assert' has no meaning in a target", "it belongs to the top level or a run")
            return
        ready = AssertChecker(source, self.problems, lambda value: self.variables.lookup(source, value)).check(item)
        if ready is not None:
            scope.asserts.append(ready)

    def _statement(self, item: Statement, source: SourceFile, scope: Scope, seen: dict[str, Checked]) -> None:
        checked = Checker(source, self.problems, lambda value: self.variables.lookup(source, value)).check(item, scope.place)
        if checked is None:
            return
        first = seen.get(checked.keyword) or seen.get(SAME_THING.get(checked.keyword, ""))
        if first is not None and not checked.spec.repeatable:
            self._twice(checked, first)
            return
        seen[checked.keyword] = checked
        if checked.spec.keys or not checked.spec.block:
            scope.add(checked)
            return
        inner = [Placed(inner, source) for inner in item.block or ()]
        scope.inner.append((checked, self.build(inner, checked.keyword)))

    def _twice(self, checked: Checked, first: Checked) -> None:
        related = (Related(first.source.locate(first.statement.span), "first said here"),)
        both = f"'{first.keyword}' and '{checked.keyword}' answer the same question"
        message = f"'{checked.keyword}' is said twice" if first.keyword == checked.keyword else both
        written = " ".join(_written(value) for value in first.statement.values)
        help = f"keep one of them (the first says {written or first.keyword}), or give each run its own{MORE.get(checked.keyword, '')}"
        self.problems.add("BL007", checked.source, checked.statement.span, message, help, related=related)


def _written(value: Value | ListValue) -> str:
    return value.text if isinstance(value, Value) else "[…]"
