"""``check --stdin-filename PATH``: the text on standard input, in the place of the file's or of one that is not there yet."""

from __future__ import annotations

import json

import pytest

BOTH = "fp16: true\n"


@pytest.fixture
def repository(project):
    project.write("pyproject.toml", "[project]\nname = 'x'\n")
    return project


def _codes(ran) -> set[tuple[str, str]]:
    return {(one["file"], one["code"]) for one in json.loads(ran.out)["findings"] if one["severity"] == "error"}


@pytest.mark.parametrize("paths", [[], ["-"]])
@pytest.mark.parametrize("name", ["sft.yaml", "new.yaml", "configs/new.yaml", "./sft.yaml"])
def test_the_text_counts_not_the_file(repository, sft: str, name: str, paths: list[str]) -> None:
    ran = repository("check", "--format", "json", "--stdin-filename", name, *paths, stdin=sft + BOTH)
    assert ran.code == 1
    assert (name.removeprefix("./"), "BL205") in _codes(ran)
    assert {file for file, _ in _codes(ran)} == {name.removeprefix("./")}


def test_the_budgets_of_its_folder_hold(repository, sft: str) -> None:
    repository.write("card.budget", "device 1GiB\n")
    ran = repository("check", "--format", "json", "--stdin-filename", "new.yaml", stdin=sft)
    assert ("new.yaml", "BL101") in _codes(ran)


def test_a_budget_on_standard_input_judges_the_configs_below_it(repository) -> None:
    ran = repository("check", "--format", "json", "--stdin-filename", "card.budget", stdin="device 1GiB\n")
    assert ("sft.yaml", "BL101") in _codes(ran)


def test_outside_a_repository_only_this_text_is_read(shell, sft: str) -> None:
    ran = shell("check", "--format", "json", "--stdin-filename", "sft.yaml", stdin=sft + BOTH)
    assert ("sft.yaml", "BL205") in _codes(ran)


def test_the_file_stays_as_it_is(repository, sft: str) -> None:
    ran = repository("check", "--diff", "--stdin-filename", "sft.yaml", stdin=sft)
    assert ran.out.startswith("--- sft.yaml")
    assert (repository.root / "sft.yaml").read_text(encoding="utf-8") == sft


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(["sft.yaml"], "name no other files"), (["--fix"], "--fix cannot write to standard input"), (["--", "python", "x.py"], "launch")],
)
def test_what_does_not_go_together(repository, arguments: list[str], why: str) -> None:
    ran = repository("check", "--stdin-filename", "sft.yaml", *arguments, stdin="")
    assert ran.code == 2
    assert why in ran.err
