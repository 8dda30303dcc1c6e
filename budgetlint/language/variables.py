"""``let`` and ``$name``: one flat set of names for a budget and its includes, in any order, and never in a circle."""

from __future__ import annotations

from collections.abc import Mapping

from budgetlint.base.finding import Related
from budgetlint.base.record import field, state
from budgetlint.base.source import SourceFile, Span
from budgetlint.language.includes import Placed
from budgetlint.language.parsing import parse
from budgetlint.language.problems import Problems
from budgetlint.language.suggest import nearest
from budgetlint.language.tree import Let, ListValue, Value

MAX_CHAIN = 20


@state
class Variables:
    """Values by name. ``given`` (from ``--set``) wins over the file's own ``let``."""

    problems: Problems
    values: dict[str, tuple[Let, SourceFile]] = field(default_factory=dict)
    given: dict[str, Value | ListValue] = field(default_factory=dict)

    def define(self, placed: Placed) -> None:
        let = placed.item
        assert isinstance(let, Let)
        if not let.name.replace("-", "_").isidentifier() or not let.name.isascii():
            help = "letters, digits, '_' and '-', a letter first: let ctx = 4096"
            self.problems.add("BL003", placed.source, let.name_span, f"'{let.name[:60]}' is no name for a value", help)
        elif let.name in self.values:
            first, source = self.values[let.name]
            related = (Related(source.locate(first.span), "first defined here"),)
            self.problems.add(
                "BL007", placed.source, let.name_span, f"'{let.name}' is defined twice", "give it another name", related=related
            )
        else:
            self.values[let.name] = let, placed.source

    def lookup(self, source: SourceFile, value: Value) -> Value | ListValue | None:
        """The value that ``$name`` stands for, in the place where it is used; None after reporting an unknown one."""
        return self._follow(source, value, value.span, ())

    def _follow(self, source: SourceFile, value: Value, span: Span, chain: tuple[str, ...]) -> Value | ListValue | None:
        name = value.text[1:]
        if name in chain or len(chain) > MAX_CHAIN:
            self._unknown(source, span, f"${name} is defined by itself", "give it a value of its own")
            return None
        found = self.given[name] if name in self.given else self.values[name][0].value if name in self.values else None
        if found is None:
            meant = nearest(name, (*self.values, *self.given))
            help = f"did you mean ${meant}?" if meant else f"define it: let {name} = 4GiB"
            self._unknown(source, span, f"${name} is not defined", help)
            return None
        if isinstance(found, ListValue):
            return self._list(source, found, span, (*chain, name))
        if found.kind == "ref":
            return self._follow(source, found, span, (*chain, name))
        return Value(found.kind, found.text, span)

    def _list(self, source: SourceFile, found: ListValue, span: Span, chain: tuple[str, ...]) -> ListValue | None:
        items: list[Value | ListValue] = []
        for item in found.items:
            if isinstance(item, ListValue) or (item.kind == "ref" and self._is_list(item)):
                self._unknown(source, span, f"${chain[-1]} is a list of lists", "write one flat list: [a, b]")
                return None
            followed = self._follow(source, item, span, chain) if item.kind == "ref" else Value(item.kind, item.text, span)
            if followed is None:
                return None
            items.append(followed)
        return ListValue(tuple(items), span)

    def _is_list(self, value: Value) -> bool:
        """Whether a reference leads to a list: those are not put into lists, which could grow without bound."""
        at: Value | ListValue | None = value
        for _ in range(MAX_CHAIN):
            if not isinstance(at, Value) or at.kind != "ref":
                break
            name = at.text[1:]
            at = self.given.get(name) or (self.values[name][0].value if name in self.values else None)
        return isinstance(at, ListValue)

    def _unknown(self, source: SourceFile, span: Span, message: str, help: str) -> None:
        self.problems.add("BL008", source, span, message, help)

    def as_text(self) -> dict[str, str]:
        """Every name with its value as written."""
        texts = {name: source.text[let.value.span.start : let.value.span.end] for name, (let, source) in self.values.items()}
        return {**texts, **{name: _written(value) for name, value in self.given.items()}}


def _written(value: Value | ListValue) -> str:
    return value.text if isinstance(value, Value) else f"[{', '.join(_written(item) for item in value.items)}]"


def set_from_outside(variables: Variables, settings: Mapping[str, str]) -> None:
    """Values of ``--set name=value``; what is no value is taken as a text."""
    for name, text in settings.items():
        tree, problems = parse(SourceFile("--set", f"let x = {text}"))
        item = tree.items[0] if len(tree.items) == 1 and not problems else None
        variables.given[name] = item.value if isinstance(item, Let) else Value("word", text, Span(0, 0))
