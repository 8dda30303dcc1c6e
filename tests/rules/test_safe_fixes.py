"""A safe fix changes nothing that trains: each rule with one says why (`safe_fixes.yaml`), and what reaches every run of every case is
compared before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from budgetlint.base.finding import Finding, Safety
from budgetlint.base.record import replace
from budgetlint.engine.check import check
from budgetlint.engine.fix import Fixed, fix_all
from budgetlint.engine.other_readers import heard
from budgetlint.registry import Registry, installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.results.report import Report
from budgetlint.rule import Confidence, Rule, RunContext, Severity
from budgetlint.settings.run import Run
from budgetlint.testing import TODAY, Case, case_files, load_cases

FOLDER = Path(__file__).parent
REGISTRY = installed()
ROWS: dict[str, dict[str, Any]] = {
    row["rule"]: row for row in YAML(typ="safe").load((FOLDER / "safe_fixes.yaml").read_text(encoding="utf-8"))
}
KINDS = {"same": False, "spelling": False, "unread": True, "stopped": True}
"""Kind to whether settings may differ."""


def offers_safe(finding: Finding) -> bool:
    return any(fix.safety is Safety.SAFE and fix.edits for fix in finding.fixes)


def report_on(case: Case, texts: Mapping[str, str], registry: Registry, only: str = "") -> Report:
    """The report on a case with some texts changed; ``only`` this rule offers fixes."""
    budget = f"{case.budget}\nstack {case.stack}" if case.stack else case.budget
    report = check(judge_texts({**case.files, **texts}, budget=budget or None), registry, today=TODAY)
    findings = (one if only in ("", one.name) else replace(one, fixes=()) for one in report.findings)
    return replace(report, findings=tuple(findings))


def fixed(case: Case, rule: str, registry: Registry = REGISTRY) -> tuple[Report, Fixed]:
    before = report_on(case, {}, registry, rule)
    return before, fix_all(before, lambda texts: report_on(case, texts, registry, rule))


@cache
def fixable() -> tuple[tuple[Case, str], ...]:
    """Each case with each rule that offers a safe fix there, whether it is the rule's own case or another's."""
    return tuple(_fixable())


def _fixable() -> Iterator[tuple[Case, str]]:
    for path in case_files(FOLDER):
        for case in load_cases(path):
            found = {finding.name for finding in report_on(case, {}, REGISTRY).findings if offers_safe(finding)}
            yield from ((case, rule) for rule in sorted(found))


def undeclared(row: Mapping[str, Any], before: Run, after: Run) -> list[str]:
    """The settings that differ and may not, or not so."""
    was, now = heard(before), heard(after)
    allowed = row.get("changes", {}) if KINDS[row["kind"]] else {}
    differing = [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
    return [f"{name}: {was.get(name)} -> {now.get(name)}" for name in differing if not _is_so(allowed.get(name), name, before, after)]


def _is_so(how: str | None, name: str, before: Run, after: Run) -> bool:
    now = after.settings.get(name)
    if how == "gone":
        was = before.settings.get(name)
        return was is not None and not was.is_default and (now is None or now.is_default)
    return how == "any" or (how is not None and now is not None and now.value == how)


def wrongs(case: Case, rule: str, row: Mapping[str, Any], registry: Registry = REGISTRY) -> list[str]:
    """What the safe fixes of a rule do to the runs of a case that its row does not say."""
    before, done = fixed(case, rule, registry)
    after = done.report
    lost = [label for label in before.runs if label not in after.runs]
    differing = [wrong for label in before.runs if label in after.runs for wrong in undeclared(row, before.runs[label], after.runs[label])]
    bills = [[(one.label, one.need, one.verdict) for one in report.verdicts] for report in (before, after)]
    other_need = ["the need differs"] if row["kind"] != "stopped" and bills[0] != bills[1] else []
    return [*lost, *differing, *other_need]


def test_every_safe_rule_says_why_and_no_other() -> None:
    assert {rule.name for rule in REGISTRY.all if rule.fix == "safe"} == set(ROWS)


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_a_row_is_whole(row: Mapping[str, Any]) -> None:
    changing = KINDS[row["kind"]]
    assert set(row) == {"rule", "kind", "why", "source"} | ({"changes"} if changing else set())
    assert row["why"] and any(char.isdigit() for char in row["source"])


@pytest.mark.slow
def test_only_rules_that_say_so_offer_safe_fixes() -> None:
    assert {rule for _, rule in fixable()} <= set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_a_safe_fix_changes_no_setting_that_its_row_does_not_name(name: str) -> None:
    cases = [case for case, rule in fixable() if rule == name]
    assert any(fixed(case, name)[1].applied for case in cases), "no case shows the fix"
    assert {case.where: wrong for case in cases if (wrong := wrongs(case, name, ROWS[name]))} == {}


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.get("changes")])
def test_nothing_is_allowed_that_no_case_shows(name: str) -> None:
    row = {"kind": "same"}
    pairs = [fixed(case, name) for case, rule in fixable() if rule == name]
    shown = [
        wrong for before, done in pairs for label, run in before.runs.items() for wrong in undeclared(row, run, done.report.runs[label])
    ]
    assert {wrong.partition(":")[0] for wrong in shown} == set(ROWS[name]["changes"])


@pytest.mark.parametrize("name", ROWS)
def test_a_safe_fix_is_shown_on_a_run(name: str) -> None:
    applied = [fixed(case, name) for case, rule in fixable() if rule == name]
    runs = sum(len(before.runs) for before, done in applied if done.applied)
    assert runs, "no run is compared"


# -- the comparison can fail ---------------------------------------------------------------------------------------------------

LIAR = Case(
    "half-the-rate",
    "a safe fix that is none",
    {
        "train.yaml": "per_device_train_batch_size: 4\nlearning_rate: 0.00002\nnum_train_epochs: 1\nsave_strategy: epoch\n"
        "model_name_or_path: Qwen/Qwen2.5-1.5B\nmax_length: 2048\npacking: true\n"
    },
    "device a100-80gb",
    (),
)


def _lying(setting: str, value: Any) -> Registry:
    """The installed rules and one whose fix is called safe, and sets ``setting``."""

    def changes(run: RunContext) -> Iterator[Finding]:
        found = run.setting(setting)
        if found is not None and found.value != value:
            yield run.finding(found, "too much", fixes=run.set(found, value, safety=Safety.SAFE))

    rule = Rule("XY999", "half-the-rate", Severity.ERROR, Confidence.HIGH, "run", changes, "Too much.", "0.1.0", fix="safe")
    return replace(REGISTRY, rules=(*REGISTRY.rules, rule))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("setting", "value"), [("learning_rate", 0.00001), ("micro_batch", 2)])
def test_a_fix_that_changes_what_trains_is_caught(kind: str, setting: str, value: Any) -> None:
    row = {"kind": kind, "changes": {"warmup_steps": "any"}}
    registry = _lying(setting, value)
    assert fixed(LIAR, "half-the-rate", registry)[1].applied
    assert any(setting in wrong for wrong in wrongs(LIAR, "half-the-rate", row, registry))


def test_a_fix_that_changes_the_need_alone_is_caught() -> None:
    row = {"kind": "unread", "changes": {"micro_batch": 2}}
    assert wrongs(LIAR, "half-the-rate", row, _lying("micro_batch", 2)) == ["the need differs"]


def test_a_setting_may_change_only_as_the_row_says() -> None:
    row = {"kind": "stopped", "changes": {"micro_batch": 3}}
    assert any("micro_batch" in wrong for wrong in wrongs(LIAR, "half-the-rate", row, _lying("micro_batch", 2)))
    row = {"kind": "stopped", "changes": {"micro_batch": "gone"}}
    assert any("micro_batch" in wrong for wrong in wrongs(LIAR, "half-the-rate", row, _lying("micro_batch", 2)))
