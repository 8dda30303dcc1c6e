"""Who else reads what a fix would change.

A rule looks at one run, with its flags, versions and device, or at one file; its fix edits a place that others may read as well. A fix
is called safe only where it is safe for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial

from budgetlint.base.finding import Edit, Finding, Fix, Safety
from budgetlint.base.record import record, replace
from budgetlint.base.source import Span, SpanIn
from budgetlint.documents import Document
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import OriginKind, Reading, Run, Setting

EVERYWHERE = Span(0, 1 << 62)


def unsafe_where(finding: Finding, harms: Callable[[Fix], bool]) -> Finding:
    """The finding; of its safe fixes those that do harm are unsafe."""
    safe = [fix for fix in finding.fixes if fix.safety is Safety.SAFE and fix.edits]
    harmful = [fix for fix in safe if harms(fix)]
    if not harmful:
        return finding
    return replace(finding, fixes=tuple(replace(fix, safety=Safety.UNSAFE) if fix in harmful else fix for fix in finding.fixes))


def spared(findings: Iterable[Finding], runs: Iterable[RunContext]) -> list[Finding]:
    """The findings, their fixes unsafe where a run that they are not about reads the place too."""
    found = list(findings)
    if not any(fix.safety is Safety.SAFE for finding in found for fix in finding.fixes):
        return found
    readers = _Readers(runs)
    return [unsafe_where(finding, partial(_harms, readers, finding)) for finding in found]


def _harms(readers: _Readers, finding: Finding, fix: Fix) -> bool:
    """A finding about runs says nothing about the others, also of the same label; one about a file was found with the versions of
    one run, and without what is laid over the file."""
    others = [readers.at(edit) for edit in fix.edits]
    if finding.runs:
        return any(other.ambiguous or not other.labels <= set(finding.runs) for other in others)
    return any(other.versions_differ or not other.over.isdisjoint(_rests_on(finding)) for other in others)


@record
class _Others:
    """Of the runs that read a place: their labels, whether two of one label are not alike, whether they have other versions than each
    other, and the keys of what lies over the place, such as flags."""

    labels: frozenset[str]
    ambiguous: bool
    versions_differ: bool
    over: frozenset[str]


class _Readers:
    """Who reads a place. A file that is read whole is looked at once."""

    def __init__(self, runs: Iterable[RunContext]) -> None:
        self.of_file: dict[str, list[RunContext]] = {}
        self.in_part: set[str] = set()
        self.known: dict[str, _Others] = {}
        for context in runs:
            places = [place for reading in context.run.readings for place in places_of(reading.document).items()]
            self.in_part.update(file for file, span in places if span is not EVERYWHERE)
            for file in {file for file, _ in places}:
                self.of_file.setdefault(file, []).append(context)

    def at(self, edit: Edit) -> _Others:
        if edit.file in self.in_part:
            return self._look(edit)
        if edit.file not in self.known:
            self.known[edit.file] = self._look(edit)
        return self.known[edit.file]

    def _look(self, edit: Edit) -> _Others:
        reading = [context for context in self.of_file.get(edit.file, ()) if any(True for _ in readings_at(context.run, edit))]
        of_label = {context.label: context.run for context in reversed(reading)}
        over = (one.document.mapping for context in reading for one in laid_over(context.run, edit))
        return _Others(
            frozenset(of_label),
            any(not _alike(context.run, of_label[context.label]) for context in reading),
            any(_versions(context.run) != _versions(reading[0].run) for context in reading),
            frozenset(_bare(key) for mapping in over if mapping is not None for key in mapping.by_key()),
        )


def _alike(one: Run, other: Run) -> bool:
    return one is other or (_versions(one) == _versions(other) and same_settings(one, other))


def _versions(run: Run) -> dict[str, tuple[object, ...]]:
    return {name: (one.low, one.high, one.exact) for name, one in run.stack.releases.items()}


def _rests_on(finding: Finding) -> frozenset[str]:
    """The keys that a finding about a file speaks of, without the sections that they stand in."""
    return frozenset(_bare(name) for name in (finding.key, *(reason.name for reason in finding.because)))


def _bare(key: str) -> str:
    return key.rpartition(".")[2].lstrip("-").replace("-", "_").removeprefix("fsdp_")


def only_in(finding: Finding, files: Container[str]) -> Finding:
    """The finding of a check that saw all runs of these files, and not all of any other."""
    return unsafe_where(finding, lambda fix: any(edit.file not in files for edit in fix.edits))


def readings_at(run: Run, edit: Edit) -> Iterator[Reading]:
    """The documents of a run that hold the place of an edit."""
    for reading in run.readings:
        place = places_of(reading.document).get(edit.file)
        if place is not None and place.start <= edit.span.end and edit.span.start <= place.end:
            yield reading


def laid_over(run: Run, edit: Edit) -> list[Reading]:
    """The documents of a run that speak about the same as the one that holds the place, and do not hold it."""
    holding = list(readings_at(run, edit))
    held, roles = set(map(id, holding)), {reading.role for reading in holding}
    return [reading for reading in run.readings if reading.role in roles and id(reading) not in held]


def places_of(document: Document) -> Mapping[str, Span]:
    """Where a document stands: its whole file and those it is composed of; the flags of a command, between the first and the last."""
    found: dict[str, Span] | None = document.facts.get("places")
    if found is None:
        found = document.facts["places"] = dict(_places(document))
    return found


def _places(document: Document) -> Iterator[tuple[str, Span]]:
    entries = document.mapping.entries if document.is_command and document.mapping else ()
    if not entries:
        yield from ((source.path, EVERYWHERE) for source in (document.source, *document.below))
        return
    ends: dict[str, list[int]] = {}
    for span in (span for entry in entries for span in (entry.key.span, entry.value.span)):
        file = span.source.path if isinstance(span, SpanIn) else document.path
        ends.setdefault(file, []).extend((span.start, span.end))
    yield from ((file, Span(min(found), max(found))) for file, found in ends.items())


# -- after the edit ------------------------------------------------------------------------------------------------------------


def disturbed(before: Mapping[str, Run], after: Mapping[str, Run], fixed: Iterable[tuple[Finding, Fix]]) -> bool:
    """Do safe fixes make a run another program's, lose it what they did not touch, or do fixes found in a file alone change a run that
    lays flags or another file over it?"""
    fixes = list(fixed)
    changed = [(run, after.get(label)) for label, run in before.items() if not same_settings(run, after.get(label))]
    edits = [edit for _, fix in fixes for edit in fix.edits]
    if any(other is None or _programs(run) != _programs(other) or _lost(run, other, edits) for run, other in changed):
        return True
    alone = [fix for finding, fix in fixes if not finding.runs]
    return any(_overlaid(run, edit) for run, _ in changed for fix in alone for edit in fix.edits)


def _programs(run: Run) -> tuple[object, ...]:
    """Who reads the documents of a run, and whether a script of its own takes what it likes of them."""
    return (is_own_script(run.settings), *((reading.format, reading.role) for reading in run.readings))


def _lost(run: Run, other: Run, edits: list[Edit]) -> bool:
    """Is something else now that stands outside of the edits?"""
    kept = [setting for setting in run.settings.values() if setting.origin.kind in _WRITTEN and not _touched(setting, edits)]
    return any((now := other.settings.get(was.name)) is None or (now.state, now.value) != (was.state, was.value) for was in kept)


_WRITTEN = (OriginKind.FILE, OriginKind.FLAG)


def _touched(setting: Setting, edits: list[Edit]) -> bool:
    origin = setting.origin
    if origin.source is None or origin.span is None:
        return True
    start = (origin.key_span or origin.span).start
    return any(edit.file == origin.source.path and start <= edit.span.end and edit.span.start <= origin.span.end for edit in edits)


def _overlaid(run: Run, edit: Edit) -> bool:
    composed = any(reading.document.path != edit.file for reading in readings_at(run, edit))
    return composed or bool(laid_over(run, edit))


def by_label(runs: Iterable[RunContext]) -> dict[str, Run]:
    """The runs by label; of several with one label all, numbered."""
    found: dict[str, Run] = {}
    of_label: Counter[str] = Counter()
    for context in runs:
        of_label[context.label] += 1
        found[f"{context.label}\0{of_label[context.label]}"] = context.run
    return found


def same_settings(one: Run, other: Run | None) -> bool:
    """The same values under the same names, as certain; where they come from may differ."""
    return other is not None and heard(one) == heard(other)


def heard(run: Run) -> dict[str, tuple[object, ...]]:
    """What reaches a run: each setting with its value, and what it can be where it is not settled."""
    return {name: (one.state, one.value, one.readings) for name, one in run.settings.items()}
