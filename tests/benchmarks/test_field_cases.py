"""Public bug reports: nine of ten expected rules fire on a config rebuilt from the facts, and nothing false beside them."""

from __future__ import annotations

from pathlib import Path

import field_cases
import pytest
from field_cases import Expected, Report, Run, main, reports, score
from field_page import write_page

from budgetlint.base.finding import Finding


@pytest.fixture(scope="module")
def found() -> list[Report]:
    return reports()


def test_nine_of_ten_expected_rules_fire(found: list[Report]) -> None:
    silent = [(report.id, one.mistake) for report in found for one in report.expected if not one.fires and not one.withdrawn]
    assert score(found).share >= 0.9, silent


def test_nothing_false_stands_beside_them(found: list[Report]) -> None:
    beside = [(report.id, one.name, one.message) for report in found for run in report.runs for one in run.beside]
    assert beside == []


def test_verdicts_agree_with_what_happened(found: list[Report]) -> None:
    wrong = [(report.id, run.verdict) for report in found for run in report.runs if not run.right]
    # each says why in its note
    assert wrong == [("lf-3500-chatglm", "fits"), ("lf-10175-dpo", "fits"), ("msw-6966", "unknown")]


def test_every_report_is_rebuilt_and_every_expectation_names_a_rule(found: list[Report]) -> None:
    assert len({report.id for report in found}) == len(found) == 34
    assert all(report.url.startswith("https://") and report.runs and report.expected for report in found)
    assert score(found).expected == 57


def test_few_expectations_are_withdrawn_and_each_says_why(found: list[Report]) -> None:
    withdrawn = [one for report in found for one in report.expected if one.withdrawn]
    assert len(withdrawn) <= 6
    assert all(len(one.withdrawn) > 20 and not one.fires for one in withdrawn)


def test_a_silent_rule_costs_its_share() -> None:
    said, silent = Expected("a", "a", ""), Expected("b", "", "")
    assert score([Report("x", "", (said,) * 8 + (silent,), ())]).passed is False
    assert score([Report("x", "", (said,) * 9 + (silent,), ())]).passed is True
    assert score([Report("x", "", (said, Expected("c", "", "why not")), ())]).share == 1.0


def test_one_false_finding_fails(found: list[Report]) -> None:
    finding: Finding = next(one for report in found for run in report.runs for one in run.findings)
    clean = Run("", "fits", True, True, None, None, (finding,), (), "")
    false = Run("", "fits", True, True, None, None, (finding,), (finding,), "")
    assert [score([Report("x", "", (), (run,))]).passed for run in (clean, false)] == [True, False]


def test_the_exit_code_follows_the_score(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "fire (9" in capsys.readouterr().out
    silent = [Report("x", "", (Expected("b", "", ""),), ())]
    monkeypatch.setattr(field_cases, "reports", lambda only="": silent)
    assert main([]) == 1
    assert "0 of 1 fire (0.0%)" in capsys.readouterr().out


def test_the_page_in_docs_is_what_the_reports_say(found: list[Report], tmp_path: Path) -> None:
    write_page(found, tmp_path / "page.md")
    page = Path(__file__).parents[2] / "docs" / "field-cases.md"
    assert page.read_text(encoding="utf-8") == (tmp_path / "page.md").read_text(encoding="utf-8")
