"""Suppressions in comments, and what is said about those that do not work."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from budgetlint.config.config import Config

W = SimpleNamespace


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bad: 2  # budgetlint: allow bad-key we know\n", []),
        ("bad: 2  # budgetlint: allow BL203 we know\n", []),
        ("bad: 2  # budgetlint: allow BL2 we know\n", []),
        ("bad: 2  #budgetlint:allow other, bad-key we know\n", []),
        ("# budgetlint: allow-next bad-key we know\nbad: 2\n", []),
        ("# budgetlint: allow-next bad-key we know\n\n# a comment\nbad: 2\n", []),
        ("x: 1\nbad: 2\n# budgetlint: allow-file bad-key we know\n", []),
        ("bad: 2  # budgetlint: allow bad-key until=2026-06-01 last day\n", []),
        ("bad: 2  # budgetlint: allow bad-key\n", ["1:9 BL904"]),
        ("bad: 2  # budgetlint: allow bad-key until=2026-05-31 over\n", ["1:6 BL203", "1:9 BL903"]),
        ("bad: 2  # budgetlint: allow bad-key until=soon\n", ["1:6 BL203", "1:9 BL902"]),
        ("bad: 2  # budgetlint: allow bad-kye we know\n", ["1:6 BL203", "1:9 BL902"]),
        ("bad: 2  # budgetlint: alow bad-key we know\n", ["1:6 BL203", "1:9 BL902"]),
        ("bad: 2  # budgetlint: allow\n", ["1:6 BL203", "1:9 BL902"]),
        ("x: 1  # budgetlint: allow bad-key we know\nbad: 2\n", ["1:7 BL901", "2:6 BL203"]),
        ("# budgetlint: allow bad-key we know\nbad: 2\n", ["1:1 BL901", "2:6 BL203"]),
        ('x: "# budgetlint: allow-file bad-key no comment"\nbad: 2\n', ["2:6 BL203"]),
        ("# about budgetlint: it is good\nbad: 2\n", ["2:6 BL203"]),
    ],
)
def test_yaml_comments(world: W, text: str, expected: list[str]) -> None:
    report = world.report(world.judged(world.reading("a.yaml", text)), world.says(), world.says("never", code="BL204", name="other"))
    got = [f"{f.location.line}:{f.location.column} {f.code}" for f in report.findings if f.value != "other"]
    assert got == expected


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("ds.json", '{"bad": 1} // budgetlint: allow bad-key we know\n'),
        ("ds.json", '{"bad": 1 /* budgetlint: allow bad-key we know */}\n'),
        ("a.toml", "bad = 1 # budgetlint: allow bad-key we know\n"),
    ],
)
def test_other_formats_have_comments_too(world: W, path: str, text: str) -> None:
    report = world.report(world.judged(world.reading(path, text)), world.says())
    assert report.findings == ()
    assert len(report.suppressed) == 1


def test_a_budget_comment_suppresses_in_the_budget(world: W) -> None:
    from budgetlint.base.source import Span
    from budgetlint.rule import Confidence, Rule, Severity
    from budgetlint.rules_api.context import BudgetContext

    text = 'reserve 3GB for="# no comment"  # budgetlint: allow units told already\n'
    made, source = world.budget(text)
    rule = Rule(
        "BL110", "units", Severity.INFO, Confidence.HIGH, "budget", lambda context: [context.finding(Span(8, 11), "3GB")], "Units.", "0.1"
    )
    assert world.report(world.judged(budgets=[BudgetContext(made, source)]), rule).findings == ()


def test_a_suppression_of_a_rule_that_did_not_run_is_not_called_unused(world: W) -> None:
    text = "good: 2  # budgetlint: allow bad-key we know\n"
    one = world.reading("a.yaml", text)
    assert world.report(world.judged(one), world.says(), config=Config(select=("BL901",))).findings == ()
    assert world.report(world.judged(one), world.says(needs=("nothing",))).findings == ()


def test_an_unknown_name_is_answered_with_the_near_one(world: W) -> None:
    report = world.report(world.judged(world.reading("a.yaml", "bad: 2  # budgetlint: allow bad-kye we know\n")), world.says())
    assert report.findings[1].help == "did you mean 'bad-key'?"


def test_the_engines_own_findings_are_not_suppressed_by_comments(world: W) -> None:
    text = "good: 2  # budgetlint: allow bad-key, unused-suppression we know\n"
    codes = [finding.code for finding in world.report(world.judged(world.reading("a.yaml", text)), world.says()).findings]
    assert "BL901" in codes


def test_an_unused_allow_of_a_budget_is_told_once(world: W) -> None:
    from budgetlint.rules_api.context import BudgetContext

    text = "allow bad-key\n"
    made, source = world.budget(text, world.level(text, "off", "bad-key", reason="known"))
    one = world.reading("a.yaml", "good: 1\n")
    runs = [world.run_context(one, name=name, budget=made) for name in "ab"]
    report = world.report(world.judged(one, runs=runs, budgets=[BudgetContext(made, source)]), world.says())
    assert world.lines(report) == ["gpu.budget:1:7 BL901 warning"]
