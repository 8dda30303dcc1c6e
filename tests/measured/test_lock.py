"""``budget.lock``: written, read again, replaced line by line, checked with its budget."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

from budgetlint.base.source import SourceFile
from budgetlint.language import format_text, read_budget
from budgetlint.language.budget import Measured
from budgetlint.measured.lock import LockEntry, with_entries

ENTRY = LockEntry(
    run="configs/sft.yaml#2", target="ci", outcome="ok", figures={"peak": 5_000_000_000, "reserved": 6_000_000_000}, metric="allocated",
    phase="", device='Quadro "x"', torch="2.13.0", date=datetime.date(2026, 11, 29), config="sha256:0123456789abcdef",
    settings={"seq": "4096", "batch": "2"},
)  # fmt: skip


def lines_in(text: str) -> tuple[Measured, ...]:
    budget = read_budget(SourceFile("budget.lock", text))
    assert budget.problems == ()
    return budget.runs[0].measured


def test_what_is_written_is_read_again() -> None:
    (line,) = lines_in(with_entries("", [ENTRY], ()))
    assert line.figures == ENTRY.figures
    assert line.facts == {
        "run": ENTRY.run, "target": "ci", "metric": "allocated", "device": 'Quadro "x"', "torch": "2.13.0", "date": "2026-11-29",
        "config": ENTRY.config, "seq": "4096", "batch": "2",
    }  # fmt: skip
    assert line.outcome == "ok"


def test_out_of_memory_and_fits_need_no_figure() -> None:
    oom = replace(ENTRY, outcome="oom", figures={}, metric="", phase="backward")
    fits = replace(ENTRY, figures={}, metric="", device="NVIDIA L4")
    found = lines_in(with_entries("", [oom, fits], ()))
    assert [(line.outcome, line.facts.get("phase")) for line in found] == [("oom", "backward"), ("ok", None)]


def test_the_lock_is_formatted_as_fmt_formats_it() -> None:
    text = with_entries("", [ENTRY], ())
    assert format_text(text) == text


def test_a_newer_line_takes_the_place_of_the_old_one_and_nothing_else_moves() -> None:
    other = replace(ENTRY, device="NVIDIA L4")
    text = "# ours\n" + with_entries("", [ENTRY, other], ()) + "# end"
    newer = replace(ENTRY, figures={"peak": 7_000_000_000})
    again = with_entries(text, [newer], lines_in(text))
    assert again.startswith("# ours\n") and "# end\n" in again
    assert [(line.facts["device"], line.figures["peak"]) for line in lines_in(again)] == [
        ("NVIDIA L4", 5_000_000_000), ('Quadro "x"', 7_000_000_000),
    ]  # fmt: skip


RUN = "device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full\n"


def codes(ran: Any) -> list[str]:
    return [finding["code"] for finding in ran.json["findings"]]


def test_check_reads_the_lock_beside_the_budget(shell: Any) -> None:
    shell.write("team/run.budget", RUN)
    shell.write("team/budget.lock", 'measured run="team/run.budget" peak=9GiB metric=allocated\n')
    ran = shell("check", "--format", "json")
    (found,) = [one for one in ran.json["findings"] if one["code"] == "BL130"]
    assert (found["file"], found["line"], found["column"]) == ("team/budget.lock", 1, 1)
    assert found["numbers"]["measured_bytes"] == 9 * 2**30


def test_a_remembered_answer_is_not_given_once_the_lock_changes(shell: Any) -> None:
    shell.write("run.budget", RUN)
    assert "BL132" not in codes(shell("check", "--format", "json"))
    shell.write("budget.lock", "measured oom\n")
    assert "BL132" in codes(shell("check", "--format", "json"))
    shell.write("budget.lock", "measured fits\n")
    assert "BL132" not in codes(shell("check", "--format", "json"))


def test_a_lock_that_is_named_judges_the_runs_of_its_folder(shell: Any) -> None:
    shell.write("a/run.budget", RUN)
    shell.write("a/budget.lock", "measured oom\n")
    shell.write("b/run.budget", RUN)
    ran = shell("check", "a/budget.lock", "--format", "json")
    assert [run["name"] for run in ran.json["runs"]] == ["a/run.budget"]
    assert "BL132" in codes(ran)


def test_a_broken_line_is_told_where_it_stands(shell: Any) -> None:
    shell.write("run.budget", RUN)
    shell.write("budget.lock", "measured peek=9GiB\nmeasured oom\n")
    ran = shell("check", "--format", "json")
    assert ("budget.lock", "BL004") in [(one["file"], one["code"]) for one in ran.json["findings"]]
    assert "BL132" in codes(ran)


def test_a_lock_without_a_budget_is_about_nothing(shell: Any) -> None:
    shell.write("budget.lock", "measured oom\n")
    assert shell("check", "--format", "json").json["findings"] == []


def test_a_budget_on_the_command_line_has_its_lock_in_the_working_directory(shell: Any) -> None:
    shell.write("budget.lock", "measured oom\n")
    assert "BL132" in codes(shell("check", "--budget", RUN.strip(), "--format", "json"))


def test_the_hook_hands_a_changed_lock_over(shell: Any) -> None:
    shell.write("run.budget", RUN)
    shell.write("budget.lock", "measured oom\n")
    ran = shell("check", "--force-exclude", "budget.lock", "--format", "json")
    assert "BL132" in codes(ran)


def test_files_says_what_a_lock_is(shell: Any) -> None:
    shell.write("run.budget", RUN)
    shell.write("budget.lock", "measured oom\n")
    listed = {one["path"]: one["format"] for one in shell("files", "--format", "json").json["files"]}
    assert listed == {"run.budget": "budget", "budget.lock": "budget-lock"}
