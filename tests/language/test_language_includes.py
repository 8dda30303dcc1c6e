"""Included budgets: relative to their file, inside the project, each once, never in a circle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.language import read_budget
from budgetlint.language.budget import Budget


def project(files: Mapping[str, str], name: str = "main.budget", root: str = "") -> Budget:
    def load(path: str) -> SourceFile | UnreadableFile:
        return SourceFile(path, files[path]) if path in files else UnreadableFile(path, "is not there", "check the path")

    return read_budget(SourceFile(name, files[name]), load, root=root)


def said(budget: Budget) -> list[str]:
    return [f"{problem.location} {problem.code}" for problem in budget.problems]


def test_included_statements_count_as_if_they_stood_here() -> None:
    found = project(
        {"main.budget": "include 'team.budget'; run r { on t; seq $ctx }", "team.budget": "let ctx = 9; target t { device t4 }; deny x"}
    )
    assert said(found) == []
    assert (found.runs[0].settings.value("seq_len"), list(found.targets), found.includes) == (9, ["t"], ("team.budget",))
    assert [str(level.origin.location) for level in found.levels] == ["team.budget:1:43"]


def test_a_path_is_relative_to_the_file_it_stands_in() -> None:
    files = {"runs/a.budget": "include '../team.budget'", "team.budget": "include 'lib/x.budget'", "lib/x.budget": "config c.yaml"}
    found = project(files, "runs/a.budget")
    assert said(found) == []
    assert [(ref.path, ref.base) for ref in found.runs[0].configs] == [("c.yaml", "lib")]


def test_a_circle_is_told_at_the_include() -> None:
    found = project({"main.budget": "include 'a.budget'", "a.budget": "seq 1\ninclude 'main.budget'"})
    assert said(found) == ["a.budget:2:9 BL009"]
    assert "main.budget -> a.budget -> main.budget" in found.problems[0].message


def test_a_diamond_is_read_once() -> None:
    files = {
        "main.budget": "include 'a.budget'; include 'b.budget'",
        "a.budget": "include 'c.budget'",
        "b.budget": "include 'c.budget'",
        "c.budget": "seq 5",
    }
    found = project(files)
    assert said(found) == []
    assert found.runs[0].settings.value("seq_len") == 5


def test_includes_go_eight_deep() -> None:
    chain = {f"{n}.budget": f"include '{n + 1}.budget'" for n in range(1, 12)} | {"main.budget": "include '1.budget'", "12.budget": "seq 1"}
    assert said(project(chain)) == ["8.budget:1:9 BL009"]
    assert said(project(chain | {"8.budget": "seq 1"})) == []


def test_a_problem_stands_in_the_file_that_has_it() -> None:
    found = project({"main.budget": "include 'a.budget'\ndevice t4", "a.budget": "lora r=\ndevice l4"})
    assert said(found) == ["main.budget:2:1 BL007", "a.budget:1:7 BL001"]


def test_outside_the_root_is_refused() -> None:
    files = {"proj/main.budget": "include '../x.budget'", "x.budget": "seq 1"}
    assert said(project(files, "proj/main.budget", root="proj")) == ["proj/main.budget:1:9 BL009"]
    assert said(project(files, "proj/main.budget")) == []


def test_a_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.budget").write_text("seq 1")
    inside = tmp_path / "proj"
    inside.mkdir()
    (inside / "link.budget").symlink_to(tmp_path / "secret.budget")
    (inside / "loop.budget").symlink_to(inside / "loop.budget")
    (inside / "ok.budget").write_text("seq 3")
    source = SourceFile(str(inside / "main.budget"), "include 'link.budget'; include 'loop.budget'; include 'ok.budget'")
    found = read_budget(source, root=str(inside))
    assert [problem.code for problem in found.problems] == ["BL009", "BL009"]
    assert found.runs[0].settings.value("seq_len") == 3
