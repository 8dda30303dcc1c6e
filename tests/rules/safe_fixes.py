"""What a safe fix does to the runs of a case, beside what the row of its rule (`safe_fixes.yaml`) says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from budgetlint.base.finding import Finding
from budgetlint.base.record import replace
from budgetlint.engine.check import check
from budgetlint.engine.fix import Fixed, fix_all
from budgetlint.engine.other_readers import heard
from budgetlint.registry import Registry, installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.results.report import Report
from budgetlint.settings.run import Run
from budgetlint.testing import TODAY, Case, load_cases
from tests.rules.beside import offers_safe

FOLDER = Path(__file__).parent
REGISTRY = installed()
ROWS: dict[str, dict[str, Any]] = {
    row["rule"]: row for row in YAML(typ="safe").load((FOLDER / "safe_fixes.yaml").read_text(encoding="utf-8"))
}
KINDS = {"same": False, "spelling": False, "unread": True, "stopped": True}
"""Kind to whether settings may differ."""


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
def fixable(rule: str) -> tuple[Case, ...]:
    """The cases of a rule in which it offers a safe fix: what those of the others do to it, `tests/test_rules.py` asks of each."""
    return tuple(case for case in load_cases(FOLDER / f"{rule}.yaml") if any(map(offers_safe, of_rule(case, rule))))


def of_rule(case: Case, rule: str) -> list[Finding]:
    return [finding for finding in report_on(case, {}, REGISTRY).findings if finding.name == rule]


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
