"""The rules of a SARIF log: a descriptor for each rule that its results name, with the manual page as help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from budgetlint.base.finding import Finding, Severity
from budgetlint.report.manual import render as page
from budgetlint.report.rule_docs import FAMILIES
from budgetlint.rules_api.rule import Rule

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def descriptors(findings: Iterable[Finding], rules: Iterable[Rule], urls: Mapping[str, str]) -> list[dict[str, Any]]:
    """One for each code, in order of code; a rule that is not installed here is described by what its finding says."""
    found = {finding.code: finding for finding in findings}
    known = {rule.code: rule for rule in rules}
    return [_descriptor(known[code], urls) if code in known else _unknown(found[code]) for code in sorted(found)]


def _descriptor(rule: Rule, urls: Mapping[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": _full(rule)},
        "help": {"text": page(rule, "text"), "markdown": page(rule, "markdown")},
        "defaultConfiguration": {"level": LEVELS[rule.default_severity]},
        "properties": {
            "tags": [FAMILIES.get(rule.family, rule.family).lower(), *rule.formats, *(() if rule.status == "stable" else (rule.status,))],
            "family": rule.family,
            "precision": rule.confidence.value,
        },
    }
    if rule.aliases:
        made["deprecatedNames"] = list(rule.aliases)
    if url := urls.get(rule.code) or rule.url:
        made["helpUri"] = url
    return made


def _full(rule: Rule) -> str:
    """The summary, and what the mistake costs: the first paragraphs of the page."""
    from budgetlint.rules_api.manual import read_manual

    costs = read_manual(rule.manual).sections.get("What it costs", "").strip().split("\n\n")[0]
    return " ".join(f"{rule.summary} {costs}".split())


def _unknown(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.code,
        "name": finding.name,
        "shortDescription": {"text": finding.name.replace("-", " ")},
        "fullDescription": {"text": finding.name.replace("-", " ")},
        "defaultConfiguration": {"level": LEVELS[finding.severity]},
        "properties": {"tags": [finding.code[:-2]], "family": finding.code[:-2], "precision": finding.confidence.value},
    }
