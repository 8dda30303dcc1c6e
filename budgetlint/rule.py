"""What a rule author imports: `Rule`, `rule` and the context a rule is given.

A rule is a module whose docstring is its manual page. It checks one thing, at one of three scopes:

``run``
    once per run and target: the merged settings, the documents, the plan and the estimate;
``document``
    once per recognised file, for mistakes that are visible without the run;
``budget``
    once per budget file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from budgetlint.finding import Confidence, Finding, Severity

Check = Callable[[Any], Iterable[Finding]]

SCOPES = ("run", "document", "budget")


@dataclass(frozen=True)
class Rule:
    """A registered rule. ``manual`` is the module docstring; ``needs`` are settings without which it is skipped."""

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    scope: str
    check: Check
    manual: str
    since: str
    fix: str = "none"  # safe | unsafe | advice | none
    needs: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    applies: str = "all versions"
    supersedes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    status: str = "stable"
    sources: tuple[str, ...] = field(default=())

    @property
    def summary(self) -> str:
        """The first sentence of the manual."""
        return self.manual.strip().split("\n\n")[0].replace("\n", " ")
