"""Reports for machines from the command line: clean on standard output, each to its own file, paths from the repository's top."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

MACHINES = {"json": json.loads, "gitlab": json.loads, "sarif": json.loads, "junit": ET.fromstring}


def holds(report: object, path: str) -> bool:
    """Does a finding of the duplicate key stand in the parsed report, with its file?"""
    text = ET.tostring(report, encoding="unicode") if isinstance(report, ET.Element) else json.dumps(report)
    return path in text and ("duplicate-key" in text or "BL922" in text)


@pytest.mark.parametrize("format", MACHINES)
@pytest.mark.parametrize("more", [[], ["--color", "always"], ["--fix"], ["--info", "--statistics"]])
def test_standard_output_holds_the_report_and_nothing_else(project, format: str, more: list[str]) -> None:
    report = MACHINES[format](project("check", "--format", format, *more).out)
    assert holds(report, "sft.yaml") is ("--fix" not in more)  # the finding, or its absence once it is mended


@pytest.mark.parametrize("format", MACHINES)
def test_a_terminal_of_another_encoding_gets_a_whole_report(project, format: str, sft: str) -> None:
    project.write("日本 😀.yaml", sft)
    ran = project("check", "--format", format)
    report = MACHINES[format](ran.out.encode("ascii", "backslashreplace").decode("ascii"))
    assert holds(report, "sft.yaml")


def test_github_gets_commands_only(project) -> None:
    ran = project("check", "--format", "github")
    assert ran.code == 1
    assert ran.out.startswith("::error file=sft.yaml,line=12,")
    assert all(line.startswith("::") for line in ran.out.splitlines())


def test_every_format_at_once_each_to_its_own_file(project) -> None:
    names = ("full", "concise", "json", "github", "gitlab", "sarif", "junit", "markdown")
    ran = project("check", *(word for name in names for word in ("--format", f"{name}=out.{name}")))
    assert (ran.code, ran.out, ran.err) == (1, "", "")
    written = {name: (project.root / f"out.{name}").read_text(encoding="utf-8") for name in names}
    assert all("duplicate-key" in text for text in written.values())


@pytest.mark.parametrize(
    ("format", "place"),
    [
        ("github", "file=jobs/sft.yaml,"),
        ("gitlab", '"path": "jobs/sft.yaml"'),
        ("sarif", '"uri": "jobs/sft.yaml", "uriBaseId": "SRCROOT"'),
        ("markdown", "<code>jobs/sft.yaml:12:1</code>"),
        ("junit", "jobs/sft.yaml:12:1: error BL922"),
    ],
)
@pytest.mark.parametrize("named", ["sft.yaml", "absolute"])
def test_code_hosts_count_paths_from_the_top_of_the_repository(project, sft: str, format: str, place: str, named: str) -> None:
    jobs = project.root / "jobs"
    jobs.mkdir()
    (project.root / "sft.yaml").rename(jobs / "sft.yaml")
    inside = type(project)(jobs)
    assert place in inside("check", str(jobs / "sft.yaml") if named == "absolute" else named, "--format", format).out


def test_a_suppression_keeps_its_reason(project, sft: str) -> None:
    """In a comment, and in the settings."""
    project.write("sft.yaml", sft.replace("output_dir: tmp", "output_dir: tmp  # budgetlint: allow duplicate-key kept for the old script"))
    project.write("other.yaml", sft)
    project.write(
        "pyproject.toml",
        '[[tool.budgetlint.allow]]\nrule = "duplicate-key"\nin = "other.yaml"\nreason = "generated"\n',
    )
    results = json.loads(project("check", "--format", "sarif").out)["runs"][0]["results"]
    found = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: result["suppressions"]
        for result in results
        if "suppressions" in result
    }
    assert found == {
        "sft.yaml": [{"kind": "inSource", "justification": "kept for the old script"}],
        "other.yaml": [{"kind": "external", "justification": "generated"}],
    }


def test_a_gate_that_judged_nothing_is_told_in_every_format(project) -> None:
    (project.root / "sft.yaml").unlink()
    for format in ("github", "junit", "markdown", "sarif"):
        ran = project("check", "--require-verdict", "--format", format)
        assert (ran.code, "No run was judged" in ran.out) == (1, True)


def test_the_bill_of_a_real_run_adds_up(shell, repository: Path) -> None:
    out = shell("check", str(repository / "examples/lora-32gb"), "--format", "markdown").out
    assert "| `" in out
    assert "**does not fit**" in out
    assert "### The bill of" in out
