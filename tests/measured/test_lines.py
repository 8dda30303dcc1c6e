"""Which lines are about a run, and what the language makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.language import read_budget
from budgetlint.resolve.runs import judge_texts

RUN = "device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("measured fits", "ok"),
        ("measured oom", "oom"),
        ("measured outcome=ok", "ok"),
        ("measured outcome=oom", "oom"),
        ("measured peak=1GiB", "ok"),
    ],
)
def test_how_it_ended_needs_no_figure(line: str, outcome: str) -> None:
    budget = read_budget(SourceFile("run.budget", line))
    assert budget.problems == ()
    assert [one.outcome for one in budget.runs[0].measured] == [outcome]


@pytest.mark.parametrize(
    ("line", "code", "cure"),
    [
        ("measured 11GiB", "BL006", "write peak=11GiB"),
        ("measured", "BL006", "measured peak="),
        ("measured crash", "BL003", "fits or oom or ok"),
    ],
)
def test_what_is_no_measurement(line: str, code: str, cure: str) -> None:
    (problem,) = read_budget(SourceFile("run.budget", line)).problems
    assert problem.code == code and cure in problem.help


def about(lines: str, budget: str = RUN) -> dict[str, list[str]]:
    """Of each run the cards of the lines about it."""
    judged = judge_texts({"budget.lock": lines, "run.budget": budget})
    return {run.label: [line.measured.facts.get("device", "") for line in run.recorded] for run in judged.runs}


def test_a_line_names_its_run_or_is_about_every_one() -> None:
    lines = 'measured fits device=l4\nmeasured fits run="one" device=t4\nmeasured fits run="three" device=a100-80gb'
    assert about(lines, f"{RUN}\nrun one {{}}\nrun two {{}}") == {
        "one": ["l4", "t4"],
        "two": ["l4"],
    }


def test_a_line_names_its_target() -> None:
    budget = f"{RUN.removeprefix('device l4; ')}\ntarget a {{ device l4 }}\ntarget b {{ device t4 }}\non a b"
    assert about("measured fits target=b device=t4", budget) == {"run.budget@a": [], "run.budget@b": ["t4"]}


def test_a_line_names_the_settings_of_its_cell() -> None:
    budget = RUN.replace("batch 1; seq 1024", "matrix batch=[1, 2] seq=[512, 1024]")
    found = about("measured fits batch=2 seq=512 device=l4", budget)
    assert [label for label, cards in found.items() if cards] == ["run.budget[batch=2 seq=512]"]


def test_what_if_is_not_what_was_measured(shell: Any) -> None:
    """A line without a hash is about the run as it is written, not with another batch."""
    shell.write("run.budget", f"{RUN}\nmeasured oom\n")

    def codes(*more: str) -> list[str]:
        return [one["code"] for one in shell("check", "--format", "json", *more).json["findings"] if one["name"].startswith("measured")]

    assert codes() == ["BL132"]
    assert codes("--set", "seq_len=512") == []
