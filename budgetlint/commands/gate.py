"""``check --compare-with REV``: the change is judged by the gate of the revision, and what it loosens is told."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.record import open_record, replace
from budgetlint.base.source import Location, SourceFile
from budgetlint.commands.common import Session, open_session
from budgetlint.commands.compare_with import Base, on_target
from budgetlint.commands.console import Console
from budgetlint.commands.touched import EveryRun
from budgetlint.compare.bills import new_name
from budgetlint.config.config import Config
from budgetlint.config.levels import deciding
from budgetlint.engine import baseline
from budgetlint.engine.registry import installed
from budgetlint.files.disk import ChangedFiles, DiskFiles
from budgetlint.gate.change import LOOSENS, TIGHTENS, GateChange
from budgetlint.gate.eyes import EarlierGate, gate_of
from budgetlint.gate.loosened import TwoGates, evidence_gone
from budgetlint.resolve.budget_scope import comment_format
from budgetlint.results.comparison import Comparison
from budgetlint.results.report import Report
from budgetlint.rules_api.context import Judged

Checked = Callable[[Config, Session, Judged], Report]
"""What a change brings, under these settings, of what a session's files come to."""


@open_record
class Gated:
    """``report`` is the answer, ``config`` decides about its exit code. ``known`` is the baseline that holds: its text, None where today's
    file is as good as any."""

    report: Report
    config: Config
    known: str | None = None


def gated(
    args: argparse.Namespace, io: Console, base: Base, session: Session, judged: Judged, configs: tuple[Config, Config], checked: Checked
) -> Gated:
    """``configs`` are the settings of the revision and today's, with the command line laid over both."""
    was, now = configs
    own = checked(now, session, judged)
    gate = _gate(args, base, session, configs)
    accepted = args.accept_loosening or gate.alone
    if gate.differs and base.untouched is not None:
        raise EveryRun
    if not gate.differs:
        return Gated(_with(own, _evidence(base, judged, accepted), was), now)
    files = session.project.files if now.exclude == was.exclude else DiskFiles(io.root, was.exclude, args.paths)
    anywhere = argparse.Namespace(**{**vars(args), "target": None})  # the target may have come with the change
    theirs = open_session(args.paths, anywhere, io, was, ChangedFiles(files, gate.texts, gate.hidden))
    eyes_judged = on_target(theirs.judged(), args.target)
    eyes = checked(was, theirs, eyes_judged)
    two = TwoGates(eyes, own, _budgets_of(judged), base.revision.name)
    told = [*two.findings(gate.changes, accepted=accepted), *_evidence(base, judged if accepted else eyes_judged, accepted)]
    if accepted:
        return Gated(_with(own, told, was), now)
    report, listed = _with_new_runs(eyes, own, base, judged)
    report = replace(report, comparison=_both(eyes.comparison, own.comparison))
    today = {path: own.sources[path] for path in gate.texts if path in own.sources}  # excerpts show what the change wrote
    report = replace(report, sources={**report.sources, **today})
    return Gated(_with(report, [*told, *listed], was), was, _known(args, base, was))


def _gate(args: argparse.Namespace, base: Base, session: Session, configs: tuple[Config, Config]) -> EarlierGate:
    was, now = configs
    entries = session.project.entries

    def format_of(path: str) -> str:
        entry = entries.get(path)
        return comment_format(entry) if entry is not None else "json" if path.endswith(".json") else "yaml"

    gate = gate_of(base.files, session.project.files, base.change, base.renamed, (was, now), format_of, filter(None, (args.baseline,)))
    more = _baseline_change(args, base, session, configs)
    return replace(gate, changes=(*gate.changes, *more))


def _with(report: Report, told: list[Finding], config: Config) -> Report:
    """With what is told of the gate, at the level that the revision's settings give it."""
    registry = installed()
    kept = []
    for finding in told:
        rule = registry.get(finding.code)
        level = deciding(finding, rule, config.levels) if rule is not None else None
        if level is not None and level.severity is None:
            continue
        milder = level is not None and level.severity is not None and level.severity < finding.severity
        kept.append(replace(finding, severity=level.severity) if milder and level is not None and level.severity else finding)
    return replace(report, findings=tuple(sorted((*report.findings, *kept), key=lambda finding: finding.sort_key)))


def _budgets_of(judged: Judged) -> dict[str, str]:
    return {context.label: context.budget.path for context in judged.runs if context.budget is not None}


