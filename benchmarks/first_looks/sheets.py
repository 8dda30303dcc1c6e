"""Sheets: the rows of one look, to be judged by hand. A sheet is a JSON Lines file: its head, then a row a line.

Whoever judges fills in ``judged`` (a word of `JUDGEMENTS`) and ``reason`` (which line of which program makes it so), nothing else: the head
holds a digest of the rest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from first_looks import Refused

T = TypeVar("T")
RIGHT, OPEN = "right", "open"
JUDGEMENTS: Mapping[str, tuple[str, ...]] = {
    "finding": (RIGHT, "wrong-bill", "noise", "wrong", OPEN),
    "verdict": (RIGHT, "unsure", "wrong", "ran-out", OPEN),
    "setting": (RIGHT, "wrong", OPEN),
    "preview": (RIGHT, "wrong-bill", "noise", "wrong", OPEN),
    "seed": ("found", "preview", "missed", OPEN),
    "cause": ("named", "partly", "preview", "missed", OPEN),
}
"""What may be said of a row, by its kind. ``wrong-bill``: the verdict is right, its figures are not. ``noise``: true, of use to nobody.
``unsure``: said neither fits nor does not fit. ``ran-out``: said *fits*, and the run ran out of memory. ``open``: cannot be told.
The kind ``preview`` is a finding that only ``--preview`` shows; as a word of a seed or a cause: such a finding alone names it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing to judge. ``source``: the repository, or the address of a report. ``rule``: the rule, setting, seed or verdict; ``said``:
    what the linter says. ``of``: how many alike were found, of which this one was drawn. ``truth``: what is known to be so."""

    kind: str
    source: str
    commit: str
    path: str
    line: int
    rule: str
    level: str
    said: str
    budget: str = ""
    of: int = 1
    truth: str = ""
    judged: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One look: ``kind`` is repositories, seeds or reports, ``commit`` the linter's, ``looked`` its time (ISO 8601), ``looked_at`` what."""

    kind: str
    commit: str
    looked: str
    looked_at: tuple[Mapping[str, Any], ...]
    rows: tuple[Row, ...]


def told(finding: Mapping[str, Any], *, preview: bool = False) -> str:
    """A finding in one line; one that only ``--preview`` shows is marked."""
    mark = "(preview) " if preview else ""
    return f"{mark}{finding['severity']} {finding['name']} {finding['file']}:{finding['line']}: {finding['message']}"


def digest(sheet: Sheet) -> str:
    """Of all but the judgements."""
    blank = [asdict(replace(row, judged="", reason="")) for row in sheet.rows]
    head = [sheet.kind, sheet.commit, sheet.looked, list(sheet.looked_at)]
    return hashlib.sha256(json.dumps([head, blank], sort_keys=True).encode("utf-8")).hexdigest()


def write(sheet: Sheet, path: Path, *, again: bool = False) -> None:
    """A sheet as a file. Raises `Refused` where there is one, unless it is the same one, ``again`` with judgements."""
    if path.exists() and not again:
        raise Refused(f"{path} is there already: a look is not repeated over its judgements")
    head = {"look": sheet.kind, "commit": sheet.commit, "looked": sheet.looked, "digest": digest(sheet), "looked_at": list(sheet.looked_at)}
    lines = (json.dumps(one, ensure_ascii=False) for one in (head, *map(asdict, sheet.rows)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path: Path) -> Sheet:
    """Raises `Refused` where more than the judgements was changed."""
    head, *rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    sheet = Sheet(head["look"], head["commit"], head["looked"], tuple(head["looked_at"]), tuple(Row(**row) for row in rows))
    if digest(sheet) != head["digest"]:
        raise Refused(f"{path.name}: a row was changed, added or dropped; only `judged` and `reason` may be written")
    return sheet


def unjudged(rows: Iterable[Row]) -> list[str]:
    """What is wrong with the judgements, a line each."""
    found = []
    for number, row in enumerate(rows, start=2):
        words = JUDGEMENTS[row.kind]
        if row.judged not in words:
            found.append(f"line {number}: judged is {row.judged!r}, and one of {', '.join(words)} is asked for")
        elif not row.reason.strip():
            found.append(f"line {number}: {row.judged} without a reason")
    return found


def drawn(rows: Sequence[T], most: int, name: Callable[[T], str], seed: str) -> list[T]:
    """At most so many of the rows, the same whenever asked: by the digest of the seed and the row's name, in the order they came."""

    def lot(row: T) -> str:
        return hashlib.sha256(f"{seed}\0{name(row)}".encode()).hexdigest()

    chosen = {id(row) for row in sorted(rows, key=lot)[:most]}
    return [row for row in rows if id(row) in chosen]
