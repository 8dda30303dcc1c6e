"""The fields that scripts depend on (version 1: added, never renamed)."""

from __future__ import annotations

import json

from budgetlint.base.finding import Confidence, Edit, Finding, Fix, Related, Safety, Severity
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.memory.estimate import Verdict
from budgetlint.report import check_report
from budgetlint.results.report import Report
from budgetlint.results.verdict import RunVerdict

FINDING = Finding(
    "BL203",
    "fp16-bf16-both",
    Severity.INFO,
    Confidence.HIGH,
    "fp16 is true",
    Location("train.yaml", 2, 7, 2, 11),
    key="fp16",
    related=(Related(Location("ds.json", 1, 2, 1, 3), "here"),),
    fixes=(Fix("delete fp16", Safety.SAFE, (Edit("train.yaml", Span(11, 22), ""),)),),
    numbers={"need_bytes": 2**60},
)


def rendered() -> dict[str, object]:
    report = Report(
        (FINDING,),
        (RunVerdict("sft", None, "", Verdict.TIGHT, 9, 10, ("seq_len",)),),
        sources={"train.yaml": SourceFile("train.yaml", "bf16: true\nfp16: true\n")},
    )
    return json.loads(check_report(report, "json"))  # type: ignore[no-any-return]


def test_check_has_every_field_of_version_1() -> None:
    got = rendered()
    assert {"version", "findings", "runs", "summary"} <= got.keys()
    assert got["version"] == 1
    (finding,) = got["findings"]
    fields = "code name severity confidence message help file line column end_line end_column key related fixes numbers url"
    assert set(fields.split()) <= finding.keys()
    assert finding["related"] == [{"file": "ds.json", "line": 1, "column": 2, "message": "here"}]
    assert finding["numbers"] == {"need_bytes": 2**60}
    (fix,) = finding["fixes"]
    assert (fix["title"], fix["safe"]) == ("delete fp16", True)
    assert fix["edits"] == [
        {"file": "train.yaml", "start": 11, "end": 22, "text": "", "line": 2, "column": 1, "end_line": 3, "end_column": 1}
    ]


def test_runs_and_summary() -> None:
    got = rendered()
    (run,) = got["runs"]
    assert {"name": "sft", "verdict": "tight", "need": 9, "limit": 10, "missing": ["seq_len"]}.items() <= run.items()
    assert got["summary"]["verdicts"] == {"fits": 0, "tight": 1, "does-not-fit": 0, "unknown": 0}


def test_information_is_always_in_it() -> None:
    assert [finding["severity"] for finding in rendered()["findings"]] == ["info"]
