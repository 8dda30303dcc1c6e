"""Public out-of-memory messages: eight of ten of the field cases' are explained to the tensor, and so are those that came after."""

from __future__ import annotations

import pytest
from oom_cases import WANTED, Case, cases, main


@pytest.fixture(scope="module")
def found() -> list[Case]:
    return cases()


@pytest.mark.parametrize("name", ["field", "seen", "held-out", "held-out-2"])
def test_eight_of_ten_are_explained(found: list[Case], name: str) -> None:
    mine = [case for case in found if case.row["set"] == name]
    assert sum(case.right for case in mine) >= WANTED * len(mine), [case.row["id"] for case in mine if not case.right]


def test_every_case_says_where_it_is_from_and_why(found: list[Case]) -> None:
    assert len({case.row["id"] for case in found}) == len(found)
    assert all(case.row["url"].startswith("https://github.com/") and case.row["why"] for case in found)


def test_there_are_enough_that_the_code_was_not_written_with(found: list[Case]) -> None:
    assert sum(case.row["set"] == "held-out" for case in found) >= 20


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "explained to the tensor" in out
    assert main(["msw-6966"]) == 0
    assert "expected: " in capsys.readouterr().out
