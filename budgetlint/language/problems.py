"""What can be wrong with the text of a budget: one row per code, with its manual page, and the collector of findings."""

from __future__ import annotations

from budgetlint.base.finding import Confidence, Edit, Finding, Fix, Related, Safety, Severity
from budgetlint.base.record import field, record, state
from budgetlint.base.source import SourceFile, Span
from budgetlint.language.manual import MANUALS

MAX_PROBLEMS = 100
"""A file with more is no budget; the rest is told in one line."""


@record
class ProblemSpec:
    """One kind of language problem. ``manual`` shows a failing and a passing example."""

    code: str
    name: str
    severity: Severity
    summary: str
    manual: str
    aliases: tuple[str, ...] = ()


def _row(code: str, name: str, summary: str, severity: Severity = Severity.ERROR, aliases: tuple[str, ...] = ()) -> ProblemSpec:
    return ProblemSpec(code, name, severity, summary, f"{summary}\n\n{MANUALS[code]}", aliases)


PROBLEMS: dict[str, ProblemSpec] = {
    row.code: row
    for row in (
        _row("BL001", "syntax-error", "The text is no statement of the budget language."),
        _row("BL002", "unknown-statement", "A statement starts with a word that the language does not know."),
        _row("BL003", "wrong-value", "A value is of the wrong type, or none of the words that may stand there."),
        _row("BL004", "unknown-option", "A statement has an option that it does not know."),
        _row("BL005", "bad-amount", "An amount of memory has no unit, or a unit that can be read in two ways."),
        _row("BL006", "wrong-number-of-values", "A statement has too few or too many values."),
        _row(
            "BL007",
            "said-twice",
            "The same single-valued statement, option or name is given twice in one scope.",
            aliases=("heterogeneous-gpus",),
        ),
        _row("BL008", "unknown-reference", "A $name, target or run is used that nothing defines."),
        _row("BL009", "bad-include", "An included budget cannot be read, leads in a circle, or lies outside the project."),
        _row("BL010", "unknown-name", "A device, model or optimizer is not in the catalog, or the name fits several rows."),
        _row("BL011", "misplaced-statement", "A statement stands where it has no meaning."),
        _row("BL012", "language-version", "The budget asks for a version of the language that this budgetlint does not speak."),
        _row("BL013", "allow-without-reason", "A rule is switched off and nobody says why.", Severity.WARNING),
        _row("BL014", "bad-assert", "An assert compares things that cannot be compared."),
        _row("BL015", "budget-too-large", "A budget is larger or more deeply nested than any budget needs to be."),
    )
}


@state
class Problems:
    """Findings of one budget, in the order found, no more than `MAX_PROBLEMS`; and what it has asked for so far, with what it
    includes: ``words`` parsed, ``cells`` of its runs' matrices."""

    found: list[Finding] = field(default_factory=list)
    words: int = 0
    cells: int = 0

    @property
    def full(self) -> bool:
        return len(self.found) >= MAX_PROBLEMS

    def add(
        self,
        code: str,
        source: SourceFile,
        span: Span,
        message: str,
        help: str = "",
        *,
        key: str = "",
        write: str = "",
        related: tuple[Related, ...] = (),
        severity: Severity | None = None,
    ) -> None:
        """Report a problem at a span. ``write`` is the likely text for the span, offered as an unsafe fix."""
        if self.full:
            return
        spec = PROBLEMS[code]
        fixes = (Fix(f"write {write}", Safety.UNSAFE, (Edit(source.path, span, write),)),) if write else ()
        self.found.append(
            Finding(
                code,
                spec.name,
                severity or spec.severity,
                Confidence.HIGH,
                message,
                source.locate(span),
                help=help,
                key=key,
                value=source.text[span.start : min(span.end, span.start + 80)],
                related=related,
                fixes=fixes,
            )
        )
        if self.full:
            self._say_that_more_is_left_out(source, span)

    def _say_that_more_is_left_out(self, source: SourceFile, span: Span) -> None:
        spec = PROBLEMS["BL015"]
        message = f"more than {MAX_PROBLEMS - 1} problems in one budget; the rest is not shown"
        self.found[-1] = Finding(
            spec.code, spec.name, spec.severity, Confidence.HIGH, message, source.locate(span), "is this file a budget at all?"
        )
