"""A Code Quality report: valid, one entry for each finding, and none is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema

from budgetlint.report import check_report
from budgetlint.report.tree import Tree
from budgetlint.results.report import Report

SCHEMA = json.loads((Path(__file__).parent / "schemas/gitlab-code-quality.schema.json").read_text(encoding="utf-8"))


def entries(report: Report, **options: Any) -> list[dict[str, Any]]:
    found = json.loads(check_report(report, "gitlab", **options))
    assert [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(found)] == []
    return found  # type: ignore[no-any-return]


def inside(report: Report) -> Report:
    """Without what lies outside the repository."""
    return replace(report, findings=report.findings[:4])


def test_an_empty_report_is_an_empty_list() -> None:
    assert entries(Report()) == []


def test_an_entry_says_what_where_and_how_bad(odd: Report) -> None:
    entry = entries(inside(odd))[2]
    assert (entry["check_name"], entry["severity"]) == ("gc-off-long-seq", "major")
    assert entry["location"] == {"path": "a b.yaml", "lines": {"begin": 2, "end": 3}}
    assert entry["description"].startswith("BL112: value '100%',\\r\\n\"a|b\"")
    assert "\n" not in entry["description"]


def test_severities_are_gitlabs(odd: Report) -> None:
    assert [entry["severity"] for entry in entries(inside(odd), info=True)] == ["critical", "critical", "major", "info"]
    assert len(entries(inside(odd))) == 3


def test_findings_that_share_a_fingerprint_stay_apart(odd: Report) -> None:
    prints = [entry["fingerprint"] for entry in entries(inside(odd))]
    assert prints[0] == odd.findings[0].fingerprint
    assert len(set(prints)) == len(prints)


def test_a_fingerprint_does_not_depend_on_the_line(odd: Report) -> None:
    moved = replace(odd.findings[0], location=replace(odd.findings[0].location, line=9, end_line=9))
    assert entries(Report((moved,)))[0]["fingerprint"] == entries(inside(odd))[0]["fingerprint"]


def test_paths_count_from_the_top_and_it_is_ascii(odd: Report) -> None:
    assert entries(inside(odd), tree=Tree("/r/jobs", "/r"))[2]["location"]["path"] == "jobs/a b.yaml"
    assert check_report(odd, "gitlab").isascii()


def test_five_thousand(many: Callable[[int], Report]) -> None:
    assert len({entry["fingerprint"] for entry in entries(many(5_000), info=True)}) == 5_000
