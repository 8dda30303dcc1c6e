"""Every program of the table runs, and calls what decides memory, or is refused as the table says."""

from pathlib import Path

import pytest

from tests.program.execute import Case, cases, execute_case

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_runs(case: Case, tmp_path: Path) -> None:
    ran = execute_case(case, tmp_path / "program")
    assert (ran.status != 0) == case.refused, ran.said
    assert case.refused or ran.calls, ran.said
    assert all(call.line and call.file for call in ran.calls)


def test_enough_programs() -> None:
    assert len({case.path for case in CASES}) >= 60
