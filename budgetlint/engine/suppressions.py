"""Suppressions in comments: ``# budgetlint: allow NAME[, NAME] [by=WHO] [until=DATE] reason``, ``allow-next``, ``allow-file``.

``allow`` stands on the line of the finding, ``allow-next`` above it (blank and comment lines between do not count),
``allow-file`` anywhere in the file.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from budgetlint.base.expression import expression
from budgetlint.base.limits import SUPPRESSIONS
from budgetlint.base.record import record
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.engine.registry import Registry

DIRECTIVES = ("allow", "allow-next", "allow-file")
MARKER = "budgetlint:"

_DIRECTIVE = expression(r"[\s#/*;]*budgetlint:\s*(?P<word>[^\s,]*)\s*(?P<rest>.*)", re.DOTALL)
_ENDS = "*/" + "".join(map(chr, (*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x2028, 0x2029)))
"""Blanks, and what closes a comment."""
_UNTIL = expression(r"(?:^|\s)until=(\S+)")
_BY = expression(r"(?:^|\s)by=(\"[^\"]*\"|'[^']*'|\S+)")
_NAMES = expression(r"[^\s,]+(?:\s*,\s*[^\s,]+)*")


@record
class Suppression:
    """One name of one directive. ``line`` is the line that it covers, None for the whole file.

    ``wrong`` says why it cannot work (unknown directive, no name, an impossible date).
    """

    pattern: str
    location: Location
    line: int | None
    reason: str
    until: datetime.date | None = None
    wrong: str = ""
    own_line: bool = False
    directive: str = "allow"
    by: str = ""

    def expired(self, today: datetime.date) -> bool:
        return self.until is not None and self.until < today


def suppressions(source: SourceFile, format: str) -> tuple[Suppression, ...]:
    """Every suppression in a file of this format (``yaml``, ``json``, ``toml``, ``budget``), one more at most than may hold.

    Files that never say ``budgetlint:`` are not scanned for comments.
    """
    if MARKER not in source.text:
        return ()
    from budgetlint.documents.comments import comments

    found = comments(source, format)
    lines = _comment_lines(source, found)
    every = (one for span, text in found if MARKER in text for one in _read(source, span, text, lines))
    return tuple(islice(every, SUPPRESSIONS.most + 1))


def _comment_lines(source: SourceFile, marked: Iterable[tuple[Span, str]]) -> frozenset[int]:
    """The lines that hold nothing but comments."""
    lines: set[int] = set()
    for span, _ in marked:
        if _is_alone(source.text, span):
            at = source.locate(span)
            lines.update(range(at.line, at.end_line + 1))
    return frozenset(lines)


def _is_alone(text: str, span: Span) -> bool:
    """Nothing but blanks beside it on its lines. A line may hold a thousand comments."""
    before, behind = span.start, span.end
    while before and text[before - 1] != "\n" and text[before - 1].isspace():
        before -= 1
    while behind < len(text) and text[behind] != "\n" and text[behind].isspace():
        behind += 1
    return (not before or text[before - 1] == "\n") and (behind == len(text) or text[behind] == "\n")


def _read(source: SourceFile, span: Span, text: str, comment_lines: frozenset[int]) -> Iterator[Suppression]:
    match = _DIRECTIVE.fullmatch(text)
    if match is None or match["word"] == "":
        return
    location, word = source.locate(span), match["word"]
    own_line = location.line in comment_lines
    if word not in DIRECTIVES:
        yield Suppression(word, location, None, "", wrong=f"'{word}' is none of {', '.join(DIRECTIVES)}", directive=word)
        return
    names, reason, by, until, wrong = _parts(match["rest"].rstrip(_ENDS))
    line = _covered_line(source, location, word, comment_lines)
    for name in names or ("",):
        yield Suppression(name, location, line, reason, until, wrong, own_line, word, by)


def _parts(rest: str) -> tuple[tuple[str, ...], str, str, datetime.date | None, str]:
    """Names, reason, owner, date, and what is wrong."""
    named = _NAMES.match(rest)
    if named is None:
        return (), "", "", None, "it names no rule"
    names = tuple(re.split(r"\s*,\s*", named[0]))
    reason, by = _taken_out(_BY, rest[named.end() :])
    reason, date = _taken_out(_UNTIL, reason)
    if not date:
        return names, _plain(reason), by.strip("\"'"), None, ""
    try:
        return names, _plain(reason), by.strip("\"'"), datetime.date.fromisoformat(date), ""
    except ValueError:
        return names, _plain(reason), by.strip("\"'"), None, f"'{date}' is not a date; write until=2027-01-31"


def _taken_out(option: re.Pattern[str], text: str) -> tuple[str, str]:
    """The text without an option, and what it says; nothing where it is not there."""
    match = option.search(text)
    return (text, "") if match is None else (text.replace(match[0], " "), match[1])


def _plain(reason: str) -> str:
    return " ".join(reason.split()).removeprefix("reason=").strip(" \"'")


def _covered_line(source: SourceFile, at: Location, word: str, comment_lines: frozenset[int]) -> int | None:
    if word == "allow-file":
        return None
    if word == "allow":
        return at.line
    line = first = at.end_line + 1
    known: dict[int, int] = source.facts.setdefault("lines below comments", {})
    while line not in known and line <= source.line_count and (line in comment_lines or not source.line(line).strip()):
        line += 1
    walked, line = line, known.get(line, line)
    known.update(dict.fromkeys(range(first, walked + 1), line))  # only what was walked: the lines below are known already
    return line


def unknown(suppression: Suppression, registry: Registry) -> str:
    """Why a suppression cannot work; empty when it can."""
    if suppression.wrong:
        return suppression.wrong
    return unknown_pattern(suppression.pattern, registry)


def unknown_pattern(pattern: str, registry: Registry) -> str:
    """Why a pattern means no rule that can be suppressed; empty when it does."""
    meant = registry.matching(pattern)
    if not meant:
        return f"no rule is called '{pattern}'"
    if all(rule.scope == "language" for rule in meant):
        return f"'{pattern}' is a rule of the language and cannot be suppressed"
    return ""
