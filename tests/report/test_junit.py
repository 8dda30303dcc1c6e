"""JUnit XML: valid for Jenkins, readable by a strict parser, and red exactly where the gate is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from budgetlint.base.finding import Severity
from budgetlint.report import check_report
from budgetlint.results.report import Gate, Report


@cache
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(Path(__file__).parent / "schemas/junit-10.xsd"))


def suite(report: Report, **options: Any) -> ET.Element:
    text = check_report(report, "junit", **options)
    assert text.isascii()
    root = ET.fromstring(text)
    schema().validate(root)
    (found,) = root.findall("testsuite")
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert found.get(name) == str(len(list(found.iter(tag))))
    return found


def outcomes(found: ET.Element) -> dict[str, str]:
    """Name of each case, and what it came to."""
    return {
        f"{case.get('classname')} {case.get('name')}": next(
            (child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed"
        )
        for case in found.iter("testcase")
    }


def test_each_run_is_a_case_and_so_is_each_file_with_findings_of_its_own(odd: Report) -> None:
    assert outcomes(suite(odd)) == {
        "budgetlint.run fits well": "passed",
        "budgetlint.run sft | `😀`": "failure",
        "budgetlint.run open@t4[seq=1]": "skipped",
        "budgetlint.run nothing": "skipped",
        "budgetlint.file a b.yaml": "passed",
        "budgetlint.file /outside/é.yaml": "passed",
        "budgetlint.crash rule broken on confïgs/🚀 run, 100%: [a](b)|<x>`.yaml": "error",
    }


def test_a_case_fails_where_the_gate_does(odd: Report) -> None:
    strict = outcomes(suite(odd, gate=Gate(Severity.WARNING, require_verdict=True)))
    assert strict["budgetlint.file a b.yaml"] == "failure"
    assert strict["budgetlint.run nothing"] == "failure"
    assert strict["budgetlint.run fits well"] == "passed"


def test_one_failure_holds_every_finding_of_the_case(odd: Report) -> None:
    case = next(case for case in suite(odd).iter("testcase") if case.get("name") == "sft | `😀`")
    (failure,) = case.findall("failure")
    assert failure.get("type") == "BL203 fp16-bf16-both"
    assert (failure.get("message") or "").endswith("(and 1 more)")
    assert (failure.text or "").count("error BL203") == 2
    assert "does not fit: need 6.00 GiB, limit 5.00 GiB, headroom -1.00 GiB" in (case.findtext("system-out") or "")


def test_what_cannot_be_in_xml_is_replaced(odd: Report) -> None:
    text = "".join(suite(odd).itertext())
    assert "\ufffd" in text
    assert not {"\x00", "\x1b", "\udcff"} & set(text)
    assert "日本語 😀" in text


@pytest.mark.parametrize(("gate", "outcome"), [(Gate(), "skipped"), (Gate(require_verdict=True), "failure")])
def test_no_run_at_all_is_told(gate: Gate, outcome: str) -> None:
    assert outcomes(suite(Report(), gate=gate)) == {"budgetlint.gate verdict": outcome}


def test_two_cases_never_share_a_name(odd: Report) -> None:
    names = [case.get("name") for case in suite(Report((), odd.verdicts[:1], crashes=odd.crashes * 2)).iter("testcase")]
    assert len(names) == len(set(names)) == 3


def test_five_thousand(many: Callable[[int], Report]) -> None:
    found = suite(many(5_000), info=True)
    assert len(list(found.iter("testcase"))) == 20
    assert sum((text or "").count(" BL") for text in found.itertext()) >= 5_000
