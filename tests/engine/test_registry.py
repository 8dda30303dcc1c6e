"""Rules come in through entry points; what is broken is a finding, never a traceback."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from budgetlint.isolation.entry_points import EntryPoint
from budgetlint.registry import build, load
from budgetlint.rule import Confidence, Rule, Severity
from budgetlint.rules_api.pattern import matches

W = SimpleNamespace


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("acme_rules")
    monkeypatch.setitem(sys.modules, "acme_rules", module)
    return module


def point(value: str) -> EntryPoint:
    return EntryPoint("acme", value, "")


def test_an_entry_point_is_a_rule_or_an_iterable_of_rules(world: W, plugin: ModuleType) -> None:
    plugin.ONE = world.says(code="ACME001", name="acme-one")
    plugin.MANY = (rule for rule in [world.says(code="ACME002", name="acme-two")])
    found = load([point("acme_rules:ONE"), point("acme_rules:MANY")])
    assert [rule.code for rule in found.rules] == ["ACME001", "ACME002"]
    assert found.problems == ()
    assert found.get("acme-two") is found.rules[1]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("acme_rules:MISSING", "cannot be loaded"),
        ("no_such_module_at_all:RULES", "ModuleNotFoundError"),
        ("acme_rules:NUMBER", "cannot be loaded"),
        ("acme_rules:TEXTS", "is not a Rule"),
        ("acme_rules:BAD", "is not letters and three digits"),
    ],
)
def test_a_broken_plugin_is_a_finding(world: W, plugin: ModuleType, value: str, says: str) -> None:
    plugin.NUMBER, plugin.TEXTS, plugin.BAD = 3, ["text"], [world.says(code="x1")]
    found = load([point(value)])
    assert [problem.code for problem in found.problems] == ["BL906"]
    assert says in found.problems[0].message
    assert "acme" in found.problems[0].message


@pytest.mark.parametrize(
    "second", [{"code": "BL203", "name": "fresh"}, {"code": "BL204", "name": "bad-key"}, {"code": "BL901", "name": "fresh"}]
)
def test_a_taken_code_or_name_is_refused_and_the_first_stays(world: W, second: dict[str, str]) -> None:
    from budgetlint.builtin.rules import BUILTIN_RULES

    found = build([("one", world.says()), ("two", world.says(**second))], BUILTIN_RULES)
    assert [rule.name for rule in found.rules] == ["bad-key"]
    assert "already has it" in found.problems[0].message


def rule(code: str, name: str, *aliases: str) -> Rule:
    return Rule(code, name, Severity.ERROR, Confidence.HIGH, "run", lambda run: (), "One.", "0.1", aliases=aliases)


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("BL203", True),
        ("bl203", True),
        ("fp16-both", True),
        ("old-name", True),
        ("BL2", True),
        ("BL20", True),
        ("BL", True),
        ("BL2*", True),
        ("fp16-*", True),
        ("*-both", True),
        ("all", True),
        ("BL3", False),
        ("BL2034", False),
        ("fp16", False),
        ("b", False),
        ("ACME", False),
    ],
)
def test_patterns(pattern: str, meant: bool) -> None:
    assert matches(pattern, rule("BL203", "fp16-both", "old-name")) is meant


def test_an_old_name_never_hides_a_rule_of_that_name() -> None:
    found = build([("t", rule("BL203", "new", "other")), ("t", rule("BL204", "other"))])
    assert found.get("other") is found.rules[1]


def test_every_listed_rule_is_well_formed_and_unique() -> None:
    found = load()
    assert found.problems == ()
    words = [word for one in found.all for word in (one.code, one.name)]
    assert len(words) == len(set(words))
    assert [message for one in found.all for message in one.problems()] == []
