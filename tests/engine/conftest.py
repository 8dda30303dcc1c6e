"""A small world for the engine: documents, a run, budgets and rules made by hand."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from budgetlint.base.source import SourceFile, Span
from budgetlint.builtin.rules import BUILTIN_RULES
from budgetlint.config.config import Config
from budgetlint.documents import load
from budgetlint.engine.check import check
from budgetlint.language.budget import Budget, BudgetRun, RuleLevel, Target
from budgetlint.readers.base import origin_of
from budgetlint.registry import Registry, build
from budgetlint.results.report import Report
from budgetlint.rule import Confidence, Finding, Rule, Severity
from budgetlint.rules_api.context import BudgetContext, DocumentContext, Judged, RunContext
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Run, Setting, Settings

TODAY = datetime.date(2026, 6, 1)


def reading(path: str, text: str, format: str = "hf_training_arguments", role: Role = Role.TRAINER) -> Reading:
    """A reading whose settings are the top-level keys, by their own names, as text; ``auto`` is auto."""
    document = load(SourceFile(path, text))[0]
    settings = []
    for entry in document.mapping.entries if document.mapping else ():
        value = getattr(entry.value, "text", None)
        state = "auto" if value == "auto" else "known"
        settings.append(
            Setting(entry.key.text, value, origin_of(document, entry.key.text, entry.value, entry.key), str(value), state=state)
        )
    return Reading(format, role, document, Settings(settings))


def run_context(*readings: Reading, name: str | None = None, **more: Any) -> RunContext:
    settings = Settings(setting for one in reversed(readings) for setting in one.settings.values())
    return RunContext(Run(name or readings[0].document.path, settings, readings), **more)


def says(
    key: str = "bad",
    *,
    code: str = "BL203",
    name: str = "bad-key",
    severity: Severity = Severity.ERROR,
    confidence: Confidence = Confidence.HIGH,
    scope: str = "document",
    message: str = "bad is bad",
    **more: Any,
) -> Rule:
    """A rule that speaks at ``key`` wherever it stands."""

    def rule_check(context: RunContext | DocumentContext) -> Iterable[Finding]:
        found = context.setting(key)
        if found is not None:
            yield context.finding(found, message, help="write good")

    return Rule(code, name, severity, confidence, scope, rule_check, f"{name} is wrong.\n", "0.1", **more)


def budget(text: str = "device 24GiB\n", *levels: RuleLevel, path: str = "gpu.budget", **more: Any) -> tuple[Budget, SourceFile]:
    fields = {"runs": (), "targets": {}, "default_target": Target(None, None), "problems": (), "binds_configs": False, "names_model": False}
    return Budget(path=path, levels=tuple(levels), **(fields | more)), SourceFile(path, text)


def level(text: str, word: str, pattern: str, path: str = "gpu.budget", **more: Any) -> RuleLevel:
    at = text.index(pattern)
    return RuleLevel(word, pattern, Origin(OriginKind.BUDGET, SourceFile(path, text), Span(at, at + len(pattern))), **more)


def judged(*readings: Reading, runs: Iterable[RunContext] = (), budgets: Iterable[BudgetContext] = (), **more: Any) -> Judged:
    return Judged(tuple(runs), tuple(DocumentContext(one) for one in readings), tuple(budgets), **more)


def registry(*rules: Rule) -> Registry:
    return build([("test", rule) for rule in rules], BUILTIN_RULES)


def report_of(world: Judged, *rules: Rule, config: Config | None = None) -> Report:
    return check(world, registry(*rules), config, today=TODAY)


def lines(report: Report) -> list[str]:
    return [f"{finding.location} {finding.code} {finding.severity.value}" for finding in report.findings]


@pytest.fixture
def world() -> SimpleNamespace:
    """The builders above."""
    parts: dict[str, Callable[..., Any]] = {
        "reading": reading,
        "run_context": run_context,
        "says": says,
        "budget": budget,
        "level": level,
        "judged": judged,
        "registry": registry,
        "report": report_of,
        "lines": lines,
        "budget_run": lambda name="sft", **more: BudgetRun(name, Settings(), Origin(OriginKind.BUDGET), **more),
    }
    return SimpleNamespace(**parts)
