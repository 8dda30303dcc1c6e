"""Testing a rule: on a snippet (`run_rule`), or from a file of cases (`load_cases`, `run_case`). Testing a reader: what it makes of files
(`settings_of`).

A case file is YAML, one file per rule, named like the rule (``tests/rules/fp16-bf16-both.yaml``)::

    - name: both on
      files:
        train.yaml: |
          fp16: true
          bf16: true
      budget: device 24GiB
      expect: ["train.yaml:1:7 BL203"]
      why: transformers stops with "At most one of fp16 and bf16 can be True"
    - name: bf16 alone
      files: {train.yaml: "bf16: true"}
      expect: []

``budget`` may be left out. ``expect`` lists everything that the rule says, in file order: path, line, column, code. A budget's
own findings stand in ``test.budget``.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from budgetlint.base.finding import Finding
from budgetlint.base.record import open_record
from budgetlint.config.config import Config
from budgetlint.engine.check import check
from budgetlint.engine.registry import Registry, build
from budgetlint.results.report import Report
from budgetlint.rules_api.manual import Example, read_manual
from budgetlint.rules_api.rule import Rule


def run_rule(rule: Rule, files: Mapping[str, str], budget: str = "", stack: str | None = None) -> list[str]:
    """What one rule says about these files, as ``path:line:col CODE``. ``stack`` is ``transformers@5.24 torch@2.13``.

    No other rule runs, so nothing supersedes it. A rule that crashes raises the crash.
    """
    return [shown(finding) for finding in find(rule, files, budget, stack)]


def find(rule: Rule, files: Mapping[str, str], budget: str = "", stack: str | None = None) -> list[Finding]:
    """The findings of one rule themselves, to look at messages, numbers and fixes."""
    report = report_on(files, budget, stack, build([("test", rule)]))
    return [finding for finding in report.findings if finding.code == rule.code]


def report_on(files: Mapping[str, str], budget: str, stack: str | None, registry: Registry, *, preview: bool = False) -> Report:
    """Check these texts with a registry, its preview rules too if asked. Raises when a rule crashes."""
    from budgetlint.resolve.runs import judge_texts

    text = f"{budget}\nstack {stack}" if stack else budget
    report = check(judge_texts(files, budget=text or None), registry, Config(preview=preview), today=TODAY)
    if report.crashes:
        raise AssertionError("\n".join(crash.traceback for crash in report.crashes))
    return report


def settings_of(files: Mapping[str, str], budget: str = "") -> list[dict[str, Any]]:
    """What the runs of these files have, each setting that is known by its name: what is written, and what the framework fills in. A
    bug of a reader raises."""
    from budgetlint.resolve.runs import judge_texts

    judged = judge_texts(files, budget=budget or None)
    if judged.crashes:
        raise AssertionError("\n".join(crash.traceback for crash in judged.crashes))
    return [{name: setting.value for name, setting in run.run.settings.items() if setting.known} for run in judged.runs]


TODAY = datetime.date(2026, 1, 1)
"""Checks in tests happen on this day, so that an ``until`` date always means the same."""


def shown(finding: Finding) -> str:
    """``train.yaml:3:5 BL203``."""
    return f"{finding.location} {finding.code}"


# -- case files --------------------------------------------------------------------------------------------------------------


@open_record
class Case:
    """One case of a rule. ``where`` names its file, for messages."""

    rule: str
    name: str
    files: Mapping[str, str]
    budget: str
    expect: tuple[str, ...]
    stack: str | None = None
    why: str = ""
    where: str = ""

    @property
    def fires(self) -> bool:
        return bool(self.expect)


_FIELDS = {"name", "files", "budget", "expect", "stack", "why"}


def load_cases(path: Path) -> tuple[Case, ...]:
    """The cases of one file. Raises ValueError, naming file and case, for what is no case."""
    from ruamel.yaml import YAML

    rows = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"{path.name}: a case file is a list of cases")
    return tuple(_case(path, number, row) for number, row in enumerate(rows, start=1))


def _case(path: Path, number: int, row: Any) -> Case:
    where = f"{path.name}, case {number}"
    if not isinstance(row, dict) or not {"name", "expect"} <= row.keys():
        raise ValueError(f"{where}: a case has at least a name and an expect")
    unknown = sorted(row.keys() - _FIELDS)
    if unknown:
        raise ValueError(f"{where}: unknown {', '.join(unknown)}; known: {', '.join(sorted(_FIELDS))}")
    return Case(
        path.stem,
        str(row["name"]),
        {str(name): str(text) for name, text in (row.get("files") or {}).items()},
        str(row.get("budget") or ""),
        tuple(str(item) for item in row["expect"] or ()),
        row.get("stack"),
        str(row.get("why") or ""),
        where,
    )


def case_files(folder: Path) -> tuple[Path, ...]:
    """The files named like rules: a name with ``_`` is none of a rule."""
    return tuple(path for path in sorted(folder.glob("*.yaml")) if "_" not in path.stem)


def run_case(case: Case, rule: Rule, registry: Registry) -> list[str]:
    """What the rule says about a case while every other rule of the registry runs too."""
    report = report_on(case.files, case.budget, case.stack, registry, preview=rule.status == "preview")
    return [shown(finding) for finding in report.findings if finding.code == rule.code]


def run_example(rule: Rule, section: str, registry: Registry) -> list[str] | None:
    """What the rule says about the example of its manual's ``Failing`` or ``Passing``; None when there is none to run."""
    example: Example | None = read_manual(rule.manual).example(section)
    if example is None:
        return None
    return run_case(Case(rule.name, section, example.files, example.budget or "", ()), rule, registry)


def flaws(rule: Rule, cases: Sequence[Case]) -> list[str]:
    """What a rule still lacks: a manual section, a firing case, a silent case."""
    missing = [f"the manual has no '{section}'" for section in read_manual(rule.manual).missing()]
    if not any(case.fires for case in cases):
        missing.append("no case fires")
    if all(case.fires for case in cases):
        missing.append("no case is silent")
    return [*rule.problems(), *missing]
