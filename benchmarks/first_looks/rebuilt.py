"""Public bug reports, rebuilt as the reporter had them: is the real cause named, is the outcome foretold?

`data/first_look_reports.jsonl` holds a report a line: ``url``, ``batch``, ``kind``, ``files`` and ``budget`` (the command, config and
machine as reported), ``happened``, ``cause`` and ``source`` (who found the cause, and where), ``memory`` (whether it ended in memory),
``written`` (when). All of it stands before the linter runs: the file must be committed as it is.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

from first_looks import Refused, frozen, sheets
from first_looks.frozen import Linter
from first_looks.look import word
from first_looks.sheets import Row
from first_looks.trees import track

ASKED = ("url", "batch", "kind", "files", "happened", "cause", "source", "written")
SHOWN = 12
"""So many findings of a report stand in its row."""

Report = Mapping[str, Any]


def reports(path: Path, batch: int | None = None) -> list[Report]:
    """The reports of a batch. Raises `Refused` where one lacks what must be written first."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    for row in rows:
        lacking = [name for name in ASKED if not row.get(name) and row.get(name) != 0]
        if lacking:
            raise Refused(f"{row.get('url', 'a report')}: {', '.join(lacking)} must be written before the linter runs")
    return [row for row in rows if batch is None or row["batch"] == batch]


def look(linter: Linter, rows: Iterable[Report], today: date) -> tuple[list[Mapping[str, Any]], list[Row]]:
    facts: list[Mapping[str, Any]] = []
    found: list[Row] = []
    for report in rows:
        if date.fromisoformat(report["written"]) > today:
            raise Refused(f"{report['url']}: its cause was written on {report['written']}, after this look")
        plain, answer = _asked(linter, report)
        runs = [f"{one['name']}: {word(one)}" for one in answer.get("runs", ())]
        facts.append(
            {"name": report["url"], "kind": report["kind"], "runs": runs, "crashes": [answer["crashed"]] if "crashed" in answer else []}
        )
        found += _rows(report, plain, answer, runs)
    return facts, found


def _asked(linter: Linter, report: Report) -> tuple[frozen.Answer, frozen.Answer]:
    """Without and with preview rules."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name, text in report["files"].items():
            place = PurePosixPath(name)
            if place.is_absolute() or ".." in place.parts:
                raise Refused(f"{report['url']}: {name} leads out of the folder")
            (tree / place).parent.mkdir(parents=True, exist_ok=True)
            (tree / place).write_text(text, encoding="utf-8")
        track(tree)
        budget = report.get("budget", "")
        return frozen.check(linter, tree, budget), frozen.check(linter, tree, budget, preview=True)


def _rows(report: Report, plain: frozen.Answer, answer: frozen.Answer, runs: list[str]) -> Iterator[Row]:
    """One row for the cause, and one for the verdict where the report ended in memory."""
    preview = [id(one) for one in frozen.beyond(plain, answer)]
    said = [sheets.told(one, preview=id(one) in preview) for one in answer.get("findings", ())]
    words = " || ".join(said[:SHOWN]) + (f" || and {len(said) - SHOWN} more" if len(said) > SHOWN else "")
    truth = f"{report['cause']} ({report['source']})"
    budget = report.get("budget", "")
    yield Row("cause", report["url"], "", "", 0, report["kind"], "", words or "nothing", budget, truth=truth)
    if report.get("memory"):
        yield Row("verdict", report["url"], "", "", 0, "outcome", "", "; ".join(runs) or "no run", budget, truth=report["happened"])