def _evidence(base: Base, judged: Judged, accepted: bool) -> list[Finding]:
    pairs = base.pairs(judged)
    places: dict[str, Location] = {}
    touched: set[str] = set()
    for context in base.judged.runs:
        paths = [new_name(reading.document.path, base.renamed) for reading in context.run.readings]
        there = [path for path in paths if base.now.exists(path)]
        if there:
            places[context.label] = Location(there[0])
        if any(path in base.change.all for path in there):
            touched.add(context.label)
    still = {was.verdict.label for was, now in pairs if was is not None and now is not None}
    found = evidence_gone(pairs, places, base.revision.name, accepted=accepted)
    return [
        replace(one, severity=min(one.severity, Severity.WARNING)) if one.value in touched and one.value in still else one for one in found
    ]


def _with_new_runs(eyes: Report, own: Report, base: Base, judged: Judged) -> tuple[Report, list[Finding]]:
    """Runs for which the earlier gate has no device are judged by their own budget."""
    answered = {verdict.label for verdict in eyes.verdicts if verdict.limit is not None}
    taken = {verdict.label: verdict for verdict in own.verdicts if verdict.label not in answered and verdict.limit is not None}
    if not taken:
        return eyes, []
    kept = [verdict for verdict in eyes.verdicts if verdict.label not in taken and not _replaced(verdict.label, taken)]
    verdicts = tuple(sorted((*kept, *taken.values()), key=lambda verdict: verdict.label))
    known = {finding.fingerprint for finding in eyes.findings}
    mine = [finding for finding in own.findings if finding.runs and set(finding.runs) <= taken.keys() and finding.fingerprint not in known]
    budgets = _budgets_of(judged)
    listed = [_own_budget(label, budgets[label], base) for label in taken if label in budgets]
    return replace(eyes, verdicts=verdicts, findings=(*eyes.findings, *mine), sources={**own.sources, **eyes.sources}), listed


def _both(eyes: Comparison | None, own: Comparison | None) -> Comparison | None:
    """What differs under the earlier gate, and the runs that differ only under today's."""
    if eyes is None or own is None:
        return eyes or own
    told = {run.now.label for run in eyes.runs}
    more = tuple(run for run in own.runs if run.now.label not in told)
    return replace(eyes, runs=(*eyes.runs, *more), unchanged=max(eyes.unchanged - len(more), 0))


def _replaced(label: str, taken: object) -> bool:
    """The same run without its target."""
    return any(other.partition("@")[0] == label for other in taken)  # type: ignore[attr-defined]


def _own_budget(label: str, budget: str, base: Base) -> Finding:
    from budgetlint.builtin.gate_rules import GATE_LOOSENED
    from budgetlint.builtin.rules import builtin_finding

    message = f"{label} has no budget at {base.revision.name}, and is judged by its own"
    found = builtin_finding(GATE_LOOSENED, Location(budget), message, help="whoever looks decides whether that is its budget", value=label)
    return replace(found, severity=Severity.INFO, runs=(label,))


# -- the baseline ------------------------------------------------------------------------------------------------------------


def _known(args: argparse.Namespace, base: Base, config: Config) -> str | None:
    """The text of the baseline at the revision; an empty one where there was none."""
    name = args.baseline or config.baseline
    if name is None or not _is_theirs(base, name):
        return None
    source = base.files.read(name) if base.files.exists(name) else None
    return source.text if isinstance(source, SourceFile) else baseline.render(())


def _is_theirs(base: Base, name: str) -> bool:
    """Does the change decide what stands in it? One that git does not know was laid there by whoever runs the check."""
    return base.files.in_tree(name) is not None and (base.files.exists(name) or base.tracked(name))


def _baseline_change(args: argparse.Namespace, base: Base, session: Session, configs: tuple[Config, Config]) -> Iterator[GateChange]:
    name = args.baseline or configs[1].baseline
    if name is None or not _is_theirs(base, name):
        return
    texts = []
    for files in (base.files, session.project.files):
        source = files.read(name) if files.exists(name) else None
        texts.append(source.text if isinstance(source, SourceFile) else baseline.render(()))
    if texts[0] == texts[1]:
        return
    try:
        before, after = ({one.fingerprint: one.count for one in baseline.read(text)} for text in texts)
    except baseline.BadBaseline:
        return
    more = sum(max(count - before.get(fingerprint, 0), 0) for fingerprint, count in after.items())
    if more:
        yield GateChange("baseline", "", f"{name} with {more:,} more finding{'s' if more > 1 else ''}", LOOSENS, Location(name))
    else:
        yield GateChange("baseline", name, "", TIGHTENS, Location(name))
