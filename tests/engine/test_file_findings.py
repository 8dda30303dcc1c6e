"""Findings about files that no case text can show: unreadable-file and ambiguous-format."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.readers import Tie, all_readers
from budgetlint.resolve import project as project_module
from budgetlint.resolve.file_findings import CODES
from budgetlint.resolve.project import Project, open_project

W = SimpleNamespace


def test_a_file_that_cannot_be_read_is_told_and_keeps_its_level(world: W) -> None:
    project = Project(TextFiles({}))
    project.add("gone.yaml")
    report = world.report(world.judged(findings=tuple(project.findings)))
    assert [(f.code, f.name, f.location.file) for f in report.findings] == [("BL910", "unreadable-file", "gone.yaml")]


def test_a_file_that_two_readers_claim_is_told_and_not_guessed(world: W, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_module, "identify", lambda document: Tie(all_readers()[:2], 0.8))
    project = open_project(TextFiles({"a.yaml": "x: 1\n"}), ["."])
    report = world.report(world.judged(findings=tuple(project.findings)))
    assert [(f.code, f.name) for f in report.findings] == [("BL912", "ambiguous-format")]


def test_every_code_of_the_project_is_a_listed_rule(world: W) -> None:
    listed = {rule.name: rule.code for rule in world.registry().all}
    assert {name: listed.get(name) for name in CODES} == CODES
