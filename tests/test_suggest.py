"""Near names are told as they are written, likeliest first, and only where much of the name is the same."""

from __future__ import annotations

import pytest

from budgetlint.base.suggest import did_you_mean, near_names

KNOWN = ("Micro-Batch", "batch", "seq-len", "seq-lens")


@pytest.mark.parametrize(
    ("word", "most", "alike", "found"),
    [
        ("micro-bach", 1, 0.6, ("Micro-Batch",)),  # 2 x 10 letters in common of 21: 0.95
        ("BATCH", 1, 0.6, ("batch",)),
        ("seq-len", 2, 0.6, ("seq-len", "seq-lens")),  # 1.00 and 2 x 7 of 15: 0.93
        ("btc", 1, 0.7, ("batch",)),  # 2 x 3 of 8: 0.75
        ("btc", 1, 0.8, ()),
        ("x" * 201, 1, 0.0, ()),
    ],
)
def test_near_names(word: str, most: int, alike: float, found: tuple[str, ...]) -> None:
    assert near_names(word, KNOWN, most=most, alike=alike) == found


def test_a_longer_word_than_any_name_is_not_compared() -> None:
    assert near_names("batches", KNOWN, longest=6) == ()
    assert near_names("batches", KNOWN, longest=7) == ("batch",)


def test_of_two_names_that_differ_in_case_the_first_is_told() -> None:
    assert near_names("adamw", ("AdamW", "adamw")) == ("AdamW",)


@pytest.mark.parametrize(("word", "said"), [("bacth", "; did you mean 'batch'?"), ("zzz", "")])
def test_did_you_mean(word: str, said: str) -> None:
    assert did_you_mean(word, KNOWN) == said
