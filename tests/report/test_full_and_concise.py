"""What people see: the page of a finding, one line of it, and the last lines of a check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from budgetlint.base.finding import Confidence, Edit, Finding, Fix, Related, Safety, Severity
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.memory.estimate import Verdict
from budgetlint.report import CHECK_FORMATS, check_report
from budgetlint.report.style import TerminalStyle, cells, style_for
from budgetlint.report.summary import summary_lines
from budgetlint.results.report import Report
from budgetlint.results.verdict import RunVerdict

TRAIN = SourceFile("configs/train.yaml", "model: x\n" * 9 + "fp16: true\n")
DS = SourceFile("ds.json", '{"bf16": {"enabled": true}}\n')

FINDING = Finding(
    "BL203",
    "fp16-bf16-both",
    Severity.ERROR,
    Confidence.HIGH,
    "fp16 is true beside bf16: true: the trainer stops before the first step",
    Location("configs/train.yaml", 10, 7, 10, 11),
    help="keep bf16: true and delete fp16",
    key="fp16",
    value="true",
    related=(Related(Location("ds.json", 1, 22, 1, 26), "bf16 is on here"),),
    fixes=(
        Fix("delete fp16", Safety.SAFE, (Edit("configs/train.yaml", Span(81, 92), ""),)),
        Fix("train in fp32 for a day and compare", Safety.ADVICE),
    ),
    numbers={"need_bytes": 31 * 2**30, "limit_bytes": 27 * 2**30, "seq_tokens": 4096},
    runs=("sft", "dpo"),
)
INFO = replace(FINDING, severity=Severity.INFO, code="BL110", name="unit-mixup", related=(), fixes=(), numbers={}, help="", runs=())


def report(*findings: Finding, **more: object) -> Report:
    fields: dict[str, object] = {"sources": {TRAIN.path: TRAIN, DS.path: DS}, "files": 2, "budgets": 1}
    return Report(findings, **(fields | more))  # type: ignore[arg-type]


def verdict(kind: Verdict, *missing: str, limit: int | None = 10) -> RunVerdict:
    return RunVerdict("sft", None, "", kind, 9, limit, missing)


FULL = """\
error[BL203]: fp16 is true beside bf16: true: the trainer stops before the first step
  --> configs/train.yaml:10:7
   |
10 | fp16: true
   |       ^^^^
   |
  ::: ds.json:1:22
   |
 1 | {"bf16": {"enabled": true}}
   |                      ---- bf16 is on here
   = cost: need 31.00 GiB, limit 27.00 GiB, seq 4,096 tokens
   = help: keep bf16: true and delete fp16
   = fix: delete fp16 (--fix)
   = fix: train in fp32 for a day and compare
   = runs: sft, dpo
   = rule: fp16-bf16-both (budgetlint rule BL203)

