"""The door for rule authors: `Rule`, what a rule is given, and what a finding is made of (`budgetlint.rules_api.rule`)."""

from __future__ import annotations

from budgetlint.rules_api.rule import (
    SCOPES,
    BudgetContext,
    Confidence,
    DocumentContext,
    Edit,
    Finding,
    Fix,
    Related,
    Rule,
    RunContext,
    Safety,
    Severity,
    never,
)

__all__ = [
    "SCOPES",
    "BudgetContext",
    "Confidence",
    "DocumentContext",
    "Edit",
    "Finding",
    "Fix",
    "Related",
    "Rule",
    "RunContext",
    "Safety",
    "Severity",
    "never",
]
