"""Runs the rules over what is judged: `check`.

Order: every rule on every context it fits; findings superseded by their root cause go; one finding per rule and span stays,
with all its runs; levels decide the severity; comments suppress; then the engine speaks about the suppressions themselves.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from budgetlint.base.crash import Crash
from budgetlint.base.finding import Finding
from budgetlint.base.limits import FINDINGS, SUPPRESSIONS
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import SourceFile
from budgetlint.base.too_large import too_large
from budgetlint.builtin.rules import CRASHED_RULE, MISREAD_VALUE, builtin_finding
from budgetlint.config.config import Config
from budgetlint.config.levels import Level, from_budget
from budgetlint.engine.evidence import allowed
from budgetlint.engine.other_readers import by_label, spared
from budgetlint.engine.registry import Registry
from budgetlint.engine.severity import Judge, merged, told_once, unsuperseded
from budgetlint.engine.stops import stopped
from budgetlint.engine.suppressions import Suppression, suppressions
from budgetlint.language.budget import RuleLevel
from budgetlint.memory.estimate import INCOMPLETE, Verdict
from budgetlint.results.report import Report, Skips
from budgetlint.results.verdict import RunVerdict
from budgetlint.rules_api.context import BudgetContext, Context, DocumentContext, Judged, RunContext
from budgetlint.rules_api.prefilter import Words
from budgetlint.rules_api.rule import Rule

__all__ = ["Report", "check"]


@open_state
class _Outcome:
    """What the rules said so far."""

    findings: list[Finding] = field(default_factory=list)
    skips: list[Skips] = field(default_factory=list)
    lists: dict[tuple[tuple[str, str, str], ...], tuple[tuple[str, str, str], ...]] = field(default_factory=dict)
    """What is skipped on several runs alike."""
    crashes: list[Crash] = field(default_factory=list)
    ran: set[str] = field(default_factory=set)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    """How many findings a rule has made, by its code and the file or the run."""


def check(
    judged: Judged,
    registry: Registry,
    config: Config | None = None,
    *,
    today: datetime.date | None = None,
) -> Report:
    """Run every selected rule and judge what it finds. ``today`` is for tests."""
    config = config or Config()
    rules = tuple(rule for rule in registry.rules if config.selects(rule))
    said = _Outcome()
    _run_rules(judged, rules, said)
    found = [*registry.problems, *judged.findings, *config.problems, *_misreads(judged), *said.findings]
    by_name = {rule.name: rule for rule in rules}
    found = merged(unsuperseded(found, by_name))
    judge = Judge(
        registry=registry,
        config=config,
        ran=frozenset(said.ran),
        levels=_levels(judged),
        suppressions=_suppressions(judged),
        today=today or datetime.date.today(),
    )
    kept, suppressed = judge.judge((*found, *_too_many(judge.suppressions)))
    kept = told_once(spared(kept, judged.runs), by_name)
    stops = stopped(kept, judged.runs, registry)
    language = [problem for context in judged.budgets for problem in context.budget.problems]
    return Report(
        findings=tuple(sorted({f.sort_key: f for f in (*language, *kept)}.values(), key=lambda finding: finding.sort_key)),
        verdicts=tuple(replace(verdict_of(context), stops=stops.get(context.label, ())) for context in judged.runs),
        skips=tuple(said.skips),
        suppressed=tuple(suppressed),
        excuses=tuple(judge.excuses),
        waivers=judge.waivers(),
        crashes=(*judged.crashes, *said.crashes),
        sources=_sources(judged, config),
        urls={rule.code: rule.url for rule in registry.all if rule.url},
        files=len({context.reading.document.path for context in judged.documents}),
        budgets=len(judged.budgets),
        rules=len(rules),
        runs=by_label(judged.runs),
    )


# -- running -------------------------------------------------------------------------------------------------------------


def _run_rules(judged: Judged, rules: Iterable[Rule], said: _Outcome) -> None:
    by_scope: dict[str, list[Rule]] = {"run": [], "document": [], "budget": []}
    for rule in rules:
        by_scope[rule.scope].append(rule)
    of_formats: dict[frozenset[str], list[Rule]] = {}
    words = Words(rule for of_scope in by_scope.values() for rule in of_scope)
    for run in judged.runs:
        formats = run.formats
        if formats not in of_formats:
            of_formats[formats] = [rule for rule in by_scope["run"] if not rule.formats or not formats.isdisjoint(rule.formats)]
        _run_on_run(run, of_formats[formats], words.of_run(run.run), said)
    _run_on_documents(judged.documents, by_scope["document"], words, said)
    _run_on_documents(judged.flags, [rule for rule in by_scope["document"] if rule.flags], words, said)
    for budget in judged.budgets:
        bound = budget.bound(None)
        for rule in by_scope["budget"]:
            _apply(rule, bound, said)


def _run_on_run(run: RunContext, rules: list[Rule], has: frozenset[str], said: _Outcome) -> None:
    bound = run.bound(None)
    missing = {part: f"there is no {part}" for part, of in _PARTS.items() if of(run) is None}
    skipped: list[tuple[str, str, str]] = []
    reasons: dict[tuple[str, ...], str | None] = {}  # of 120 rules two in three need what another needs
    for rule in rules:
        needs = rule.needs
        if needs not in reasons:
            reasons[needs] = _cannot_run(needs, run, missing)
        reason = reasons[needs]
        if reason is not None:
            skipped.append((rule.code, rule.name, reason))
        elif rule.words and has.isdisjoint(rule.words):
            said.ran.add(rule.code)
        else:
            _apply(rule, bound, said)
    if skipped:
        alike = tuple(skipped)
        said.skips.append(Skips(run.label, said.lists.setdefault(alike, alike)))


def _run_on_documents(documents: Iterable[DocumentContext], rules: list[Rule], words: Words, said: _Outcome) -> None:
    by_format: dict[str, list[Rule]] = {}
    for document in documents:
        fitting = by_format.get(document.format)
        if fitting is None:
            fitting = by_format[document.format] = [rule for rule in rules if not rule.formats or document.format in rule.formats]
        bound, has = document.bound(None), words.of(document.reading)
        for rule in fitting:
            if rule.needs and not all(document.reading.settings.get(need) for need in rule.needs):
                continue
            if rule.words and has.isdisjoint(rule.words):
                said.ran.add(rule.code)
            else:
                _apply(rule, bound, said)


def _apply(rule: Rule, context: Context, said: _Outcome) -> None:
    """``context`` is a copy of the engine's own, which each rule finds bound to itself."""
    context.__dict__["rule"] = rule
    said.ran.add(rule.code)
    try:
        _take(rule, context, said)
    except Exception as error:  # a rule may raise anything; the others still run
        import traceback

        where = context.label or context.anchor.file
        said.crashes.append(Crash(f"rule {rule.name}", where, traceback.format_exc()))
        said.findings.append(_crash_finding(rule, context, error))


