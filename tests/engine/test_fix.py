"""Fixes are applied in rounds, and one that does not help is taken back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

from budgetlint.documents.write import write_text
from budgetlint.engine.fix import Fixed, diff, fix_all, write
from budgetlint.rule import Confidence, Rule, Safety, Severity

W = SimpleNamespace


def fixing(name: str, code: str, key: str, cure: str, safety: Safety = Safety.SAFE) -> Rule:
    def rule_check(context):
        found = context.setting(key)
        if found is not None:
            fixes = {
                "delete": context.delete,
                "good": lambda at, **k: context.rename(at, "good", **k),
                "same": lambda at, **k: context.set(at, 9, **k),
            }
            yield context.finding(found, f"{key} is bad", fixes=fixes[cure](found, safety=safety))

    return Rule(code, name, Severity.ERROR, Confidence.HIGH, "document", rule_check, "Fixing.", "0.1", safety.value)


def fixed(world: W, texts: Mapping[str, str], *rules: Rule, unsafe: bool = False) -> Fixed:
    def recheck(changed: Mapping[str, str]):
        return world.report(world.judged(*(world.reading(path, text) for path, text in (dict(texts) | dict(changed)).items())), *rules)

    return fix_all(recheck({}), recheck, unsafe=unsafe)


def test_fixes_of_several_files_and_rules_are_applied_and_the_rest_kept(world: W) -> None:
    texts = {"a.yaml": "# keep\nbad: 1  # why\nworse: 2\n", "b.yaml": "x: 1\nbad: 3\n"}
    got = fixed(world, texts, fixing("one", "BL201", "bad", "good"), fixing("two", "BL202", "worse", "delete"))
    assert got.texts == {"a.yaml": "# keep\ngood: 1  # why\n", "b.yaml": "x: 1\ngood: 3\n"}
    assert got.report.findings == ()
    assert len(got.applied) == 3


def test_of_two_overlapping_fixes_one_waits_and_may_become_needless(world: W) -> None:
    got = fixed(world, {"a.yaml": "x: 1\nbad: 1\n"}, fixing("one", "BL201", "bad", "good"), fixing("two", "BL202", "bad", "delete"))
    assert got.texts == {"a.yaml": "x: 1\ngood: 1\n"}
    assert [finding.name for finding, _ in got.applied] == ["one"]


def test_a_fix_that_makes_another_error_is_taken_back(world: W) -> None:
    got = fixed(world, {"a.yaml": "x: 1\nbad: 1\n"}, fixing("one", "BL201", "bad", "good"), fixing("two", "BL202", "good", "advice"))
    assert got.texts == {}
    assert [finding.name for finding, _ in got.refused] == ["one"]


def test_unsafe_fixes_wait_to_be_asked_for(world: W) -> None:
    rule = fixing("one", "BL201", "bad", "good", Safety.UNSAFE)
    assert fixed(world, {"a.yaml": "bad: 1\n"}, rule).texts == {}
    assert fixed(world, {"a.yaml": "bad: 1\n"}, rule, unsafe=True).texts == {"a.yaml": "good: 1\n"}


def test_advice_is_never_applied(world: W) -> None:
    rule = fixing("one", "BL201", "bad", "good", Safety.ADVICE)
    assert fixed(world, {"a.yaml": "bad: 1\n"}, rule, unsafe=True).texts == {}


def test_a_fix_that_leaves_its_finding_is_taken_back_and_the_others_hold(world: W) -> None:
    got = fixed(world, {"a.yaml": "bad: 1\nworse: 2\n"}, fixing("one", "BL201", "bad", "same"), fixing("two", "BL202", "worse", "delete"))
    assert got.texts == {"a.yaml": "bad: 1\n"}
    assert [finding.name for finding, _ in got.refused] == ["one"]


def test_fixing_twice_is_fixing_once(world: W) -> None:
    rules = (fixing("one", "BL201", "bad", "good"),)
    once = fixed(world, {"a.yaml": "bad: 1\n"}, *rules)
    assert fixed(world, once.texts, *rules).texts == {}


def test_the_diff_and_the_write(world: W, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("x: 1\nbad: 1\n")
    got = fixed(world, {str(path): "x: 1\nbad: 1\n"}, fixing("one", "BL201", "bad", "good"))
    assert diff(got).splitlines()[2:] == ["@@ -1,2 +1,2 @@", " x: 1", "-bad: 1", "+good: 1"]
    assert write(got, write_text) == ()
    assert path.read_text() == "x: 1\ngood: 1\n"


def test_nothing_to_fix_changes_nothing(world: W) -> None:
    assert fixed(world, {"a.yaml": "x: 1\n"}).texts == {}
