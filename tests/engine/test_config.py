"""``[tool.budgetlint]``."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.config.config import Config
from budgetlint.config.load import load_config
from budgetlint.rule import Severity

W = SimpleNamespace


def config(text: str) -> Config:
    return load_config(SourceFile("pyproject.toml", text))


def table(text: str) -> Config:
    return config(f"[tool.budgetlint]\n{text}")


def test_the_whole_table() -> None:
    got = config(
        """\
[tool.budgetlint]
select = ["BL2", "does-not-fit"]
ignore = "BL6"
fail-on = "warning"
budget = "device 24GiB; reserve 2GiB"
exclude = ["third_party/", "*.bak.yaml"]
[tool.budgetlint.levels]
unit-mixup = "error"
BL7 = "off"
[tool.budgetlint.per-file-ignores]
"sweeps/*" = ["BL203"]
[[tool.budgetlint.allow]]
rule = "zero3-keys-lower-stage"
in = "ds/*.json"
key = "zero_optimization.*"
reason = "shared file"
until = 2027-01-31
"""
    )
    assert got.problems == ()
    assert (got.select, got.ignore, got.fail_on) == (("BL2", "does-not-fit"), ("BL6",), Severity.WARNING)
    assert got.budget == "device 24GiB; reserve 2GiB"
    assert [(one.pattern, one.severity, str(one.location)) for one in got.levels] == [
        ("unit-mixup", Severity.ERROR, "pyproject.toml:8:1"),
        ("BL7", None, "pyproject.toml:9:1"),
        ("zero3-keys-lower-stage", None, "pyproject.toml:13:8"),
    ]
    assert (got.levels[2].in_files, got.levels[2].key, got.levels[2].reason) == ("ds/*.json", "zero_optimization.*", "shared file")


def test_a_file_without_the_table_costs_no_parse() -> None:
    assert config("[project]\nname = broken\n").problems == ()


@pytest.mark.parametrize(
    ("text", "at", "message", "cure"),
    [
        ('selekt = ["BL2"]\n', "2:1", "has no key 'selekt'", "did you mean 'select'?"),
        ('fail_on = "error"\n', "2:1", "has no key 'fail_on'", "did you mean 'fail-on'?"),
        ('fail-on = "loud"\n', "2:11", "'loud' is not allowed", "not used"),
        ("budget = 3\n", "2:10", "budget: '3' is not allowed", "not used"),
        ('levels = {BL2 = "shout"}\n', "2:17", "levels.BL2: 'shout'", "not used"),
        ('[[tool.budgetlint.allow]]\nreason = "x"\n', "2:1", "field required", "not used"),
        ('[[tool.budgetlint.allow]]\nrule = "x"\nreson = "x"\n', "4:1", "has no key 'reson'", "did you mean 'reason'?"),
        ("select = [\n", "", "", ""),
    ],
)
def test_mistakes_are_located_findings(text: str, at: str, message: str, cure: str) -> None:
    got = table(text)
    assert len(got.problems) == 1
    problem = got.problems[0]
    assert problem.code == "BL905"
    assert problem.location.file == "pyproject.toml"
    assert at in str(problem.location)
    assert message in problem.message
    assert cure in problem.help


def test_the_rest_of_a_table_with_a_mistake_still_holds() -> None:
    got = table('select = ["BL2"]\nfail-on = "loud"\n')
    assert got.select == ("BL2",)
    assert got.fail_on is Severity.ERROR


def test_the_command_line_replaces_the_selection_and_adds_ignores() -> None:
    base = Config(select=("BL2",), ignore=("BL205", "BL301"))
    assert base.with_command_line(ignore=["BL9"]).ignore == ("BL205", "BL301", "BL9")
    chosen = base.with_command_line(select=["BL301"])
    assert (chosen.select, chosen.ignore) == (("BL301",), ("BL205",))


def test_per_file_ignores_are_silent_in_those_files_only(world: W) -> None:
    got = Config(per_file_ignores={"sweeps/*": ("BL2",)})
    readings = [world.reading(path, "bad: 1\n") for path in ("sweeps/a.yaml", "a.yaml")]
    assert world.lines(world.report(world.judged(*readings), world.says(), config=got)) == ["a.yaml:1:6 BL203 error"]


def test_an_allow_without_reason_and_an_unused_one_are_told(world: W) -> None:
    got = table('[[tool.budgetlint.allow]]\nrule = "bad-key"\nin = "other.yaml"\n')
    report = world.report(world.judged(world.reading("a.yaml", "bad: 1\n")), world.says(), config=got)
    assert world.lines(report) == ["a.yaml:1:6 BL203 error", "pyproject.toml:3:8 BL901 warning", "pyproject.toml:3:8 BL904 warning"]


def test_a_level_for_an_unknown_rule_is_told(world: W) -> None:
    got = table('levels = {bad-kye = "error"}\n')
    report = world.report(world.judged(world.reading("a.yaml", "x: 1\n")), world.says(), config=got)
    assert [(f.code, f.help) for f in report.findings] == [("BL902", "did you mean 'bad-key'?")]


def test_the_json_schema_names_every_key() -> None:
    from budgetlint.config.schema import json_schema

    assert {"select", "fail-on", "per-file-ignores", "budget", "allow"} <= json_schema()["properties"].keys()
