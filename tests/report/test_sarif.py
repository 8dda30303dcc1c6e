"""A SARIF log: valid, with places that a viewer finds and fixes that it can apply."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from budgetlint.base.finding import Severity
from budgetlint.report import check_report
from budgetlint.report.tree import Tree
from budgetlint.results.report import Gate, Report

SCHEMA = json.loads((Path(__file__).parent / "schemas/sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def run_of(report: Report, **options: Any) -> dict[str, Any]:
    log = json.loads(check_report(report, "sarif", **options))
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    return log["runs"][0]  # type: ignore[no-any-return]


def test_the_schema_refuses_what_is_no_log() -> None:
    assert not VALIDATOR.is_valid({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"level": "note"}]}]})


def test_an_empty_report_is_a_log_without_results() -> None:
    run = run_of(Report())
    assert (run["results"], run["artifacts"]) == ([], [])
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 0)
    assert "No run was judged" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_it_is_pure_ascii_without_half_characters(odd: Report) -> None:
    text = check_report(odd, "sarif")
    assert text.isascii()
    json.loads(text, object_pairs_hook=lambda pairs: [key + str(value) for key, value in pairs])[0].encode("utf-8")


def test_every_result_names_its_rule_and_the_rule_explains_itself(odd: Report) -> None:
    run = run_of(odd)
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [result["ruleId"] for result in run["results"]]
    assert [rule["id"] for rule in rules] == sorted({"BL203", "BL112", "BL110", "XY001"})
    rule = next(rule for rule in rules if rule["id"] == "BL112")
    assert (rule["name"], rule["helpUri"]) == ("gc-off-long-seq", "https://example.org/rules/gc-off-long-seq")
    assert rule["shortDescription"]["text"] in rule["fullDescription"]["text"]
    assert "## What it costs" in rule["help"]["markdown"]
    assert rule["defaultConfiguration"]["level"] == "warning"
    assert {"tags", "family", "precision"} <= rule["properties"].keys()


def test_levels_follow_the_severity_here(odd: Report) -> None:
    assert [result["level"] for result in run_of(odd)["results"]] == ["error", "error", "warning", "note", "warning", "error", "warning"]


def test_columns_count_code_points_and_the_region_is_the_span(odd: Report) -> None:
    run = run_of(odd)
    assert run["columnKind"] == "unicodeCodePoints"
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 7}


@pytest.mark.parametrize(
    ("result", "uri", "base"),
    [
        (0, "conf%C3%AFgs/%F0%9F%9A%80%20run%2C%20100%25%3A%20%5Ba%5D%28b%29%7C%3Cx%3E%60.yaml", "SRCROOT"),
        (2, "a%20b.yaml", "SRCROOT"),
        (3, "--budget", None),
        (4, "file:///outside/%C3%A9.yaml", None),
    ],
)
def test_paths_are_encoded_and_relative_to_the_root(odd: Report, result: int, uri: str, base: str | None) -> None:
    run = run_of(odd)
    place = run["results"][result]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert (place["uri"], place.get("uriBaseId")) == (uri, base)
    assert run["artifacts"][place["index"]]["location"]["uri"] == uri


@pytest.mark.parametrize(
    ("root", "top", "uri"),
    [("/w/repo", "/w/repo", "a%20b.yaml"), ("/w/repo/jobs", "/w/repo", "jobs/a%20b.yaml"), ("", "", "a%20b.yaml")],
)
def test_paths_count_from_the_top_of_the_repository(odd: Report, root: str, top: str, uri: str) -> None:
    run = run_of(odd, tree=Tree(root, top))
    assert run["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_a_file_name_that_is_no_utf_8_keeps_its_bytes_in_the_uri() -> None:
    from budgetlint.report.tree import uri

    assert uri("a\udcff/b.yaml") == "a%FF/b.yaml"


def test_a_fix_is_what_the_edits_say(odd: Report) -> None:
    """Applied by offsets and by lines, the result is the same."""
    run = run_of(odd)
    first, second = run["results"][0]["fixes"]
    change, elsewhere = first["artifactChanges"]
    assert unquote(change["artifactLocation"]["uri"]) in odd.sources
    (replacement,) = change["replacements"]
    region, text = replacement["deletedRegion"], odd.findings[0].fixes[0].edits[0].text
    assert (region["charOffset"], region["charLength"], replacement["insertedContent"]["text"]) == (3, 3, text)
    assert (region["startLine"], region["startColumn"], region["endLine"], region["endColumn"]) == (1, 4, 1, 7)
    assert elsewhere["replacements"][0]["deletedRegion"] == {"charOffset": 2, "charLength": 0}
    assert "insertedContent" not in second["artifactChanges"][0]["replacements"][0]
    assert [fix["properties"]["safety"] for fix in (first, second)] == ["safe", "unsafe"]


def test_related_places_are_linked_from_the_message(odd: Report) -> None:
    result = run_of(odd)["results"][0]
    assert [related["id"] for related in result["relatedLocations"]] == [1, 2]
    assert result["message"]["text"].endswith("\n[the device](2)")
    assert "[link](http" not in result["message"]["text"]


def test_the_fingerprint_is_the_findings_own(odd: Report) -> None:
    assert run_of(odd)["results"][0]["partialFingerprints"] == {"budgetlint/v1": odd.findings[0].fingerprint}


def test_suppressed_findings_are_in_it_with_the_reason(odd: Report) -> None:
    results = run_of(odd)["results"]
    assert [result.get("suppressions") for result in results] == [
        *([None] * 5),
        [{"kind": "inSource", "justification": "because | of \x00"}],
        [{"kind": "external"}],
    ]


@pytest.mark.parametrize(("gate", "code"), [(Gate(), 0), (Gate(Severity.WARNING), 1), (Gate(require_verdict=True), 1)])
def test_the_exit_code_is_the_gates(odd: Report, gate: Gate, code: int) -> None:
    (invocation,) = run_of(Report(odd.findings[2:3]), gate=gate)["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (code, True)


def test_a_crash_is_a_failed_execution(odd: Report) -> None:
    (invocation,) = run_of(odd)["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (2, False)
    assert "ValueError" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_of_five_thousand_findings_each_file_and_each_rule_is_written_once(
    many: Callable[[int], Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    from budgetlint.report import sarif_rules

    pages: list[object] = []
    monkeypatch.setattr(sarif_rules, "page", lambda rule, format: pages.append(rule) or format)
    report = many(5_000)
    run = json.loads(check_report(report, "sarif"))["runs"][0]
    assert len(run["results"]) == 5_000
    assert len(pages) == 2 * len(set(pages)) == 6
    uris = [artifact["location"]["uri"] for artifact in run["artifacts"]]
    assert len(uris) == len(set(uris))
    assert len(run["tool"]["driver"]["rules"]) == 3


def test_the_encoding_of_a_file_is_told_where_it_is_not_utf_8(odd: Report) -> None:
    coded = {artifact["location"]["uri"]: artifact.get("encoding") for artifact in run_of(odd)["artifacts"]}
    assert (coded["a%20b.yaml"], coded["ds.json"]) == ("UTF-16LE", None)
