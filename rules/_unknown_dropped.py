"""How a key of older releases is told, in a run that uses a newer one."""

from __future__ import annotations

from collections.abc import Container

from budgetlint.rule import Confidence, DocumentContext, Entry, Finding, Safety, Severity

from ._unknown_renames import OTHER_VALUES, RENAMED


def dropped_key(
    document: DocumentContext,
    entry: Entry,
    package: str,
    since: str,
    prefix: str = "",
    there: Container[str] = (),
    severity: Severity | None = None,
    confidence: Confidence | None = None,
) -> Finding:
    """``prefix`` is the path of the key's section with its dot; ``there`` holds the names beside the key, which no fix may double."""
    path = prefix + entry.key.text
    now = RENAMED.get(document.format, {}).get(path, "")
    beside = now.removeprefix(prefix)
    fits = beside and "." not in beside and beside not in there and path not in OTHER_VALUES
    return document.finding(
        entry.key,
        f"unknown key {entry.key.text}: {package} {since} dropped it",
        help=f"write {now}{', which takes other values' if path in OTHER_VALUES else ''}" if now else "",
        fixes=document.rename(entry, beside, safety=Safety.UNSAFE) if fits else (),
        severity=severity,
        confidence=confidence,
        key=entry.key.text,
    )
