"""The last lines of a check: what was found, and what was judged. A gate that judged nothing says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from budgetlint.base.finding import Severity
from budgetlint.base.plain_text import one_line
from budgetlint.files.walk import Passed
from budgetlint.memory.estimate import Verdict
from budgetlint.report.shown import is_shown
from budgetlint.report.style import PLAIN, VERDICT_WORDS, TerminalStyle, plural
from budgetlint.results.report import Gate, Report
from budgetlint.results.verdict import RunVerdict

_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


REQUIRED = "A verdict is required of every run."
REQUIRED_OF_CHANGE = "A verdict is required of every run that differs."


def summary_lines(report: Report, style: TerminalStyle = PLAIN, *, info: bool = False, gate: Gate = Gate()) -> Iterator[str]:
    """One line on findings, one on verdicts; where the gate fails for want of one, that; what was passed over."""
    yield findings_line(report, style, info=info)
    yield verdicts_line(report, style)
    if lacks_verdict(report, gate):
        yield required_line(report)
    if report.passed:
        yield passed_line(report.passed)


def required_line(report: Report) -> str:
    return REQUIRED if report.comparison is None else REQUIRED_OF_CHANGE


def lacks_verdict(report: Report, gate: Gate) -> bool:
    """Is a verdict required that some run, or every one that could be there, does not have?"""
    return gate.require_verdict and report.unanswered


def findings_line(report: Report, style: TerminalStyle = PLAIN, *, info: bool = False) -> str:
    """``2 errors, 1 warning in 4 files; 3 remarks not shown (--info); 1 suppressed.``"""
    counts = [style.severity(severity, plural(count, word)) for severity, word in _WORDS.items() if (count := report.count(severity))]
    remarks = [finding for finding in report.findings if finding.severity is Severity.INFO]
    seen = sum(1 for finding in remarks if is_shown(finding, info=info))
    if seen:
        counts.append(plural(seen, "remark"))
    read = [plural(count, word) for count, word in ((report.files, "config file"), (report.budgets, "budget")) if count]
    more = [f"{plural(len(remarks) - seen, 'remark')} not shown (--info)"] if len(remarks) > seen else []
    more += _waived(report)
    more += [f"{report.baselined:,} in the baseline"] if report.baselined else []
    more += [f"{plural(len(report.crashes), 'crash', 'crashes')} (a bug: exit code 2)"] if report.crashes else []
    more += _compared(report)
    told = ", ".join(counts) or _nothing(report, style)
    return "; ".join([f"{told} in {' and '.join(read)}" if read else told, *more]) + "."


def _waived(report: Report) -> list[str]:
    """``3 suppressed by 2 waivers``, and those that hold nothing back today: an exception is always counted."""
    waivers = plural(len(report.in_force), "waiver")
    if report.suppressed:
        return [f"{len(report.suppressed):,} suppressed{f' by {waivers}' if report.in_force else ''}"]
    return [f"{waivers} in force"] if report.in_force else []


def _nothing(report: Report, style: TerminalStyle) -> str:
    """Where one command was to be judged and was not, nothing is no good news."""
    if report.asked and not report.judged:
        return style.ink("Nothing was found out", "bold")
    return style.ink("No problem" if report.comparison is None else "No new problem", "bold", "green")


def passed_line(passed: Sequence[Passed]) -> str:
    """``Passed over: vendor/ (vendored), env/ and 2 more (not tracked by git); name one to check it.``"""
    reasons = dict.fromkeys(one.why for one in passed)
    told = [f"{_some([one_line(one.path) for one in passed if one.why == why])} ({why})" for why in reasons]
    return f"Passed over: {', '.join(told)}; name one on the command line to check it."


_TOLD = 3


def _some(paths: list[str]) -> str:
    more = len(paths) - _TOLD
    shown = paths[:_TOLD] if more > 0 else paths
    last = f" and {more:,} more" if more > 0 else f" and {shown[-1]}" if len(shown) > 1 else ""
    return ", ".join(shown if more > 0 or len(shown) == 1 else shown[:-1]) + last


def _compared(report: Report) -> list[str]:
    """``12 known and 2 fixed since main``; nothing without ``--compare-with``, or where neither is."""
    found = report.comparison
    counts = ((found.known, "known"), (found.fixed, "fixed")) if found else ()
    told = " and ".join(f"{count:,} {word}" for count, word in counts if count)
    return [f"{told} since {one_line(found.revision)}"] if found and told else []


def verdicts_line(report: Report, style: TerminalStyle = PLAIN) -> str:
    """``3 runs judged: 1 fits, 2 do not fit.``, or why none was."""
    if not report.verdicts and report.asked:
        return f"{style.ink('No run was judged', 'bold')}: the command starts no training program that is known (torchrun, trl, ...)."
    if not report.verdicts and report.comparison is not None and report.comparison.untouched:
        return f"{style.ink('No run was judged', 'bold')}: the change reaches none."
    if not report.verdicts:
        return f"{style.ink('No run was judged', 'bold')}: no training config and no budget with a model was found."
    total, judged = len(report.verdicts), report.judged
    if not judged:
        return f"{style.ink('No run was judged', 'bold')}: {_why_not(report.verdicts, some=False)}."
    counts = report.verdict_counts()
    shown = ", ".join(style.verdict(verdict, verdict_count(verdict, counts[verdict.value])) for verdict in Verdict if counts[verdict.value])
    rest = f" ({_why_not(tuple(v for v in report.verdicts if not v.judged), some=judged > 0)})" if judged < total else ""
    return f"{plural(judged, 'run')} judged{f' of {total:,}' if judged < total else ''}: {shown}{rest}.{_unstarted(report.verdicts)}"


def _unstarted(verdicts: Sequence[RunVerdict]) -> str:
    """Of the runs, those that do not start, whatever they would need."""
    stopped = [one for one in verdicts if one.stops]
    codes = sorted({code for one in stopped for code in one.stops})
    return f" {plural(len(stopped), 'run')} {'does' if len(stopped) == 1 else 'do'} not start ({', '.join(codes)})." if stopped else ""


def verdict_count(verdict: Verdict, count: int) -> str:
    """``2 fit``, ``1 does not fit``."""
    if verdict is Verdict.FITS and count > 1:
        return f"{count:,} fit"
    if verdict is Verdict.DOES_NOT_FIT and count > 1:
        return f"{count:,} do not fit"
    return f"{count:,} {VERDICT_WORDS[verdict]}"


def _lacking(counts: Counter[str], how: str = "not known") -> str:
    from budgetlint.report.headroom import lacking  # most runs lack a device at most

    return lacking((name for name, _ in counts.most_common(4)), how)


def _why_not(verdicts: tuple[RunVerdict, ...], *, some: bool) -> str:
    """The settings that are missing most often; before them the device, where none of these has one. ``some``: others were judged, so
    there is a budget with a device, and it is about those."""
    missing = [verdict.missing or (() if verdict.forks else ("device",)) for verdict in verdicts]
    counts = Counter(name for names in missing for name in names)
    if any(verdict.limit is not None for verdict in verdicts):
        return "; ".join(part for part in (_depends(verdicts), _lacking(counts)) if part)
    del counts["device"]
    if counts:
        how = "no budget is about them" if some else "no budget names a device (budgetlint init)"
        return f"{how}; {_lacking(counts, 'not known either')}"
    if some:
        return "no budget is about them: name their files in one (config FILE)"
    return "no budget names a device (budgetlint init, or --budget 'device 24GiB')"


def _depends(verdicts: tuple[RunVerdict, ...]) -> str:
    """What verdicts depend on most often."""
    counts = Counter(opened.name for verdict in verdicts for fork in verdict.forks[:1] for opened in fork.settings)
    return f"depends on: {', '.join(one_line(name) for name, _ in counts.most_common(4))}" if counts else ""
