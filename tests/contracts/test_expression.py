"""Conditions: what they come to, as Python has it, and where a field is not known."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.contracts.expression import MOST_STEPS, UNKNOWN, evaluate, holds, parse
from budgetlint.contracts.names import fields_of

FIELDS: dict[str, Any] = {
    "steps": 4,
    "name": "adamw",
    "on": True,
    "off": False,
    "none": None,
    "words": ["a", "b"],
    "table": {"key": 1, "inner": {"deep": 2}},
    "half": 0.5,
}


def lookup(name: str) -> Any:
    return FIELDS.get(name, UNKNOWN)


@pytest.mark.parametrize(
    "text",
    [
        "steps > 3",
        "steps % 3 != 0",
        "not on",
        "on and not off",
        "off or name == 'adamw'",
        "name in ['sgd', 'adamw']",
        "name not in ['sgd']",
        "none is None",
        "none is not None and none > 1",
        "0.0 <= half < 0.5",
        "0 < half <= 1",
        "(steps if on else 0) == 4",
        "-steps == -4",
        "steps + 1 - 2 * 2 // 1",
        "steps / 8 == half",
        "len(words) == 2",
        "'a' in words",
        "words[0] == 'a'",
        "table['key'] == 1",
        "any(_x == 'b' for _x in words)",
        "all(_x in ['a', 'b'] for _x in words)",
        "[_x for _x in words if _x != 'a'] == ['b']",
        "int(half) == 0",
    ],
)
def test_it_comes_to_what_python_has(text: str) -> None:
    assert evaluate(parse(text), lookup) == eval(text, {}, dict(FIELDS))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("isinstance(steps, 'int', 'float')", True),
        ("isinstance(name, 'int')", False),
        ("lower('ABC') == 'abc'", True),
        ("startswith(name, 'ada', 'sgd')", True),
        ("get(table, 'key') == 1", True),
        ("get(table, 'missing', 7)", 7),
        ("subset(words, ['a', 'b', 'c'])", True),
    ],
)
def test_functions_of_the_language(text: str, value: object) -> None:
    assert evaluate(parse(text), lookup) == value


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("unknown > 1", None),
        ("unknown and off", False),
        ("off and unknown", False),
        ("unknown or on", True),
        ("unknown or off", None),
        ("not unknown", None),
        ("none < 1", None),
        ("none < 1 or on", True),
        ("(1 if unknown else 1) == 1", True),
        ("(1 if unknown else 2) == 1", None),
        ("any(_x == unknown for _x in words)", None),
        ("any(_x == 'a' for _x in unknown)", None),
        ("words[7] == 1", None),
        ("name * steps", None),
        ("missing.inner", None),
    ],
)
def test_what_is_not_known_is_not_claimed(text: str, answer: bool | None) -> None:
    assert holds(parse(text), lookup) is answer


def test_fields_are_named_once_and_those_of_a_loop_are_none() -> None:
    assert fields_of(parse("a.b > 1 and any(_x == c for _x in d) and a.b < len(e)")) == ("a.b", "c", "d", "e")


def test_a_long_value_is_not_walked() -> None:
    tree = parse("any(_x == 'z' for _x in long)")
    assert holds(tree, lambda _name: ["a"] * 1_000_000) is None
    assert holds(tree, lambda _name: ["a"] * (MOST_STEPS * 2)) is None
