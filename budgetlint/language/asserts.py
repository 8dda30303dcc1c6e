"""What an assert may compare: bytes with bytes, counts with counts, a setting with a value of its own domain."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.numerals import exact
from budgetlint.base.record import record, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.language.asserted import asserted_settings
from budgetlint.language.catalog_names import check_optimizer
from budgetlint.language.check import Lookup
from budgetlint.language.problems import Problems
from budgetlint.language.slots import Slot
from budgetlint.language.suggest import nearest
from budgetlint.language.tree import Assert, ListValue, SumTerm, Value
from budgetlint.language.values import MAX_DIGITS, Wrong, convert, parameter_count, to_amount

BYTE_NAMES = (
    "peak", "usable", "device", "host", "allocated", "reserved",
    "weights", "gradients", "grads", "optimizer", "activations", "logits", "context",
)  # fmt: skip
COUNT_NAMES = ("params", "trainable")
EQUALITY = ("==", "!=")
NUMERIC_KINDS = ("count", "whole", "number", "percent", "duration")
_AMOUNT = Slot("assert", "amount")


@record
class AssertChecker:
    """Checks the asserts of one file; a broken one is reported and left out."""

    source: SourceFile
    problems: Problems
    lookup: Lookup

    def check(self, statement: Assert) -> Assert | None:
        """The assert with its references replaced and a setting's right side in canonical spelling; or None."""
        left, right = self._resolved(statement.left), self._resolved(statement.right)
        if left is None or right is None:
            return None
        ready = replace(statement, left=left, right=right, source=self.source)
        path = compared_setting(ready)
        return self._setting(ready, path) if path else self._sums(ready)

    def _bad(self, span: Span, message: str, help: str, write: str = "") -> None:
        self.problems.add("BL014", self.source, span, message, help, key="assert", write=write)

    def _resolved(self, terms: tuple[SumTerm, ...]) -> tuple[SumTerm, ...] | None:
        found: list[SumTerm] = []
        for term in terms:
            value = self.lookup(term.value) if isinstance(term.value, Value) and term.value.kind == "ref" else term.value
            if value is None:
                return None
            found.append(replace(term, value=value))
        return tuple(found)

    # -- a setting -----------------------------------------------------------------------------------------------------

    def _setting(self, statement: Assert, path: str) -> Assert | None:
        _, slot = asserted_settings()[path]
        term = statement.right[0]
        if len(statement.right) > 1 or term.share is not None or isinstance(term.value, ListValue):
            self._bad(_span(statement.right), f"a setting is compared with one value ({path})", f"write one value: {path} == …")
            return None
        if slot.many:
            self._bad(_span(statement.left), f"'{path}' is a list and cannot be compared", "compare a setting that has one value")
            return None
        if path == "shard" and term.value.content == "hsdp":
            self._bad(term.span, "'hsdp' is fsdp with a hybrid strategy", "write assert shard == fsdp")
            return None
        if slot.kind not in NUMERIC_KINDS and statement.comparison not in EQUALITY:
            help = f"'{path}' is a word: compare it with == or !="
            self._bad(_span(statement.left), f"'{path} {statement.comparison}' has no meaning", help)
            return None
        value = self._in_domain(term.value, slot)
        return None if value is None else replace(statement, right=(replace(term, value=value),))

    def _in_domain(self, value: Value, slot: Slot) -> Value | None:
        if slot.kind == "optimizer":
            found = check_optimizer(value.content, self.source, value.span, self.problems, "assert")
            return Value("word", found.name, value.span) if isinstance(found, Optimizer) else None
        typed = convert(value, slot)
        if isinstance(typed, Wrong):
            self.problems.add(typed.code, self.source, value.span, typed.message, typed.help, key="assert", write=typed.write)
            return None
        return value

    # -- bytes and counts ----------------------------------------------------------------------------------------------

    def _sums(self, statement: Assert) -> Assert | None:
        kinds = [self._kind(term) for term in (*statement.left, *statement.right)]
        if None in kinds:
            return None
        if len(set(kinds)) > 1:
            self._mixed(statement, [kind for kind in kinds if kind])
            return None
        if kinds[0] == "bytes" and statement.comparison in EQUALITY:
            message = f"bytes are never exactly equal ('{statement.comparison}')"
            self._bad(statement.span, message, "compare them with <, <=, > or >=")
            return None
        return statement

    def _mixed(self, statement: Assert, kinds: list[str]) -> None:
        terms = (*statement.left, *statement.right)
        odd = next((term for term, kind in zip(terms, kinds, strict=True) if kind != kinds[0]), terms[-1])
        text = odd.value.text if isinstance(odd.value, Value) else "[…]"
        if isinstance(odd.value, Value) and odd.value.kind == "number" and kinds[0] == "bytes":
            wrong = to_amount(odd.value, _AMOUNT)
            if isinstance(wrong, Wrong):
                self.problems.add(wrong.code, self.source, odd.span, wrong.message, wrong.help, key="assert")
                return
        count = parameter_count(text) if kinds[0] == "count" else ""
        help = f"a number of parameters is written {count}" if count else "compare bytes with bytes, counts with counts"
        self._bad(
            odd.span,
            f"'{text}' is {_KIND_NAMES[kinds[-1] if kinds[-1] != kinds[0] else kinds[0]]}, the left side is {_KIND_NAMES[kinds[0]]}",
            help,
            count,
        )

    def _kind(self, term: SumTerm) -> str | None:
        """``bytes`` or ``count``; None after reporting a term that is neither."""
        value = term.value
        if isinstance(value, ListValue):
            self._bad(value.span, "a list stands where a sum belongs", "write one amount or name")
            return None
        if value.kind == "quantity":
            return self._quantity(value)
        share = self._figure(term.share) if term.share else "count"
        if value.kind == "number" or share is None:
            return share and self._figure(value)
        if value.kind == "percent":
            self._bad(value.span, f"'{value.text}' of what?", f"a percentage in assert needs 'of': {value.text} of usable")
            return None
        return self._name(value)

    def _figure(self, value: Value) -> str | None:
        """``count`` for a figure that can be compared; digits that no run has are reported."""
        if len(value.text) <= MAX_DIGITS and exact(value.text.rstrip("%")) is not None:
            return "count"
        self._bad(value.span, f"'{value.text[:20]}' is a figure beyond any run's", "write a number that a run can have")
        return None

    def _quantity(self, value: Value) -> str | None:
        typed = to_amount(value, _AMOUNT)
        if isinstance(typed, Wrong):
            count = parameter_count(value.text)
            help = f"a number of parameters is written {count}" if count else typed.help
            self.problems.add(typed.code, self.source, value.span, typed.message, help, key="assert")
            return None
        return "bytes"

    def _name(self, value: Value) -> str | None:
        if value.kind == "word" and value.text in BYTE_NAMES:
            return "bytes"
        if value.kind == "word" and value.text in COUNT_NAMES:
            return "count"
        if value.text in asserted_settings():
            self._bad(value.span, f"'{value.text}' is a setting", f"a setting stands alone on the left: {value.text} == …")
            return None
        meant = nearest(value.text, (*BYTE_NAMES, *COUNT_NAMES, *asserted_settings()))
        help = f"did you mean '{meant}'?" if meant else f"write one of {', '.join((*BYTE_NAMES, *COUNT_NAMES))}, or a setting on the left"
        self._bad(value.span, f"assert does not know '{value.text[:60]}'", help, meant)
        return None


_KIND_NAMES = {"bytes": "memory", "count": "a number"}


def compared_setting(statement: Assert) -> str:
    """The setting that the assert compares, as written (a key of `asserted_settings`); empty where it compares sums.

    ``optimizer`` is a bucket of bytes, except where it is compared with == or !=.
    """
    term = statement.left[0]
    if len(statement.left) > 1 or term.share is not None or not isinstance(term.value, Value) or term.value.kind != "word":
        return ""
    name = term.value.text
    is_sum = name in BYTE_NAMES and statement.comparison not in EQUALITY
    return name if name in asserted_settings() and not is_sum else ""


def names_in(statement: Assert) -> Iterator[str]:
    """Every word of both sides."""
    for term in (*statement.left, *statement.right):
        if isinstance(term.value, Value) and term.value.kind == "word":
            yield term.value.text


def _span(terms: tuple[SumTerm, ...]) -> Span:
    return Span(terms[0].span.start, terms[-1].span.end)
