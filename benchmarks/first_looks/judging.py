"""Judging by hand: a sheet as text to read beside the sources, and judgements written as lines ``NUMBER WORD REASON``.

A number is a row's place in the sheet, from 1; ``12-18`` are rows that one reason holds for. A later line wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from first_looks import Refused
from first_looks.sheets import JUDGEMENTS, Row, Sheet

LINE = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+))?\s+(?P<word>[\w-]+)\s+(?P<reason>\S.*)")


def shown(sheet: Sheet) -> Iterator[str]:
    """Row by row; those that are not judged are marked."""
    for number, row in enumerate(sheet.rows, start=1):
        mark = row.judged or "?"
        where = f"{row.path}:{row.line}" if row.line else row.path
        yield f"{number:>4} {mark:<10} {row.kind} {row.level} {row.rule}  {row.source} {where}{f'  [{row.budget}]' if row.budget else ''}"
        yield f"     {row.said}{f' (1 of {row.of})' if row.of > 1 else ''}"
        yield from (f"     {name}: {text}" for name, text in (("so it is", row.truth), ("because", row.reason)) if text)


def judged(sheet: Sheet, lines: Iterable[str]) -> Sheet:
    """The sheet with the judgements of some lines. Raises `Refused` naming the first line that is none."""
    rows = list(sheet.rows)
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        found = LINE.fullmatch(line)
        if found is None:
            raise Refused(f"{line!r} is not NUMBER WORD REASON")
        first, last = int(found["first"]), int(found["last"] or found["first"])
        if not 1 <= first <= last <= len(rows):
            raise Refused(f"{line!r}: the sheet has rows 1 to {len(rows)}")
        rows[first - 1 : last] = [_judged(row, found["word"], found["reason"], line) for row in rows[first - 1 : last]]
    return replace(sheet, rows=tuple(rows))


def _judged(row: Row, word: str, reason: str, line: str) -> Row:
    if word not in JUDGEMENTS[row.kind]:
        raise Refused(f"{line!r}: of a {row.kind} one of {', '.join(JUDGEMENTS[row.kind])} is said")
    return replace(row, judged=word, reason=reason)
