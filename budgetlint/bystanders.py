"""Who else reads what a fix would change.

A rule looks at one run, with its flags, versions and device, or at one file; its fix edits a place that others may read as well. A fix
is called safe only where it is safe for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from budgetlint.context import RunContext
from budgetlint.documents import Document
from budgetlint.finding import Edit, Finding, Fix, Safety
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.record import replace
from budgetlint.run import Reading, Run
from budgetlint.source import Span, SpanIn

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
    readers: dict[str, list[RunContext]] = {}
    for context in runs:
        for file in {file for reading in context.run.readings for file in places_of(reading.document)}:
            readers.setdefault(file, []).append(context)
    return [unsafe_where(finding, lambda fix, about=finding: _harms(about, fix, readers)) for finding in found]  # type: ignore[misc]


def _harms(finding: Finding, fix: Fix, readers: Mapping[str, list[RunContext]]) -> bool:
    """A finding about runs says nothing about the others, also of the same label; one about a file was found with the versions of
    one run."""
    concerned = [context for edit in fix.edits for context in readers.get(edit.file, ()) if reads(context.run, edit)]
    if not finding.runs:
        first = next(iter(concerned), None)
        other = first is not None and any(_versions(context.run) != _versions(first.run) for context in concerned)
        return other or any(_says_otherwise(context.run, edit, _rests_on(finding)) for context in concerned for edit in fix.edits)
    of_label = {context.label: context.run for context in reversed(concerned)}
    return any(context.label not in finding.runs or not _alike(context.run, of_label[context.label]) for context in concerned)


def _alike(one: Run, other: Run) -> bool:
    return one is other or (_versions(one) == _versions(other) and same_settings(one, other))


def _versions(run: Run) -> dict[str, tuple[object, ...]]:
    return {name: (one.low, one.high, one.exact) for name, one in run.stack.releases.items()}


def _rests_on(finding: Finding) -> frozenset[str]:
    """The keys that a finding about a file speaks of, without the sections that they stand in."""
    return frozenset(_bare(name) for name in (finding.key, *(reason.name for reason in finding.because)))


def _bare(key: str) -> str:
    return key.rpartition(".")[2].lstrip("-").replace("-", "_").removeprefix("fsdp_")


def _says_otherwise(run: Run, edit: Edit, keys: frozenset[str]) -> bool:
    """Does something that lies over the file, such as a flag, say one of these keys?"""
    over = (reading.document.mapping for reading in laid_over(run, edit))
    return any(_bare(key) in keys for mapping in over if mapping is not None for key in mapping.by_key())


def only_in(finding: Finding, files: Container[str]) -> Finding:
    """The finding of a check that saw all runs of these files, and not all of any other."""
    return unsafe_where(finding, lambda fix: any(edit.file not in files for edit in fix.edits))


def reads(run: Run, edit: Edit) -> bool:
    return any(True for _ in readings_at(run, edit))


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
    entries = document.mapping.entries if document.format == "shell" and document.mapping else ()
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
    """Do safe fixes make a run another program's, or fixes found in a file alone change a run that lays flags or another file over it?"""
    changed = [(run, after.get(label)) for label, run in before.items() if not same_settings(run, after.get(label))]
    if any(other is None or _programs(run) != _programs(other) for run, other in changed):
        return True
    alone = [fix for finding, fix in fixed if not finding.runs]
    return any(_overlaid(run, edit) for run, _ in changed for fix in alone for edit in fix.edits)


def _programs(run: Run) -> tuple[object, ...]:
    """Who reads the documents of a run, and whether a script of its own takes what it likes of them."""
    return (is_own_script(run.settings), *((reading.format, reading.role) for reading in run.readings))


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
