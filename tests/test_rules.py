"""Every rule against its cases (``tests/rules/NAME.yaml``), its manual's own examples, and the form that all rules share."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from budgetlint.registry import installed
from budgetlint.rule import Rule
from budgetlint.testing import Case, case_files, flaws, load_cases, run_example, shown
from tests.rules.beside import judged_and_report, offers_safe, strange, told_unasked
from tests.rules.safe_fixes import ROWS, wrongs

FOLDER = Path(__file__).parent / "rules"
REGISTRY = installed()
CASES = {path.stem: load_cases(path) for path in case_files(FOLDER)}
OWN = tuple(rule for rule in REGISTRY.all if rule.code.startswith("BL"))

UNSTAGED = {
    "crashed-rule": "tests/engine/test_engine.py",
    "internal-error": "tests/security/test_green.py",
    "broken-plugin": "tests/engine/test_registry.py",
    "bad-setting": "tests/engine/test_config.py",
    "unreadable-file": "tests/engine/test_file_findings.py",
    "ambiguous-format": "tests/engine/test_file_findings.py",
    "too-large": "tests/limits/test_bounds.py",
    "gate-loosened": "tests/cli/test_gate.py",
    "waiver-refused": "tests/cli/test_policy.py",
}
"""What no text of a config can show, and where it is tested instead."""


def _rule(name: str) -> Rule:
    rule = REGISTRY.get(name)
    assert rule is not None, f"tests/rules/{name}.yaml: no rule is called '{name}'"
    return rule


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.rule}: {case.name}") for cases in CASES.values() for case in cases])
def test_case(case: Case) -> None:
    """What its rule says of it; and beside that no text holds what Python prints of its own objects, safe fixes change what
    their rows say, and a rule that names its words is silent where none of them is."""
    rule = _rule(case.rule)
    judged, report = judged_and_report(case, REGISTRY, preview=rule.status == "preview")
    assert [shown(finding) for finding in report.findings if finding.code == rule.code] == list(case.expect), case.why
    assert strange(case, report) == []
    offered = {finding.name for finding in report.findings if offers_safe(finding)}
    assert {name: wrongs(case, name, ROWS[name]) for name in offered & set(ROWS)} == {name: [] for name in offered}
    assert told_unasked(judged) == []


@pytest.mark.parametrize("rule", [rule for rule in OWN if rule.name not in UNSTAGED], ids=lambda rule: rule.name)
def test_every_rule_has_its_manual_and_cases_on_both_sides(rule: Rule) -> None:
    cases = CASES.get(rule.name, ())
    assert cases, f"tests/rules/{rule.name}.yaml is missing"
    if rule.scope == "language":
        assert any(case.fires for case in cases)
    else:
        assert flaws(rule, cases) == []


@pytest.mark.parametrize("rule", [rule for rule in OWN if rule.name not in UNSTAGED], ids=lambda rule: rule.name)
def test_the_examples_of_the_manual_are_true(rule: Rule) -> None:
    failing, passing = (run_example(rule, section, REGISTRY) for section in ("Failing", "Passing"))
    assert failing, "the failing example does not fail"
    assert passing == [], "the passing example does not pass"


def test_a_built_in_rule_lives_in_the_module_of_its_name() -> None:
    modules = {rule.name: inspect.getmodule(rule.check) for rule in REGISTRY.rules}
    ends = {name: module.__name__.rpartition(".")[2] if module else None for name, module in modules.items()}
    assert [name for name, end in ends.items() if end != name.replace("-", "_")] == []


def test_codes_and_names_are_unique_and_in_order() -> None:
    import budgetlint_rules

    words = [word for rule in REGISTRY.all for word in (rule.code, rule.name)]
    assert sorted(words) == sorted(set(words))
    codes = [rule.code for rule in budgetlint_rules.RULES]
    assert codes == sorted(codes)
    families = [family for family, names in budgetlint_rules.FAMILIES.items() for _ in names.split()]
    assert [code[:3] for code in codes] == families
    assert REGISTRY.problems == ()


def test_what_has_no_case_file_is_tested_where_it_says() -> None:
    root = Path(__file__).parent.parent
    codes = {rule.name: rule.code for rule in REGISTRY.all}
    assert [name for name, path in UNSTAGED.items() if codes[name] not in (root / path).read_text(encoding="utf-8")] == []


def test_what_a_rule_supersedes_exists() -> None:
    assert [(rule.name, name) for rule in REGISTRY.all for name in rule.supersedes if REGISTRY.get(name) is None] == []


def test_a_rule_module_that_is_not_listed_is_found() -> None:
    import budgetlint_rules

    folder = Path(inspect.getfile(budgetlint_rules)).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    listed = {rule.name.replace("-", "_") for rule in budgetlint_rules.RULES}
    assert {name for name in modules if not name.startswith("_")} == listed


def test_every_case_file_is_of_a_rule() -> None:
    assert [name for name in CASES if REGISTRY.get(name) is None] == []
