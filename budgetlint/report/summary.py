"""The last lines of a check: what was found, and what was judged. A gate that judged nothing says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from budgetlint.finding import Severity
from budgetlint.memory.estimate import Verdict
from budgetlint.outcome import Report, RunVerdict
from budgetlint.report.style import PLAIN, VERDICT_WORDS, Style, plural

_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def summary_lines(report: Report, style: Style = PLAIN, *, info: bool = False) -> Iterator[str]:
    """One line on findings, one on verdicts."""
    yield findings_line(report, style, info=info)
    yield verdicts_line(report, style)


def findings_line(report: Report, style: Style = PLAIN, *, info: bool = False) -> str:
    """``2 errors, 1 warning in 4 files; 3 remarks not shown (--info); 1 suppressed.``"""
    counts = [style.severity(severity, plural(count, word)) for severity, word in _WORDS.items() if (count := report.count(severity))]
    remarks = report.count(Severity.INFO)
    if remarks and info:
        counts.append(plural(remarks, "remark"))
    read = [plural(count, word) for count, word in ((report.files, "config file"), (report.budgets, "budget")) if count]
    more = [f"{plural(remarks, 'remark')} not shown (--info)"] if remarks and not info else []
    more += [f"{len(report.suppressed):,} suppressed"] if report.suppressed else []
    more += [f"{report.baselined:,} in the baseline"] if report.baselined else []
    more += [f"{plural(len(report.crashes), 'rule')} crashed"] if report.crashes else []
    told = ", ".join(counts) or style.ink("No problem", "bold", "green")
    return "; ".join([f"{told} in {' and '.join(read)}" if read else told, *more]) + "."


def verdicts_line(report: Report, style: Style = PLAIN) -> str:
    """``3 runs judged: 1 fits, 2 do not fit.``, or why none was."""
    if not report.verdicts:
        return f"{style.ink('No run was judged', 'bold')}: no training config and no budget with a model was found."
    total, judged = len(report.verdicts), report.judged
    if not judged:
        return f"{style.ink('No run was judged', 'bold')}: {_why_not(report.verdicts)}."
    counts = report.verdict_counts()
    shown = ", ".join(style.verdict(verdict, _counted(verdict, counts[verdict.value])) for verdict in Verdict if counts[verdict.value])
    rest = f" ({_why_not(tuple(v for v in report.verdicts if not v.judged))})" if judged < total else ""
    return f"{plural(judged, 'run')} judged{f' of {total:,}' if judged < total else ''}: {shown}{rest}."


def _counted(verdict: Verdict, count: int) -> str:
    if verdict is Verdict.FITS and count > 1:
        return f"{count:,} fit"
    if verdict is Verdict.DOES_NOT_FIT and count > 1:
        return f"{count:,} do not fit"
    return f"{count:,} {VERDICT_WORDS[verdict]}"


def _why_not(verdicts: tuple[RunVerdict, ...]) -> str:
    """The settings that are missing most often."""
    if all(verdict.limit is None and set(verdict.missing) <= {"device"} for verdict in verdicts):
        return "no budget says what the device offers; write one (device 24GiB) or pass --budget 'device 24GiB'"
    missing = Counter(name for verdict in verdicts for name in (verdict.missing or ("device",)))
    return f"not known: {', '.join(name for name, _ in missing.most_common(4))}"
