"""The record: `data/first_looks.jsonl`, a batch a line, in order. Each holds the digest of the line before: none can be rewritten."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path
from typing import Any

from first_looks import Refused, frozen, known, sheets
from first_looks.sheets import Row, Sheet
from first_looks.trees import commit_of

BY_HAND = "by hand, from the framework's code"
LEAST = {"repositories": 10, "reports": 10, "seeds": 10}
"""What a batch is made of, at least."""

Batch = Mapping[str, Any]


def batches(path: Path) -> list[Batch]:
    """The batches, in order. Raises `Refused` where a line was changed after it was written."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    for number, (batch, before) in enumerate(zip(found, ["", *map(line_digest, lines)], strict=False)):
        if batch["previous"] != before or batch["batch"] != number:
            raise Refused(f"{path.name}: batch {number} does not follow the line before it: an earlier batch was rewritten")
    return found


def line_digest(line: str) -> str:
    return hashlib.sha256(line.encode("utf-8")).hexdigest()


def rows_of(batch: Batch) -> list[Row]:
    return [Row(**row) for look in batch["looks"] for row in look["rows"]]


def append(looks: Sequence[Sheet], day: date, root: Path, path: Path, list_of_known: Path, short: str = "") -> str:
    """Adds one batch, and what it looked at to the list of what is known; gives the digest of its line. Raises `Refused` for anything
    that is no first look: see `_refuse`."""
    earlier = batches(path)
    _refuse(looks, day, root, list_of_known, short)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    batch = {
        "batch": len(earlier),
        "date": day.isoformat(),
        "commit": looks[0].commit,
        "judged_by": BY_HAND,
        "short": short,
        "previous": line_digest(lines[-1]) if lines else "",
        "looks": [_look(sheet) for sheet in looks],
    }
    line = json.dumps(batch, ensure_ascii=False, sort_keys=True)
    with path.open("a", encoding="utf-8") as record:
        record.write(line + "\n")
    known.remember(sources(looks), list_of_known, f"batch {batch['batch']}, {day.isoformat()}")
    return line_digest(line)


def sources(looks: Sequence[Sheet]) -> list[str]:
    return list(dict.fromkeys(str(one["name"]) for sheet in looks for one in sheet.looked_at))


def _look(sheet: Sheet) -> dict[str, Any]:
    return {"kind": sheet.kind, "looked": sheet.looked, "looked_at": list(sheet.looked_at), "rows": [asdict(row) for row in sheet.rows]}


def _refuse(looks: Sequence[Sheet], day: date, root: Path, list_of_known: Path, short: str) -> None:
    if len({sheet.commit for sheet in looks}) != 1:
        raise Refused("the sheets of a batch are looks of one commit")
    _refuse_commit(looks, day, root)
    known.refuse_known(sources(looks), list_of_known)
    wrong = [f"{sheet.kind}: {line}" for sheet in looks for line in sheets.unjudged(sheet.rows)]
    if wrong:
        raise Refused("\n".join(["not judged to the end:", *wrong]))
    counts = {kind: sum(len(sheet.looked_at) for sheet in looks if sheet.kind == kind) for kind in LEAST}
    few = [f"{count} {kind}, and {LEAST[kind]} at least make a batch" for kind, count in counts.items() if count < LEAST[kind]]
    if few and not short:
        raise Refused("\n".join([*few, "say with --short-of why this batch is smaller"]))


def _refuse_commit(looks: Sequence[Sheet], day: date, root: Path) -> None:
    """The linter is one that can be looked up again, and older than what was said of it."""
    commit = looks[0].commit
    if commit_of(root, commit) != commit:
        raise Refused(f"{commit} is no full id of a commit")
    made = frozen.committed_at(root, commit)
    for sheet in looks:
        looked = datetime.fromisoformat(sheet.looked)
        if made > looked:
            raise Refused(f"{commit[:12]} is of {made:%Y-%m-%d %H:%M}, later than the look at {looked:%Y-%m-%d %H:%M}")
        if looked.date() > day:
            raise Refused(f"judged on {day.isoformat()}, before the look on {looked:%Y-%m-%d}")
