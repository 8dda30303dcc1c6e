"""How an unknown key is told."""

from __future__ import annotations

from budgetlint.rule import Confidence, DocumentContext, Entry, Finding, Safety, Severity


def misspelt_key(
    document: DocumentContext,
    entry: Entry,
    meant: str,
    cost: str,
    severity: Severity | None = None,
    confidence: Confidence | None = None,
) -> Finding:
    return document.finding(
        entry.key,
        f"unknown key {entry.key.text}: {cost}",
        help=f"did you mean '{meant}'?",
        fixes=document.rename(entry, meant, safety=Safety.UNSAFE),
        severity=severity,
        confidence=confidence,
        key=entry.key.text,
    )


def misplaced_key(document: DocumentContext, entry: Entry, message: str, help: str, severity: Severity = Severity.WARNING) -> Finding:
    """A key that stands in the wrong file or section, or that nobody knows at all."""
    return document.finding(entry.key, message, help=help, severity=severity, key=entry.key.text)