def _take(rule: Rule, context: Context, said: _Outcome) -> None:
    """What the rule says, up to the bound: a key said 50,000 times is 50,000 findings, each with a fix of its own. Documents of a file
    count together, runs each for itself: what they say alike becomes one finding."""
    counted = (rule.code, context.label or context.anchor.file)
    told = said.counts.get(counted, 0)
    if told > FINDINGS.most:
        return
    found = list(islice(allowed(rule, context, rule.check(context)), FINDINGS.most - told + 1))
    said.counts[counted] = told + len(found)
    said.findings.extend(found[: FINDINGS.most - told])
    if told + len(found) > FINDINGS.most:
        said.findings.append(_more(rule, found[-1]))


def _more(rule: Rule, first: Finding) -> Finding:
    """``first`` is the first that is not told."""
    message = f"{first.location.file} holds more than {FINDINGS.most:,} findings of {rule.name}: no more are told"
    return too_large(FINDINGS, first.location, message=message, cure="repair these first, or leave the file out of the check")


def _crash_finding(rule: Rule, context: Context, error: Exception) -> Finding:
    message = f"the rule {rule.code} {rule.name} crashed: {type(error).__name__}: {error}"
    cure = f"this is a bug in the rule: report it with this file; '--ignore {rule.name}' leaves it out"
    crash = builtin_finding(CRASHED_RULE, context.anchor, message, help=cure, value=rule.name)
    return replace(crash, runs=(context.label,) if context.label else ())


_PARTS: Mapping[str, Any] = {
    "budget": lambda context: context.budget,
    "target": lambda context: context.target,
    "device": lambda context: context.target and context.target.device,
    "plan": lambda context: context.plan,
    "estimate": lambda context: context.estimate,
    "measurement": lambda context: context.recorded or None,
    "declaration": lambda context: context.watched or None,
}


def _cannot_run(needs: tuple[str, ...], context: RunContext, missing: Mapping[str, str]) -> str | None:
    """None when a rule with these needs can run; the reason when something is missing. ``missing`` are the parts that are not there."""
    for need in needs:
        if need in missing:
            return missing[need]
        if need in _PARTS:
            continue
        setting = context.setting(need)
        if setting is None:
            return f"nothing sets {need}"
        if not setting.known:
            return f"{need} is '{setting.text or setting.state}' ({setting.origin})"
    return None


