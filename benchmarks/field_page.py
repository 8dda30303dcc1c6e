"""docs/field-cases.md, written from the reports; nothing on it is typed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from field_cases import Report, Run, score, verdict_words

from budgetlint.rule import Severity


def write_page(found: Sequence[Report], path: Path) -> None:
    path.write_text("\n".join(_page(found)).rstrip() + "\n", encoding="utf-8")


def _page(found: Sequence[Report]) -> Iterator[str]:
    total = score(list(found))
    yield "# Public bug reports"
    yield ""
    yield f"Every figure here comes from `python benchmarks/field_cases.py --page`: {len(found)} reports of runs that failed, each rebuilt"
    yield "as a budget and configs of our own that say what the report says (`benchmarks/data/field_cases.jsonl`), and what a perfect"
    yield "linter would have said about it. `python benchmarks/field_cases.py fire-42` shows one with all that is found. Rules in brackets"
    yield "are information, which `budgetlint check` shows with `--info`; of those only what the report expects is listed."
    yield ""
    yield "| what | figure |"
    yield "| --- | --- |"
    yield f"| rules that the reports expect | {total.expected} |"
    yield f"| of them, rules whose mistake holds on the facts of the report | {total.asked} |"
    yield f"| of those, rules that fire | {total.fired} ({100 * total.share:.1f}%) |"
    yield f"| errors and warnings beside them that are not known to be right | {total.beside} |"
    yield f"| verdicts that agree with what happened | {total.right} of {total.verdicts} |"
    yield ""
    yield "## Report by report"
    yield ""
    yield "| report | what happened | budgetlint says | right |"
    yield "| --- | --- | --- | --- |"
    yield from (_row(report, run, first=run is report.runs[0]) for report in found for run in report.runs)
    yield ""
    yield from _silent(found)
    yield from _withdrawn(found)


def _row(report: Report, run: Run, *, first: bool) -> str:
    silent = [one.mistake for one in report.expected if not one.fires and not one.withdrawn]
    right = "yes" if run.right and not run.beside else "**no**"
    if first and silent:
        right = f"**no**: {', '.join(silent)}" if run.right else right
    return f"| [{report.id}]({report.url}) | {run.happened} | {_said(report, run)} | {right}{f' ({run.note})' if run.note else ''} |"


def _said(report: Report, run: Run) -> str:
    """The verdict, then errors, warnings and what the report expects, information in brackets."""
    fires = {one.fires for one in report.expected}
    heard = [one for one in run.findings if one.severity is not Severity.INFO or one.name in fires]
    names = dict.fromkeys(f"({one.name})" if one.severity is Severity.INFO else one.name for one in heard)
    return "; ".join([*([words] if (words := verdict_words(run)) else []), *([", ".join(names)] if names else [])]) or "nothing"


def _silent(found: Sequence[Report]) -> Iterator[str]:
    rows = [(report.id, one.mistake) for report in found for one in report.expected if not one.fires and not one.withdrawn]
    if rows:
        yield "## Expected, and silent"
        yield ""
        yield from (f"- {name}: {mistake}" for name, mistake in rows)
        yield ""


def _withdrawn(found: Sequence[Report]) -> Iterator[str]:
    yield "## Expected, where the mistake does not hold"
    yield ""
    yield from (f"- {report.id}, {one.mistake}: {one.withdrawn}" for report in found for one in report.expected if one.withdrawn)
