"""Model and optimizer names: looked up in the catalog, never corrected."""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.finding import Severity
from budgetlint.base.source import SourceFile, Span
from budgetlint.catalog.models import find_model
from budgetlint.catalog.names import NoMatch
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.language.problems import Problems

_LONGEST = 200
_HUB_ID = expression(r"[\w.-]+/[\w.-]+")


def is_path(text: str) -> bool:
    """A checkpoint folder or a config.json rather than a name."""
    return text.startswith((".", "/", "~")) or text.endswith(".json") or text.count("/") > 1 or "\\" in text


def check_model(text: str, source: SourceFile, span: Span, problems: Problems, key: str) -> bool:
    """Report an unknown model. A hub id that is not in the catalog is only a warning, and the budget goes on."""
    if is_path(text):
        return True
    found = find_model(text) if len(text) <= _LONGEST else NoMatch(text)
    if not isinstance(found, NoMatch):
        return True
    names = " or ".join((found.candidates or found.suggestions)[:3])
    near = f"did you mean {names}? " if names else ""
    if _HUB_ID.fullmatch(text):
        message = f"'{text}' is not in the catalog: the verdict of its runs is unknown"
        help = f"{near}name its config.json, or write './{text}' if it is a folder"
        problems.add("BL010", source, span, message, help, key=key, severity=Severity.WARNING)
        return True
    message = f"'{text[:60]}' names more than one model" if found.candidates else f"'{text[:60]}' is no model that is known"
    problems.add("BL010", source, span, message, f"{near}'budgetlint models' lists them", key=key, write=_single(found))
    return False


def check_optimizer(text: str, source: SourceFile, span: Span, problems: Problems, key: str) -> Optimizer | None:
    found = find_optimizer(text) if len(text) <= _LONGEST else NoMatch(text)
    if isinstance(found, Optimizer):
        return found
    names = " or ".join((found.candidates or found.suggestions)[:3])
    near = f"did you mean {names}? " if names else ""
    message = f"'{text[:60]}' names more than one optimizer" if found.candidates else f"'{text[:60]}' is no optimizer that is known"
    problems.add("BL010", source, span, message, f"{near}'budgetlint optimizers' lists them", key=key, write=_single(found))
    return None


def _single(found: NoMatch) -> str:
    """The one text that a fix may offer."""
    return found.suggestions[0] if found.suggestions and not found.candidates else ""
