"""A safe fix changes nothing that trains: each rule with one says why (`safe_fixes.yaml`), and what reaches every run of every case is
compared before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from budgetlint.base.finding import Finding, Safety
from budgetlint.base.record import replace
from budgetlint.registry import Registry
from budgetlint.rule import Confidence, Rule, RunContext, Severity
from budgetlint.testing import Case
from tests.rules.safe_fixes import KINDS, REGISTRY, ROWS, fixable, fixed, undeclared, wrongs


def test_every_safe_rule_says_why_and_no_other() -> None:
    assert {rule.name for rule in REGISTRY.all if rule.fix == "safe"} == set(ROWS)


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_a_row_is_whole(row: Mapping[str, Any]) -> None:
    changing = KINDS[row["kind"]]
    assert set(row) == {"rule", "kind", "why", "source"} | ({"changes"} if changing else set())
    assert row["why"] and any(char.isdigit() for char in row["source"])


@pytest.mark.parametrize("name", ROWS)
def test_a_safe_fix_changes_no_setting_that_its_row_does_not_name(name: str) -> None:
    cases = fixable(name)
    assert any(fixed(case, name)[1].applied for case in cases), "no case shows the fix"
    assert {case.where: wrong for case in cases if (wrong := wrongs(case, name, ROWS[name]))} == {}


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.get("changes")])
def test_nothing_is_allowed_that_no_case_shows(name: str) -> None:
    row = {"kind": "same"}
    pairs = [fixed(case, name) for case in fixable(name)]
    shown = [
        wrong for before, done in pairs for label, run in before.runs.items() for wrong in undeclared(row, run, done.report.runs[label])
    ]
    assert {wrong.partition(":")[0] for wrong in shown} == set(ROWS[name]["changes"])


@pytest.mark.parametrize("name", ROWS)
def test_a_safe_fix_is_shown_on_a_run(name: str) -> None:
    applied = [fixed(case, name) for case in fixable(name)]
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
