"""What a rule author imports: `Rule`, the contexts a rule is given, and the words a finding is made of.

A rule is a module whose docstring is its manual page (`budgetlint.rules_api.manual` says its sections). It checks one thing, at one
of three scopes, and its ``check`` takes the context of that scope and yields findings:

``run`` (`RunContext`)
    once per run, target and matrix cell: the merged settings, the documents, the plan and the estimate;
``document`` (`DocumentContext`)
    once per recognised document, for mistakes that are visible without the run;
``budget`` (`BudgetContext`)
    once per budget.

Two more scopes are only listed: ``language`` (BL0xx, found by the parser) and ``engine`` (what the engine itself finds).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from budgetlint.base.expression import expression
from budgetlint.base.finding import Confidence, Edit, Finding, Fix, Related, Safety, Severity
from budgetlint.base.record import open_record
from budgetlint.rules_api.context import BudgetContext, DocumentContext, RunContext

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

Check = Callable[[Any], Iterable[Finding]]

SCOPES = ("run", "document", "budget", "language", "engine")
FIXES = ("safe", "unsafe", "advice", "none")
STATUSES = ("preview", "stable", "deprecated")

CODE = expression(r"[A-Z]{2,8}[0-9]{3,4}")
NAME = expression(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def never(_: Any) -> tuple[Finding, ...]:
    """The check of a rule that is only listed."""
    return ()


@open_record
class Rule:
    """A registered rule. ``manual`` is the module docstring.

    ``needs`` are settings (or ``budget``, ``target``, ``device``, ``plan``, ``estimate``, ``measurement``, ``declaration``) without which
    the rule is skipped and the report says so; ``formats`` the document formats it looks at (all when empty); ``supersedes`` the rules
    whose findings on the same line this one explains. ``flags``: a document rule that looks at the flags of launch commands too.
    ``words``: keys that files write, settings, formats, and settings with their values (``task=grpo``), of which there is one or the rule
    has nothing to say: else it is not even loaded.
    ``url`` is the page of a rule that lives elsewhere; ``harm`` how much the mistake hurts, 0 (not judged) to 15. ``stops``: where it is an
    error the framework refuses the run while it reads the arguments, loads the model, or makes the trainer, the optimizer or the schedule.
    ``general``: it says many things in general words, and is silent where another rule tells of the same place. ``once``: what it says
    of several runs in the same words is one finding, with the other places.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    scope: str
    check: Check
    manual: str
    since: str
    fix: str = "none"
    needs: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    applies: str = "all versions"
    supersedes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    status: str = "stable"
    flags: bool = False
    words: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    url: str = ""
    harm: float = 0.0
    stops: bool = False
    general: bool = False
    once: bool = False

    @property
    def summary(self) -> str:
        """The first paragraph of the manual, on one line."""
        return " ".join((self.manual or "").strip().split("\n\n")[0].split())

    @property
    def family(self) -> str:
        """``BL2`` for ``BL203``."""
        return self.code[:-2]

    @property
    def default_severity(self) -> Severity:
        """Only high confidence may be an error without being asked for."""
        if self.severity is Severity.ERROR and self.confidence is not Confidence.HIGH:
            return Severity.WARNING
        return self.severity

    def problems(self) -> tuple[str, ...]:
        """What is wrong with this registration; empty when it can be used."""
        return tuple(message for broken, message in self._checks() if broken)

    def _checks(self) -> Iterable[tuple[bool, str]]:
        yield not CODE.fullmatch(self.code), f"the code '{self.code}' is not letters and three digits (XY123)"
        yield not NAME.fullmatch(self.name), f"the name '{self.name}' is not lower-case words joined by hyphens"
        yield self.scope not in SCOPES, f"the scope '{self.scope}' is none of {', '.join(SCOPES)}"
        yield self.fix not in FIXES, f"the fix '{self.fix}' is none of {', '.join(FIXES)}"
        yield self.status not in STATUSES, f"the status '{self.status}' is none of {', '.join(STATUSES)}"
        yield not self.summary, "it has no manual (pass manual=__doc__)"
        yield not callable(self.check), "its check is not a function"
