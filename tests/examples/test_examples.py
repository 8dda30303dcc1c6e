"""Every project under ``examples/`` against what budgetlint is expected to say about it (``regenerate.py`` writes that)."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GOLDEN = runpy.run_path(str(HERE / "regenerate.py"))
PROJECTS: list[str] = GOLDEN["projects"]()
EXAMPLES: Path = GOLDEN["ROOT"] / "examples"


@pytest.mark.parametrize("project", PROJECTS)
def test_a_project_gets_what_is_expected(project: str) -> None:
    got = GOLDEN["expected"](project)
    assert got == {name: (HERE / name).read_text(encoding="utf-8") for name in got}, "python tests/examples/regenerate.py"


def test_there_are_eight_projects_or_more() -> None:
    assert len(PROJECTS) >= 8


def test_no_expectation_is_without_its_project() -> None:
    assert sorted(path.name for path in HERE.glob("*.txt")) == sorted(f"{p}.{kind}.txt" for p in PROJECTS for kind in ("check", "verdicts"))


@pytest.mark.parametrize("project", PROJECTS)
def test_every_run_of_a_project_gets_a_verdict(project: str) -> None:
    lines = GOLDEN["verdicts"](project).splitlines()[1:]
    assert lines
    assert [line for line in lines if " unknown " in line] == []


@pytest.mark.parametrize("project", PROJECTS)
def test_every_file_of_a_project_is_used(project: str) -> None:
    """Each file is read as what it is and belongs to a run; a checkpoint's config.json is only named by a budget."""
    _, out = GOLDEN["call"]("files", f"examples/{project}")
    assert [line for line in out.splitlines() if " run " not in line and not line.split()[0].endswith("/config.json")] == []


def test_the_twin_differs_in_one_line_and_fits() -> None:
    broken, fixed = ((EXAMPLES / name / "sft.yaml").read_text(encoding="utf-8").splitlines() for name in ("lora-32gb", "lora-32gb-fixed"))
    assert [(a, b) for a, b in zip(broken, fixed, strict=True) if a != b] == [
        ("gradient_checkpointing: false", "gradient_checkpointing: true")
    ]
    assert " does-not-fit " in GOLDEN["verdicts"]("lora-32gb")
    assert " fits " in GOLDEN["verdicts"]("lora-32gb-fixed")
