"""Applying fixes: rounds of edits that do not meet, each proved by checking again.

A round takes the fixes of the findings as they are now, whole or not at all, leaves out those that overlap another, and checks
the result. A fix that does not remove its finding, or that breaks the file, is taken back and named.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping

from budgetlint.base.finding import Edit, Finding, Fix, Safety, Severity
from budgetlint.base.limits import FIX_ROUNDS, FIX_TEXT, FIX_TRIALS
from budgetlint.base.plain_text import one_line
from budgetlint.base.record import field, open_record, replace
from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.engine.other_readers import disturbed
from budgetlint.files.wanted import SHELL_SUFFIXES
from budgetlint.results.report import Report

MAX_ROUNDS = FIX_ROUNDS.most
SLOW = 8
"""A budget is parsed by a grammar: a character of it takes so many times longer than one of YAML or JSON."""

UNCOUNTED = 2
"""Rounds that may read what they like: a repository of a thousand small mistakes is mended whole."""

Recheck = Callable[[Mapping[str, str]], Report]
"""Check the project again with these texts in place of those on disk."""


@open_record
class Fixed:
    """What came of it: the new text of each changed file, what was applied, what was taken back, and the last report."""

    texts: Mapping[str, str]
    applied: tuple[tuple[Finding, Fix], ...]
    refused: tuple[tuple[Finding, Fix], ...]
    report: Report
    originals: Mapping[str, SourceFile] = field(default_factory=dict, repr=False)
    unwritten: Container[str] = ()
    read: int = 0
    """Characters of edited files that were read again."""


def fix_all(report: Report, recheck: Recheck, *, unsafe: bool = False, unwritten: Container[str] = ()) -> Fixed:
    """Apply every safe fix (unsafe ones too when asked), in rounds, until none is left. Nothing is written. ``unwritten`` are texts that
    no file holds: a budget or a command of the command line."""
    state = Fixed({}, (), (), report, report.sources, unwritten=unwritten)
    for number in range(MAX_ROUNDS):
        if state.read > FIX_TEXT.most:
            break
        done = _round(state, recheck, unsafe, counted=number >= UNCOUNTED)
        if done is None:
            break
        state = done
    return state


def _round(state: Fixed, recheck: Recheck, unsafe: bool, *, counted: bool) -> Fixed | None:
    """The state after one more round, None when there is nothing to apply. ``counted``: what it reads as a whole is; trials of a fix by
    itself always are."""
    chosen = _chosen(_candidates(state, unsafe))
    if not chosen:
        return None
    state = _reading(state, chosen) if counted else state
    whole = _tried(state, chosen, recheck)
    if whole is not None:
        return whole
    for one in chosen[: max(0, FIX_TRIALS.most - len(state.refused))]:
        if state.read > FIX_TEXT.most:
            break
        state = _reading(state, [one])
        alone = _tried(state, [one], recheck)
        if alone is not None:
            return alone
        state = replace(state, refused=(*state.refused, one))
    return state


def _reading(state: Fixed, chosen: Iterable[tuple[Finding, Fix]]) -> Fixed:
    """The state, with what trying these fixes reads again added."""
    files = {edit.file for _, fix in chosen for edit in fix.edits}
    texts = (len(state.report.sources[file].text) * (SLOW if file.endswith(".budget") else 1) for file in files)
    return replace(state, read=state.read + sum(texts))


def _candidates(state: Fixed, unsafe: bool) -> list[tuple[Finding, Fix]]:
    """One fix for each finding, safest first, that was not refused before."""
    allowed = (Safety.SAFE, Safety.UNSAFE) if unsafe else (Safety.SAFE,)
    refused = {(finding.fingerprint, fix.title) for finding, fix in state.refused}
    found = []
    for finding in state.report.findings:
        fixes = [
            fix
            for fix in finding.fixes
            if fix.safety in allowed and _is_written(state, fix) and (finding.fingerprint, fix.title) not in refused
        ]
        if fixes:
            found.append((finding, min(fixes, key=lambda fix: allowed.index(fix.safety))))
    return found


def _is_written(state: Fixed, fix: Fix) -> bool:
    return bool(fix.edits) and not any(edit.file in state.unwritten for edit in fix.edits)


def _chosen(candidates: Iterable[tuple[Finding, Fix]]) -> list[tuple[Finding, Fix]]:
    """Fixes of which no edit overlaps an edit of another; the rest waits for the next round."""
    taken: dict[str, list[Edit]] = defaultdict(list)
    chosen = []
    for finding, fix in candidates:
        new = [edit for edit in fix.edits if edit not in taken[edit.file]]
        if not any(_overlap(edit, other) for edit in new for other in taken[edit.file]):
            chosen.append((finding, fix))
            for edit in new:
                taken[edit.file].append(edit)
    return chosen


def _overlap(one: Edit, other: Edit) -> bool:
    """Of one file."""
    return one.span == other.span or (one.span.start < other.span.end and other.span.start < one.span.end)


def _tried(state: Fixed, chosen: list[tuple[Finding, Fix]], recheck: Recheck) -> Fixed | None:
    """The state with these fixes; None when another value or another run changes, a finding stays, a new one appears, or a rule crashes."""
    edits = [edit for _, fix in chosen for edit in fix.edits]
    edited = _edited(state, edits)
    if any(_spoils(state.report.sources[file], text, edits) for file, text in edited.items()):
        return None
    texts = dict(state.texts) | edited
    report = recheck(texts)
    if all(fix.safety is Safety.SAFE for _, fix in chosen) and disturbed(state.report.runs, report.runs, chosen):
        return None
    if report.crashed or _problems(report) - _problems(state.report) or not _fewer(chosen, state.report, report):
        return None
    return replace(state, texts=texts, applied=(*state.applied, *chosen), report=report)


def _edited(state: Fixed, edits: list[Edit]) -> dict[str, str]:
    from budgetlint.documents.edit import apply

    files = dict.fromkeys(edit.file for edit in edits)
    return {file: apply(state.report.sources[file].text, [edit for edit in edits if edit.file == file]) for file in files}


def _spoils(before: SourceFile, text: str, edits: list[Edit]) -> bool:
    """Does the new text of a config load differently outside the edits? Scripts and budgets are judged by the check itself."""
    if before.path.endswith((".budget", *SHELL_SUFFIXES, ".mk")) or "." not in before.path:
        return False
    from budgetlint.documents.compare import changed_elsewhere

    return changed_elsewhere(before, SourceFile(before.path, text), [edit for edit in edits if edit.file == before.path])


def _problems(report: Report) -> Counter[tuple[str, str]]:
    """Errors and warnings by rule and file; keys and values may be what a fix changes."""
    return Counter((f.name, f.location.file) for f in report.findings if f.severity > Severity.INFO)


def _fewer(chosen: list[tuple[Finding, Fix]], before: Report, after: Report) -> bool:
    """Every rule that had a fix applied says less than before."""
    names = {finding.name for finding, _ in chosen}
    return all(_count(after, name) < _count(before, name) for name in names)


def _count(report: Report, name: str) -> int:
    return sum(1 for finding in report.findings if finding.name == name)


def diff(fixed: Fixed) -> str:
    """The changes as a unified diff."""
    return "".join(difference(path, fixed.originals[path].text, text) for path, text in sorted(fixed.texts.items()))


def difference(path: str, old: str, new: str) -> str:
    """One file's changes as a unified diff."""
    import difflib  # 1 ms, and only a diff needs it

    name = one_line(path)
    lines = difflib.unified_diff(_lines(old), _lines(new), name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """As git and patch count them: a line ends with a line feed, not with what `str.splitlines` takes for an end besides."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [line for line in text.rpartition("\n")[2:] if line]


def write(fixed: Fixed, write_file: Callable[[str, str, str], UnreadableFile | None]) -> tuple[UnreadableFile, ...]:
    """Write each changed file whole, in its own encoding. What could not be written comes back."""
    results = (write_file(path, text, fixed.originals[path].encoding) for path, text in fixed.texts.items())
    return tuple(result for result in results if result is not None)
