"""f-strings of what is known."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from budgetlint.program.calling import Frame
from budgetlint.program.choices import MOST_WAYS, alternatives, both, choice
from budgetlint.program.ends import Dead
from budgetlint.program.operators import MOST_CHARACTERS, made_of
from budgetlint.program.path_ends import with_end
from budgetlint.program.places import Origin
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Choice, Known, Map, Plain, Value, Way

_WIDEST = 4
"""Characters of a format: a width of four digits is none that anybody writes, and one of nine fills the memory."""


def joined(it: Interpreter, node: ast.JoinedStr, frame: Frame) -> Value:
    """The text of an f-string; as many ways as its parts have, up to the most of a choice."""
    parts = [_part(it, one, frame) for one in node.values]
    ways = [Way("", Known(""))]
    for part in parts:
        found = list(_grown(ways, part))
        if any(not isinstance(one.value, Known) for one in found) or len(found) > MOST_WAYS:
            return with_end(made_of(*parts), parts)
        ways = found
    origin = Origin("source", it.place(node, frame))
    return choice(Way(way.when, Known(way.value.value, (*way.value.origins, origin)[:6])) for way in ways if isinstance(way.value, Known))


def _grown(ways: list[Way], part: Value) -> Iterator[Way]:
    for way in ways:
        for one in alternatives(part):
            if one.value is ABSENT:
                continue
            value = one.value
            if isinstance(value, Known) and isinstance(way.value, Known) and len(str(way.value.value)) < MOST_CHARACTERS:
                yield Way(
                    both(way.when, one.when), Known(str(way.value.value) + _text(value.value), (*way.value.origins, *value.origins)[:6])
                )
            else:
                yield Way(one.when, value if not isinstance(value, Known) else made_of(value))


def _text(value: Plain) -> str:
    try:
        return format(value)
    except ValueError as error:  # an integer of more digits than Python writes
        raise Dead(type(error).__name__) from None


def _part(it: Interpreter, node: ast.expr, frame: Frame) -> Value:
    value = it.evaluate(node.value if isinstance(node, ast.FormattedValue) else node, frame)
    if not isinstance(node, ast.FormattedValue):
        return Known(value.value) if isinstance(value, Known) else value
    if node.format_spec is None and node.conversion == -1:
        return value
    spec = joined(it, node.format_spec, frame) if isinstance(node.format_spec, ast.JoinedStr) else Known("")
    if isinstance(value, Choice):
        return choice(Way(way.when, _formatted(way.value, spec, node.conversion)) for way in value.ways)
    return _formatted(value, spec, node.conversion)


def _formatted(value: Value, spec: Value, conversion: int) -> Value:
    if not isinstance(value, Known) or not isinstance(spec, Known) or isinstance(value, Map) or len(str(spec.value)) > _WIDEST:
        return made_of(value, spec)
    try:
        converted = repr(value.value) if conversion == ord("r") else str(value.value) if conversion == ord("s") else value.value
        return Known(format(converted, str(spec.value)), value.origins)
    except (ValueError, TypeError):
        return made_of(value)
