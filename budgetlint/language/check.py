"""A statement against its row of the table: place, values, options, block. What is wrong is told, what is right goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from budgetlint.base.finding import Related
from budgetlint.base.record import field, open_record, record, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.language.hints import misfit
from budgetlint.language.problems import Problems
from budgetlint.language.slots import PLACE_NAMES, Slot, StatementSpec
from budgetlint.language.statements import STATEMENTS, setting_paths
from budgetlint.language.suggest import nearest, option_meant, owner_of, statement_meant
from budgetlint.language.tree import ListValue, Option, Statement, Value
from budgetlint.language.values import Wrong, convert, not_a_list

Lookup = Callable[[Value], "Value | ListValue | None"]


@record
class Given:
    """One typed value: ``value`` is what the slot's kind makes of it (a tuple where the slot takes many), ``span`` exactly it."""

    slot: Slot
    value: Any
    text: str
    span: Span
    key_span: Span | None = None
    items: tuple[Given, ...] = ()


@open_record
class Checked:
    """A statement that fits its row, as far as it does: broken values and options are left out.

    ``free`` are options outside the table, by key: settings of a matrix, facts of a measurement.
    """

    spec: StatementSpec
    statement: Statement
    source: SourceFile
    values: tuple[Given, ...] = ()
    options: Mapping[str, Given] = field(default_factory=dict)
    free: Mapping[str, Given] = field(default_factory=dict)

    @property
    def keyword(self) -> str:
        return self.spec.keyword

    @property
    def first(self) -> Given | None:
        return self.values[0] if self.values else None

    def option(self, key: str, default: Any = None) -> Any:
        given = self.options.get(key)
        return given.value if given else default


