"""What is asked of every case of every rule beside what its own rule says: of one judging, since each takes its time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.base.finding import Finding, Safety
from budgetlint.config.config import Config
from budgetlint.engine.check import check
from budgetlint.registry import Registry, installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.results.report import Report
from budgetlint.rule import Rule
from budgetlint.rules_api.context import Judged
from budgetlint.rules_api.prefilter import Words
from budgetlint.testing import TODAY, Case

WORDED = tuple(rule for rule in installed().rules if rule.words)
REPR = re.compile(
    r"\b(Mapping|Sequence|Scalar|Entry|Span|Setting)\(|\{'\w+': |\['\w|\('\w+',|\bis (None|True|False)\b|<\w+\.\w+: "
    r"|\bfrozenset\(|object at 0x"
)
"""What Python prints of its own objects and no file of a user says."""


def judged_and_report(case: Case, registry: Registry, *, preview: bool) -> tuple[Judged, Report]:
    """As `budgetlint.testing.report_on` has it, with what the report is on."""
    budget = f"{case.budget}\nstack {case.stack}" if case.stack else case.budget
    judged = judge_texts(case.files, budget=budget or None)
    report = check(judged, registry, Config(preview=preview), today=TODAY)
    assert not report.crashes, "\n".join(crash.traceback for crash in report.crashes)
    return judged, report


def strange(case: Case, report: Report) -> list[str]:
    """The texts of a report that hold what Python prints of its own objects, and no file says: a script writes ``True`` and ``a["b"]``."""
    everything = "\n".join((*case.files.values(), case.budget)).replace('"', "'")
    found = ((text, REPR.search(text)) for finding in report.findings for text in _texts(finding))
    return [text for text, word in found if word and word[0].removeprefix("is ") not in everything]


def _texts(finding: Finding) -> Iterator[str]:
    yield from (finding.message, finding.help)
    yield from (related.message for related in finding.related)
    yield from (fix.title for fix in finding.fixes)
    yield from (because.value for because in finding.because)


def offers_safe(finding: Finding) -> bool:
    return any(fix.safety is Safety.SAFE and fix.edits for fix in finding.fixes)


def unasked(judged: Judged) -> Iterator[tuple[Rule, object]]:
    """Rules with what they would be asked about if their words did not count."""
    words = Words(WORDED)
    runs = [(run, words.of_run(run.run), {one.format for one in run.run.readings}) for run in judged.runs]
    documents = [(document, words.of(document.reading), {document.format}) for document in judged.documents]
    flags = [(document, words.of(document.reading), {document.format}) for document in judged.flags]
    for rule in WORDED:
        for context, has, formats in runs if rule.scope == "run" else (*documents, *flags) if rule.flags else documents:
            if has.isdisjoint(rule.words) and (not rule.formats or not formats.isdisjoint(rule.formats)):
                yield rule, context.bound(rule)


def told_unasked(judged: Judged) -> list[tuple[str, str]]:
    """What they say there, which is nothing: the engine does not ask them, and does not load their modules."""
    return [(rule.name, finding.message) for rule, context in unasked(judged) for finding in rule.check(context)]