1 error in 2 config files and 1 budget.
1 run judged: 1 fits.
"""


def test_full_shows_the_line_the_cost_the_other_place_and_the_cure() -> None:
    assert check_report(report(FINDING, verdicts=(verdict(Verdict.FITS),)), "full") == FULL


def test_concise_is_one_line_for_each_finding() -> None:
    text = check_report(report(FINDING), "concise")
    assert text.splitlines()[0] == (
        "configs/train.yaml:10:7: error BL203 fp16-bf16-both: fp16 is true beside bf16: true: the trainer stops before the first step"
    )


@pytest.mark.parametrize("format", ["full", "concise"])
def test_remarks_are_counted_and_shown_when_asked_for(format: str) -> None:
    hidden, shown = (check_report(report(FINDING, INFO), format, info=info) for info in (False, True))
    assert "unit-mixup" not in hidden
    assert "1 remark not shown (--info)" in hidden
    assert "unit-mixup" in shown
    assert "1 error, 1 remark in" in shown


def test_color_only_when_the_style_has_it_and_it_changes_no_character() -> None:
    import re

    colored = check_report(report(FINDING), "full", TerminalStyle(color=True))
    assert "\x1b[1;31merror[BL203]" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == check_report(report(FINDING), "full")


LONG = "key: " + "x" * 300 + " # end"


@pytest.mark.parametrize(
    ("text", "start", "end", "under"),
    [
        ("key: value # " + "y" * 300, 6, 11, "value"),
        ("z" * 200 + "value" + "y" * 300, 201, 206, "value"),
        (LONG, 6, 306, None),
        ("k\tx: value", 6, 11, "value"),
        ("日本語: value", 6, 11, "value"),
    ],
)
def test_the_marks_stand_under_the_span_within_the_page(text: str, start: int, end: int, under: str | None) -> None:
    source = SourceFile("a.yaml", text)
    finding = replace(FINDING, location=Location("a.yaml", 1, start, 1, end), related=())
    lines = check_report(report(finding, sources={"a.yaml": source}), "full").splitlines()
    assert all(cells(line) <= 100 for line in lines)
    shown, marks = lines[3], lines[4]
    at = marks.index("^")
    if under:
        left = next(count for count in range(len(shown) + 1) if cells(shown[:count]) == at)
        assert shown[left:].startswith(under)
        assert marks.count("^") == len(under)


def test_long_texts_are_wrapped_to_the_page() -> None:
    long = "word " * 60
    finding = replace(FINDING, message=long, help=long, related=(Related(Location("ds.json", 1, 22, 1, 26), long),))
    assert all(len(line) <= 100 for line in check_report(report(finding), "full").splitlines())


def test_control_characters_of_a_file_never_reach_the_terminal() -> None:
    source = SourceFile("a.yaml", "key: \x1b[31mred\u202e\n")
    finding = replace(FINDING, message="value '\x1b[31m'", location=Location("a.yaml", 1, 6, 1, 9), related=())
    for format in ("full", "concise"):
        text = check_report(report(finding, sources={"a.yaml": source}), format)
        assert "\x1b" not in text
        assert "\u202e" not in text


@pytest.mark.parametrize(
    "at", [Location("gone.yaml", 3, 1, 3, 2), Location("configs/train.yaml", 99, 1, 99, 1), Location("configs/train.yaml")]
)
def test_a_place_without_text_is_still_named(at: Location) -> None:
    assert f"--> {at}" in check_report(report(replace(FINDING, location=at)), "full")


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        ((), "No run was judged: no training config and no budget with a model was found."),
        (
            (verdict(Verdict.UNKNOWN, limit=None),),
            "No run was judged: no budget names a device (budgetlint init, or --budget 'device 24GiB').",
        ),
        ((verdict(Verdict.UNKNOWN, "model", "seq_len"),), "No run was judged: not known: model, seq_len."),
        ((verdict(Verdict.FITS),), "1 run judged: 1 fits."),
        ((verdict(Verdict.FITS), verdict(Verdict.FITS), verdict(Verdict.DOES_NOT_FIT)), "3 runs judged: 2 fit, 1 does not fit."),
        ((verdict(Verdict.TIGHT), verdict(Verdict.UNKNOWN, "devices")), "1 run judged of 2: 1 too close, 1 unknown (not known: devices)."),
    ],
)
def test_the_last_line_says_what_was_judged(verdicts: tuple[RunVerdict, ...], line: str) -> None:
    assert list(summary_lines(report(verdicts=verdicts)))[-1] == line


@pytest.mark.parametrize(
    ("findings", "require", "code"),
    [((), False, 0), ((INFO,), False, 0), ((FINDING,), False, 1), ((), True, 1)],
)
def test_exit_codes(findings: tuple[Finding, ...], require: bool, code: int) -> None:
    assert report(*findings).exit_code(require_verdict=require) == code


@pytest.mark.parametrize(
    ("choice", "terminal", "environ", "color"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_color_only_on_a_terminal(choice: str, terminal: bool, environ: dict[str, str], color: bool) -> None:
    assert style_for(choice, terminal=terminal, environ=environ).color is color


def test_every_format_has_its_module() -> None:
    assert all(check_report(report(FINDING), name).endswith("\n") for name in CHECK_FORMATS)


# -- the same of many files ------------------------------------------------------------------------------------------------


def _of_files(count: int) -> Report:
    found = (replace(INFO, severity=Severity.WARNING, location=Location(f"runs/{number:02}.yaml", 3, 1, 3, 5)) for number in range(count))
    return report(*found)


@pytest.mark.parametrize("format", ["full", "markdown"])
def test_what_is_said_of_many_files_is_told_once_with_the_others(format: str) -> None:
    text = check_report(_of_files(49), format)
    assert text.count(INFO.message) == 1
    assert (
        "the same in 48 more places: runs/01.yaml:3, runs/02.yaml:3, runs/03.yaml:3, runs/04.yaml:3, runs/05.yaml:3, and 43 more"
        in " ".join(text.replace("\\", "").split())
    )
    assert "49 warnings" in text


@pytest.mark.parametrize("format", ["concise", "json", "sarif"])
def test_formats_for_machines_keep_every_finding(format: str) -> None:
    text = check_report(_of_files(49), format)
    assert all(f"runs/{number:02}.yaml" in text for number in range(49))
    assert text.count(INFO.message) == 49


def test_three_are_told_each() -> None:
    assert check_report(_of_files(3), "full").count(INFO.message) == 3
