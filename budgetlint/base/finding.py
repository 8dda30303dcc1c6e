"""What a rule says: a finding with its place, its reasons, its numbers and its cures."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import total_ordering
from typing import Any

from budgetlint.base.plain_text import sentence
from budgetlint.base.record import field, record
from budgetlint.base.source import Location, Span


@total_ordering
class Severity(Enum):
    """How bad. Ordered: ``INFO < WARNING < ERROR``."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return _SEVERITIES.index(self)

    def __lt__(self, other: Severity) -> bool:
        return self.rank < other.rank


_SEVERITIES = [Severity.INFO, Severity.WARNING, Severity.ERROR]


class Confidence(Enum):
    """How sure. Only high confidence may be an error."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Safety(Enum):
    """``SAFE`` changes nothing in any run that trains (one that stopped may start), ``UNSAFE`` may, ``ADVICE`` is told, never applied."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    ADVICE = "advice"


@record
class Edit:
    """Replace ``span`` of ``file`` (code point offsets in the text that was read) by ``text``."""

    file: str
    span: Span
    text: str


def _said(one: object, *names: str) -> None:
    """What a finding says is a line each, whatever values are quoted in it."""
    for name in names:
        text = getattr(one, name)
        shown = sentence(text)
        if shown is not text:
            object.__setattr__(one, name, shown)


@record
class Fix:
    title: str
    safety: Safety
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        _said(self, "title")


@record
class Related:
    """Another place that explains the finding, such as the other file's line."""

    location: Location
    message: str

    def __post_init__(self) -> None:
        _said(self, "message")


@record
class Because:
    """One setting or default that led to the finding. ``where`` is ``file:line:col``, or the default's source; ``certainty`` how well the
    value is known (`budgetlint.settings.run.Setting.certainty`)."""

    name: str
    value: str
    where: str
    certainty: str = "stated"


@record
class Finding:
    """One diagnostic.

    ``message`` says what is wrong with the user's value in it and what it will cost; ``help`` what to write instead.
    ``key`` is the dotted key path in the file, ``value`` the text found there: with rule and file they make the
    fingerprint, so that a finding keeps its identity when lines move. Texts are cleaned (`budgetlint.base.plain_text`); keys,
    values, paths and runs are as they were found.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    location: Location
    help: str = ""
    key: str = ""
    value: str = ""
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)
    because: tuple[Because, ...] = ()
    runs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _said(self, "message", "help")

    @property
    def fingerprint(self) -> str:
        import hashlib  # 2 ms, and only what reports a finding needs it

        identity = "\0".join((self.name, self.location.file, self.key, self.value))
        return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        at = self.location
        return at.file, at.line, at.column, self.code, self.message
