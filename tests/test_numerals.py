"""A text is a number where it is finite, in ASCII digits and short; nothing raises."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetlint.base import numerals

REALS = {
    "1": 1, "-1": -1, "+1": 1, "1.5": 1.5,
    "1.": 1, ".5": 0.5, "1e5": 1e5, "2e-5": 2e-5,
    "1_000": 1000, "1_0.0_1": 10.01, " 1 ": 1, "007": 7,
    "1e-400": 0, "9" * 300: 1e300, "-0": 0, "1e0_1": 10,
}  # fmt: skip
NONE = (
    "", " ", "x", "1e400", "-1e400", "inf", "nan", "Infinity", "²", "½", "٣", "３",
    "①", "一", "Ⅷ", "--1", "+-1", "1__0", "_1", "1_", "0x10", "0b1",
    "1,5", "1:30", "e5", ".", "1e", "1e+", "true", "9" * 401, "1 0", "1\x00", "9" * 5000, "1²", "1٣",
)  # fmt: skip


@pytest.mark.parametrize(("text", "number"), REALS.items())
def test_what_is_a_number(text: str, number: float) -> None:
    assert numerals.real(text) == numerals.finite(text) == pytest.approx(number)
    assert not numerals.is_endless(text) and not numerals.is_like_one(text)


@pytest.mark.parametrize("text", NONE)
def test_what_is_none(text: str) -> None:
    assert numerals.real(text) is numerals.finite(text) is numerals.whole(text) is numerals.small(text) is None


ENDLESS = (math.inf, -math.inf, math.nan, 10**400, -(10**5000), "inf", "-.inf", ".NaN", "1e400", "9e999", "1" * 320)
"""By place: pytest cannot write one of them out."""


@pytest.mark.parametrize("at", range(len(ENDLESS)))
def test_endless_values_are_told_from_other_texts(at: int) -> None:
    assert numerals.is_endless(ENDLESS[at]) and numerals.finite(ENDLESS[at]) is None


@pytest.mark.parametrize("value", [True, False, None, [], "x", "²", "--1", 1, 1.5, "1.5", "information", "banana"])
def test_other_values_are_not_endless(value: object) -> None:
    assert not numerals.is_endless(value)


@pytest.mark.parametrize("text", ["²", "½", "٣", "--1", "+-1", "1e400", "nan", "-inf", "1__0", "９９"])
def test_a_text_that_was_meant_for_a_number(text: str) -> None:
    assert numerals.is_like_one(text)


@pytest.mark.parametrize("text", ["", "-", "+", ".", "auto", "1", "-1.5", "1e5", "v1", "1.2.3", "a²", "true", "fp16"])
def test_words_and_numbers_are_not_meant_otherwise(text: str) -> None:
    assert not numerals.is_like_one(text)


def test_a_long_text_is_read_in_one_pass() -> None:
    """A pattern with two ways to take the same digits would need hours."""
    assert numerals.is_endless("9" * 3_000_000) and not numerals.is_endless("9" * 3_000_000 + "x") and numerals.is_like_one("²" * 10**6)


def test_counts_are_short_and_without_a_sign() -> None:
    assert [numerals.small(text) for text in ("8", "08", "-8", "+8", "1_0", "9" * 18, "9" * 19)] == [
        8,
        8,
        None,
        None,
        None,
        10**18 - 1,
        None,
    ]
    assert [numerals.whole(text) for text in ("8", "-8", "1_0", " 8 ", "8.0", "9" * 401)] == [8, -8, 10, 8, None, None]


def test_a_fraction_has_a_bounded_exponent() -> None:
    assert numerals.exact("1.5") == Fraction(3, 2) and numerals.exact("2e-3") == Fraction(1, 500) and numerals.exact("1_0e2") == 1000
    assert numerals.exact("1e99999999") is numerals.exact("1e-99999999") is numerals.exact("1e401") is None


@given(st.text(alphabet="0123456789.eE+-_ ²٣３xin", max_size=12))
def test_what_is_read_is_what_python_reads(text: str) -> None:
    number, whole = numerals.real(text), numerals.whole(text)
    assert number is None or number == float(text)
    assert whole is None or whole == int(text)
    exact = numerals.exact(text)
    assert (exact is None) >= (number is None) or numerals.is_endless(text)
    assert number is None or exact is None or float(exact) == number
