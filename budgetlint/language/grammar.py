"""What a budget's text becomes: nodes of `budgetlint.language.tree`. What is right is read by `read`, what is not by lark's `parser`, made
once per process from ``budget.lark`` or its tables."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from budgetlint.base.source import Span
from budgetlint.language import lalr
from budgetlint.language.tree import Assert, Item, Keys, Let, ListValue, Option, Statement, SumTerm, Value

if TYPE_CHECKING:
    import lark

VALUE_KINDS = {
    "QUANTITY": "quantity", "PERCENT": "percent", "NUMBER": "number", "DATE": "date",
    "STRING": "string", "WORD": "word", "REF": "ref", "COMMAND": "command",
}  # fmt: skip


def read(text: str, start: int, end: int, entry: str) -> Any:
    """The items of a text (``entry`` start) or the one statement of a part of it (statement); None where it is none."""
    return lalr.read(text, start, end, entry, _Builder())


@cache
def parser() -> lark.Lark:
    """The LALR parser of lark, which says what is wrong. It costs 50 modules: not for a budget that is right."""
    from budgetlint.language import tables

    return tables.parser(_Builder())


def _span(first: Any, last: Any) -> Span:
    return Span(_of(first).start, _of(last).end)


def _of(node: Any) -> Span:
    """The span of a token or of what was already built."""
    span: Span = Span(node.start_pos, node.end_pos) if isinstance(node, str) else node.span  # type: ignore[attr-defined]
    return span


def _value(node: Any) -> Value | ListValue:
    if isinstance(node, ListValue):
        return node
    return Value(VALUE_KINDS[node.type], str(node), Span(node.start_pos, node.end_pos))


class _Block(tuple[Item, ...]):
    """The items of a block, and where its closing brace ends."""

    end_pos: int = 0


class _Builder:
    """One method per grammar rule, called bottom-up with the rule's children."""

    def start(self, children: list[Any]) -> tuple[Item, ...]:
        return tuple(children[0])

    def body(self, children: list[Any]) -> tuple[Item, ...]:
        return tuple(child for child in children if not isinstance(child, str))

    def statement(self, children: list[Any]) -> Item:
        return children[0]  # type: ignore[no-any-return]

    def directive(self, children: list[Any]) -> Statement:
        keyword, *rest = children
        block = rest.pop() if rest and isinstance(rest[-1], _Block) else None
        end = block.end_pos if block is not None else _of(children[-1]).end
        return Statement(
            str(keyword),
            Span(keyword.start_pos, keyword.end_pos),
            tuple(_value(child) for child in rest if not isinstance(child, Option)),
            tuple(child for child in rest if isinstance(child, Option)),
            tuple(block) if block is not None else None,
            Span(keyword.start_pos, end),
        )

    def block(self, children: list[Any]) -> _Block:
        block = _Block(children[1])
        block.end_pos = children[-1].end_pos
        return block

    def keys(self, children: list[Any]) -> Keys:
        return Keys(tuple(children), _span(children[0], children[-1]))

    def option(self, children: list[Any]) -> Option:
        key, _, value = children
        return Option(str(key), Span(key.start_pos, key.end_pos), _value(value), _span(key, value))

    def let(self, children: list[Any]) -> Let:
        keyword, name, _, value = children
        return Let(str(name), Span(name.start_pos, name.end_pos), _value(value), _span(keyword, value))

    def assertion(self, children: list[Any]) -> Assert:
        keyword, left, comparison, right, *rest = children
        message = _value(rest[1]) if rest else None
        last = rest[1] if rest else right[-1]
        assert message is None or isinstance(message, Value)
        return Assert(left, str(comparison), right, message, Span(keyword.start_pos, _of(last).end))

    def launch(self, children: list[Any]) -> Statement:
        keyword, command = children
        return Statement(str(keyword), _span(keyword, keyword), (_value(command),), (), None, _span(keyword, command))

    def sum(self, children: list[Any]) -> tuple[SumTerm, ...]:
        terms = [children[0]]
        for sign, term in zip(children[1::2], children[2::2], strict=True):
            negative = str(sign) == "-"
            terms.append(SumTerm(-1 if negative else 1, term.share, term.value, term.span))
        return tuple(terms)

    def amount(self, children: list[Any]) -> SumTerm:
        value = _value(children[0])
        return SumTerm(1, None, value, value.span)

    def share(self, children: list[Any]) -> SumTerm:
        percent, _, value = children
        share = _value(percent)
        assert isinstance(share, Value)
        return SumTerm(1, share, _value(value), _span(percent, value))

    def list(self, children: list[Any]) -> ListValue:
        items = tuple(_value(child) for child in children[1:-1] if _is_value(child))
        return ListValue(items, _span(children[0], children[-1]))


def _is_value(child: Any) -> bool:
    return isinstance(child, ListValue) or child.type in VALUE_KINDS