class Checker:
    """Checks the statements of one file. ``lookup`` answers a ``$name`` with its value, or None after reporting it."""

    def __init__(self, source: SourceFile, problems: Problems, lookup: Lookup) -> None:
        self.source, self.problems, self.lookup = source, problems, lookup

    def check(self, statement: Statement, place: str) -> Checked | None:
        spec = self._known(statement)
        if spec is None or not self._placed(statement, spec, place):
            return None
        values = self._values(statement, spec)
        options, free = self._options(statement, spec)
        if values is None or not self._complete(statement, spec):
            return None
        return Checked(spec, statement, self.source, values, options, free)

    def wrong(self, wrong: Wrong, span: Span, key: str = "") -> None:
        self.problems.add(wrong.code, self.source, span, wrong.message, wrong.help, key=key, write=wrong.write)

    # -- the statement itself ------------------------------------------------------------------------------------------

    def _known(self, statement: Statement) -> StatementSpec | None:
        spec = STATEMENTS.get(statement.keyword)
        if spec is None and not self.problems.full:
            meant = statement_meant(statement.keyword)
            help = f"did you mean '{meant}'? {STATEMENTS[meant].example}" if meant else _all_statements()
            if meant and statement.keyword.rstrip(":") == meant:
                help = f"a statement has no ':': {STATEMENTS[meant].example}"
            message = f"unknown statement '{statement.keyword[:60]}'"
            self.problems.add("BL002", self.source, statement.keyword_span, message, help, write=meant)
        return spec

    def _placed(self, statement: Statement, spec: StatementSpec, place: str) -> bool:
        if place in spec.places:
            return True
        allowed = " or ".join(PLACE_NAMES[name] for name in spec.places)
        message = f"'{spec.keyword}' has no meaning in {PLACE_NAMES[place]}"
        self.problems.add("BL011", self.source, statement.keyword_span, message, f"it belongs to {allowed}")
        return False

    def _complete(self, statement: Statement, spec: StatementSpec) -> bool:
        if spec.block and statement.block is None:
            name = f" {statement.values[0].text}" if statement.values and isinstance(statement.values[0], Value) else " NAME"
            self._arity(statement.keyword_span, f"'{spec.keyword}' needs a block", f"{spec.keyword}{name} {{ … }}")
            return False
        if not spec.block and statement.block is not None:
            message = f"'{spec.keyword}' has no block"
            self.problems.add("BL011", self.source, statement.keyword_span, message, f"write it like this: {spec.example}")
        if spec.needs_option and not statement.options and not statement.values:
            self._arity(statement.keyword_span, f"'{spec.keyword}' without options says nothing", f"write it like this: {spec.example}")
            return False
        return True

    def _arity(self, span: Span, message: str, help: str) -> None:
        self.problems.add("BL006", self.source, span, message, help)

    # -- values --------------------------------------------------------------------------------------------------------

    def _values(self, statement: Statement, spec: StatementSpec) -> tuple[Given, ...] | None:
        resolved = [self._resolved(value) for value in statement.values]
        if any(value is None for value in resolved):
            return None
        values: list[Value | ListValue] = [value for value in resolved if value is not None]
        hinted = misfit(spec, values)
        if hinted is not None:
            wrong, first, last = hinted
            self.wrong(wrong, Span(values[first].span.start, values[last].span.end), spec.keyword)
            return None
        required = sum(slot.required for slot in spec.values)
        if len(values) < required:
            message = f"'{spec.keyword}' has no value; expected {spec.values[-1].shown}"
            self._arity(statement.keyword_span, message, f"write it like this: {spec.example}")
            return None
        if spec.keyword == "device":
            return tuple(_raw(value) for value in values)
        if len(values) > len(spec.values) and not (spec.values and spec.values[-1].many):
            self._too_many(spec, values)
            return None
        return self._typed(spec, values)

    def _too_many(self, spec: StatementSpec, values: Sequence[Value | ListValue]) -> None:
        extra = values[len(spec.values)]
        shown = extra.text if isinstance(extra, Value) else "[…]"
        takes = {0: "no value", 1: "one value"}.get(len(spec.values), f"at most {len(spec.values)} values")
        option = spec.options[0].name if spec.options and not spec.values else ""
        help = (
            f"an option has a name: {option}={shown}" if option else f"write it like this: {spec.example}; quote a value that holds blanks"
        )
        self._arity(extra.span, f"'{spec.keyword}' takes {takes}; '{shown[:40]}' is too many", help)

    def _typed(self, spec: StatementSpec, values: Sequence[Value | ListValue]) -> tuple[Given, ...] | None:
        if spec.values and spec.values[-1].many:
            items = [item for value in values for item in (value.items if isinstance(value, ListValue) else (value,))]
            span = Span(values[0].span.start, values[-1].span.end)
            given = self._many(items, spec.values[-1], span, spec.keyword)
            return None if given is None else (given,)
        found = [self._one(value, slot, spec.keyword) for value, slot in zip(values, spec.values, strict=False)]
        return None if any(given is None for given in found) else tuple(given for given in found if given is not None)

    def _resolved(self, value: Value | ListValue) -> Value | ListValue | None:
        if isinstance(value, ListValue):
            items = [self._resolved(item) for item in value.items]
            return None if any(item is None for item in items) else ListValue(tuple(item for item in items if item is not None), value.span)
        return self.lookup(value) if value.kind == "ref" else value

    def _one(self, value: Value | ListValue, slot: Slot, key: str) -> Given | None:
        if isinstance(value, ListValue):
            self.wrong(not_a_list(value, slot), value.span, key)
            return None
        typed = convert(value, replace(slot, name=key))
        if isinstance(typed, Wrong):
            self.wrong(typed, value.span, key)
            return None
        return Given(slot, typed, value.content, value.span)

    def _many(self, items: Sequence[Value | ListValue], slot: Slot, span: Span, key: str) -> Given | None:
        found = [self._one(item, slot, key) for item in items]
        good = tuple(given for given in found if given is not None)
        if not good:
            if not items:
                self._arity(span, f"an empty list says nothing ({key})", f"write {slot.shown}")
            return None
        return Given(slot, tuple(given.value for given in good), " ".join(given.text for given in good), span, None, good)

    # -- options -------------------------------------------------------------------------------------------------------

    def _options(self, statement: Statement, spec: StatementSpec) -> tuple[dict[str, Given], dict[str, Given]]:
        options: dict[str, Given] = {}
        free: dict[str, Given] = {}
        seen: dict[str, Option] = {}
        for option in statement.options:
            if option.key in seen:
                self._twice(option, seen[option.key], spec)
                continue
            seen[option.key] = option
            slot = spec.option(option.key)
            given = self._option(option, slot, spec) if slot else self._free(option, spec)
            if given is not None:
                (options if slot else free)[option.key] = given
        for slot in spec.options:
            if slot.required and slot.name not in seen:
                self._arity(statement.keyword_span, f"'{spec.keyword}' needs {slot.name}=", f"write {slot.name}= and {slot.shown}")
        return options, free

    def _twice(self, option: Option, first: Option, spec: StatementSpec) -> None:
        related = (Related(self.source.locate(first.span), "first said here"),)
        message = f"'{option.key}=' is given twice"
        help = f"one value each; a list of settings is a matrix: matrix {spec.keyword}.{option.key}=[…]"
        self.problems.add("BL007", self.source, option.span, message, help, related=related)

    def _option(self, option: Option, slot: Slot, spec: StatementSpec) -> Given | None:
        value = self._resolved(option.value)
        key = f"{spec.keyword}.{option.key}"
        if value is None:
            return None
        if slot.many:
            given = self._many(value.items if isinstance(value, ListValue) else (value,), slot, value.span, key)
        else:
            given = self._one(value, slot, key)
        return None if given is None else replace(given, key_span=option.key_span)

    def _free(self, option: Option, spec: StatementSpec) -> Given | None:
        value = self._resolved(option.value)
        slot = _ANY if spec.free == "any" else self._setting_slot(option, spec)
        if value is None or slot is None:
            return None
        items = value.items if isinstance(value, ListValue) else (value,)
        given = self._many(items, slot, value.span, f"{spec.keyword}.{option.key}")
        return None if given is None else replace(given, key_span=option.key_span)

    def _setting_slot(self, option: Option, spec: StatementSpec) -> Slot | None:
        paths = setting_paths()
        if spec.free == "setting" and option.key in paths:
            return paths[option.key][1]
        meant = option_meant(option.key, spec)
        owner = owner_of(option.key)
        if not meant and spec.free == "setting":
            meant = owner if owner in paths else nearest(option.key, paths)
        help = f"did you mean '{meant}='?" if meant else self._elsewhere(owner, spec)
        message = f"'{spec.keyword}' has no option '{option.key[:60]}'"
        self.problems.add("BL004", self.source, option.key_span, message, help, write=meant)
        return None

    def _elsewhere(self, owner: str, spec: StatementSpec) -> str:
        if owner and owner != spec.keyword:
            return f"'{owner}' is a statement of its own: {STATEMENTS[owner].example}"
        if spec.free == "setting" and not spec.options:
            return f"it takes settings by their statement: {spec.example}, or lora.r=[8, 16]"
        return f"it knows {', '.join(option.name for option in spec.options)}" if spec.options else f"it has none: {spec.example}"


_ANY = Slot("VALUE", "any", many=True)


def _raw(value: Value | ListValue) -> Given:
    text = value.content if isinstance(value, Value) else ""
    return Given(_ANY, value, text, value.span)


def _all_statements() -> str:
    return f"the statements are {', '.join(STATEMENTS)}"
