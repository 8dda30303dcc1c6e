"""Waivers and budgets in the comments of a config: only those that it had are heeded, and the budget is the one that it had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from budgetlint.base.record import open_record
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.documents.comments import comments
from budgetlint.engine.suppressions import MARKER, Suppression, suppressions
from budgetlint.gate.budgets import restored
from budgetlint.gate.change import BY_EFFECT, LOOSENS, GateChange
from budgetlint.resolve.budget_scope import BUDGET_COMMENT, comment_span

_LEADS = {"json": "// "}


@open_record
class Commented:
    """``text`` is the file as it is judged, ``changes`` what its comments would have changed, ``bare`` what is left of each of both texts
    without such comments: where those are the same, nothing else of the file changed."""

    text: str
    changes: tuple[GateChange, ...]
    bare: tuple[str, str]


def commented(was: SourceFile | None, now: SourceFile, format: str) -> Commented:
    """A file with the waivers and the budget that its comments had. A file that is new has its own budget, and no waiver yet."""
    edits, changes = [], []
    for edit, change in (*_waivers(was, now, format), *(_budget(was, now, format) if was is not None else ())):
        edits.append(edit)
        changes.append(change)
    text = now.text
    for span, new in sorted(edits, key=lambda edit: -edit[0].start):
        text = text[: span.start] + new + text[span.end :]
    return Commented(text, tuple(changes), (_bare(was, format) if was is not None else "", _bare(now, format)))


def _waivers(was: SourceFile | None, now: SourceFile, format: str) -> Iterator[tuple[tuple[Span, str], GateChange]]:
    """Each that is not as it was loses its marker, so that it says nothing and all else stays where it is."""
    known = Counter(_key(one, was) for one in suppressions(was, format)) if was is not None else Counter()
    added: dict[tuple[int, int], list[Suppression]] = {}
    for one in suppressions(now, format):
        key = _key(one, now)
        if known[key]:
            known[key] -= 1
        else:
            added.setdefault((one.location.line, one.location.column), []).append(one)
    spans = {(at.line, at.column): span for span, text in comments(now, format) if MARKER in text and (at := now.locate(span))}
    for place, some in added.items():
        start = now.text.index(MARKER, spans[place].start)
        told = f"{some[0].directive} {', '.join(one.pattern for one in some)}"
        yield (Span(start, start + len(MARKER)), " " * len(MARKER)), GateChange("allow", "", told, LOOSENS, some[0].location, now.path)


def _key(one: Suppression, source: SourceFile) -> tuple[object, ...]:
    """What it excuses: the rule, until when, and the key that stands on its line."""
    line = source.line(one.line) if one.line is not None and one.line <= source.line_count else ""
    return one.pattern, one.directive, one.until, line.strip().split(":")[0].split("=")[0].strip(" \"'")


def _budget(was: SourceFile, now: SourceFile, format: str) -> Iterator[tuple[tuple[Span, str], GateChange]]:
    before, after = comment_span(was, format), comment_span(now, format)
    if before is None and after is None:
        return
    if after is None:
        assert before is not None
        said = was.text[before.start : before.end].strip()
        lead = "" if now.text.endswith("\n") or not now.text else "\n"
        end = Span(len(now.text), len(now.text))
        yield (
            (end, f"{lead}{_LEADS.get(format, '# ')}{BUDGET_COMMENT} {said}\n"),
            GateChange("budget", f"{BUDGET_COMMENT} {said}", "", LOOSENS, Location(now.path), now.path),
        )
        return
    said, had = (source.text[span.start : span.end] if span else "" for source, span in ((now, after), (was, before)))
    old = restored(SourceFile(now.path, had.strip()), SourceFile(now.path, said.strip()))
    text = " " + old.text.strip().replace("\n", "; ")
    for change in old.changes:
        where = now.locate(after)
        yield (after, text), GateChange(change.what, change.was, change.now, change.way, where, now.path)
        after = Span(after.start, after.start)  # the text is put there once
        text = ""
    if before is None and not old.changes and said.strip():
        yield (after, ""), GateChange("budget", "", f"{BUDGET_COMMENT} {said.strip()}", BY_EFFECT, now.locate(after), now.path)


def _bare(source: SourceFile, format: str) -> str:
    """A text without the comments that are the gate's; blank lines do not count."""
    mine = [span for span, text in comments(source, format) if MARKER in text or text.lstrip("#/* \t").startswith(BUDGET_COMMENT)]
    return "\n".join(line.rstrip() for line in _without(source.text, mine).splitlines() if line.strip())


def _without(text: str, spans: Iterable[Span]) -> str:
    for span in sorted(spans, key=lambda span: -span.start):
        text = text[: span.start] + text[span.end :]
    return text