def _misreads(judged: Judged) -> Iterator[Finding]:
    """In files, and in the flags of programs that are known: a script of one's own gives a flag the values that it likes."""
    flags = (context for context in judged.flags if context.reading.consumer is None or context.reading.consumer.followed)
    for context in (*judged.documents, *flags):
        for misread in context.reading.misreads:
            location = misread.origin.location or context.anchor
            found = builtin_finding(MISREAD_VALUE, location, misread.message, help=misread.cure, key=misread.origin.key)
            yield from allowed(None, context, [found])


# -- what surrounds the judgement ------------------------------------------------------------------------------------------


def _levels(judged: Judged) -> dict[str, list[tuple[Level, ...]]]:
    """Levels by what they speak about: a run's label, or a file's path. A file in several runs has one entry for each."""
    levels: dict[str, list[tuple[Level, ...]]] = {}
    made: dict[tuple[int, int], tuple[Level, ...]] = {}

    def scope_of(whole: tuple[RuleLevel, ...], own: tuple[RuleLevel, ...] = ()) -> tuple[Level, ...]:
        """One for all runs of a budget that have no levels of their own; told apart by identity."""
        key = (id(whole), id(own) if own else 0)
        if key not in made:
            made[key] = tuple(from_budget(level) for level in (*whole, *own))
        return made[key]

    for context in judged.runs:
        scope = scope_of(context.budget.levels if context.budget else (), context.budget_run.levels if context.budget_run else ())
        levels[context.label] = [scope]
        for path in {reading.document.path for reading in context.run.readings}:
            levels.setdefault(path, []).append(scope)
    for budget_context in judged.budgets:
        levels.setdefault(budget_context.budget.path, []).append(scope_of(budget_context.budget.levels))
    return levels


def _sources(judged: Judged, config: Config) -> dict[str, SourceFile]:
    settings = {config.source.path: config.source} if config.source else {}
    return settings | {path: source for path, (source, _) in _texts(judged).items()}


def _texts(judged: Judged) -> dict[str, tuple[SourceFile, str]]:
    """Every text with its format, by path. A file that is neither a budget nor read by anybody has no format."""
    budgets = [source for context in judged.budgets if (source := _budget_source(context))]
    texts = {source.path: (source, "") for source in judged.sources} | {source.path: (source, "budget") for source in budgets}
    readings = [context.reading for context in judged.documents]
    readings += [reading for context in judged.runs for reading in context.run.readings]
    # a file that a script writes stands in the script, whose comments are a shell's
    return texts | {reading.document.path: (reading.document.source, reading.document.format) for reading in reversed(readings)}


def _budget_source(context: BudgetContext) -> SourceFile | None:
    """The text of a budget, also of one that has no file: its parts know where they stand."""
    device = context.budget.default_target.device
    origins = [*([device.origin] if device else []), *(run.origin for run in context.budget.runs)]
    return context.source or next((origin.source for origin in origins if origin.source), None)


def _suppressions(judged: Judged) -> tuple[Suppression, ...]:
    return tuple(one for source, format in _texts(judged).values() if format for one in suppressions(source, format))


def _too_many(suppressions: Iterable[Suppression]) -> Iterator[Finding]:
    """Of each file, those past the bound hold nothing back: they are not there."""
    counts = Counter(one.location.file for one in suppressions)
    for file in (file for file, count in counts.items() if count > SUPPRESSIONS.most):
        last = [one for one in suppressions if one.location.file == file][-1]
        yield too_large(SUPPRESSIONS, last.location, cure="allow a rule for the whole file with 'allow-file', or in the settings")


def verdict_of(context: RunContext) -> RunVerdict:
    """The answer for a run that is judged."""
    target = context.target.name if context.target else None
    estimate = context.answer
    if estimate is None:
        return RunVerdict(context.run.name, target, context.cell, Verdict.UNKNOWN, None, None, reason=INCOMPLETE)
    return RunVerdict(
        context.run.name,
        target,
        context.cell,
        estimate.verdict,
        estimate.need.bytes,
        estimate.limit,
        estimate.missing,
        estimate.peak_phase,
        estimate.bill,
        estimate.need.low if estimate.need.high is None else None,
        estimate.reason,
        estimate.forks,
        estimate.opened,
        estimate.leaning,
        estimate.over,
        supposes=estimate.supposes,
    )
