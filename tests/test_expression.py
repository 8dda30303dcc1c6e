"""Expressions are compiled when they are first asked, and answer as compiled ones."""

from __future__ import annotations

import re

import pytest

from budgetlint.base.expression import expression


@pytest.mark.parametrize("method", ["match", "search", "fullmatch", "findall", "split"])
def test_it_answers_as_a_pattern(method: str) -> None:
    lazy, plain = expression("A(b+)", re.IGNORECASE), re.compile("A(b+)", re.IGNORECASE)
    for text in ("abb", "xabbabx", "c"):
        one, other = (getattr(pattern, method)(text) for pattern in (lazy, plain))
        assert getattr(one, "groups", lambda of=one: of)() == getattr(other, "groups", lambda of=other: of)()


def test_it_has_the_attributes_of_a_pattern() -> None:
    lazy = expression("(?P<n>a)", re.MULTILINE)
    assert (lazy.pattern, lazy.groups, dict(lazy.groupindex)) == ("(?P<n>a)", 1, {"n": 1})
    assert lazy.sub("b", "aa") == "bb"


def test_what_is_never_asked_is_never_compiled() -> None:
    never = expression("(")
    with pytest.raises(re.error):
        never.match("")


def test_a_method_is_looked_up_once() -> None:
    lazy = expression("a")
    assert lazy.match is lazy.match
