"""Whole repositories: what the linter finds, how it judges their runs, and which settings it claims, as rows to judge."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from first_looks import Refused, frozen, sheets
from first_looks.frozen import Answer, Linter
from first_looks.sheets import Row
from first_looks.trees import commit_of, materialise

EACH = 5
"""Findings of one rule and level in one repository that are judged; of more, so many are drawn."""
FITTING = 3
"""Runs of one repository that are said to fit and are judged."""
RUNS = 12
"""Runs of a batch whose settings are judged."""
SEED = "first look"
CLAIMED = ("stated", "default")
"""What `certainty` says of a setting that is claimed; before there was that field, the state ``known``."""


@dataclass(frozen=True, slots=True)
class Source:
    """A repository: ``git`` is its git directory, ``commit`` what was looked at."""

    name: str
    git: Path
    commit: str


@dataclass(frozen=True, slots=True)
class Looked:
    """What one repository gave: facts for the record, and rows before any is drawn."""

    facts: Mapping[str, Any]
    rows: tuple[Row, ...]
    settings: tuple[Row, ...]


def source(name: str, mirror: Path, commit: str = "HEAD") -> Source:
    """A repository of a mirror, which holds ``owner+name`` with a git directory or a clone (or ``repo``, one of the two)."""
    places = (mirror / name.replace("/", "+") / "repo", mirror / name.replace("/", "+"))
    place = next((one for one in places if (one / "HEAD").exists() or (one / ".git").exists()), None)
    if place is None:
        raise Refused(f"{name} is not in {mirror}: fetch it first")
    return Source(name, place, commit_of(place, commit))


def look(linter: Linter, sources: Sequence[Source], budget: str) -> tuple[list[Mapping[str, Any]], list[Row]]:
    """Facts for each repository, and the rows that were drawn."""
    found = [look_at(linter, one, budget) for one in sources]
    rows = [row for one in found for row in _drawn_rows(one.rows)]
    return [one.facts for one in found], rows + _drawn_settings([row for one in found for row in one.settings])


def look_at(linter: Linter, repository: Source, budget: str) -> Looked:
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        written = materialise(repository.git, repository.commit, tree)
        without, with_device = frozen.check(linter, tree), frozen.check(linter, tree, budget)
        preview = frozen.check(linter, tree, budget, preview=True)
        bills, settings = frozen.estimate(linter, tree, budget), frozen.estimate(linter, tree, budget, settings=True)
        claimed = frozen.files(linter, tree)
    crashes = [answer["crashed"] for answer in (without, with_device, preview, bills, settings, claimed) if "crashed" in answer]
    facts = {
        "name": repository.name,
        "commit": repository.commit,
        "files": written.files,
        "left_out": written.left_out,
        "claimed": dict(Counter(str(one.get("format")) for one in claimed.get("files", ()))),
        "consumers": dict(Counter(_consumer(one) for one in claimed.get("files", ()))),
        "runs": dict(Counter(word(run) for run in with_device.get("runs", ()))),
        "findings": dict(Counter(str(one["severity"]) for one in without.get("findings", ()))),
        "crashes": crashes,
    }
    rows = [*_findings(repository, without, ""), *_fits(repository, with_device, bills, budget)]
    known = {(row.rule, row.path, row.line) for row in rows}
    beside = [row for row in _findings(repository, with_device, budget) if (row.rule, row.path, row.line) not in known]
    only = _findings(repository, {"findings": list(frozen.beyond(with_device, preview))}, budget, kind="preview")
    return Looked(facts, (*rows, *beside, *only), tuple(_settings(repository, settings, budget)))


def _consumer(file: Mapping[str, Any]) -> str:
    """The program that reads a file, where the linter tells that at all."""
    return str(file["consumer"]["program"]) if file.get("consumer") else "nobody" if "consumer" in file else "not told"


def word(run: Mapping[str, Any]) -> str:
    """A run's verdict, or why there is none where that is said."""
    return str(run.get("reason") or run["verdict"]) if run["verdict"] == "unknown" else str(run["verdict"])


def _findings(repository: Source, answer: Answer, budget: str, kind: str = "finding") -> Iterator[Row]:
    for one in answer.get("findings", ()):
        said = one["message"] + (f" | {one['help']}" if one.get("help") else "")
        yield Row(kind, repository.name, repository.commit, one["file"], one["line"], one["name"], one["severity"], said, budget)


def _fits(repository: Source, answer: Answer, bills: Answer, budget: str) -> Iterator[Row]:
    """Runs that are said to fit: nothing is found in them. What does not fit, or hardly, is a finding already; the rest is only counted."""
    peaks = {one["name"]: one.get("device_total") or {} for one in bills.get("runs", ())}
    for run in answer.get("runs", ()):
        if run["verdict"] != "fits":
            continue
        need = peaks.get(run["name"], {})
        ends = f" ({_gib(need['low'])} to {_gib(need['high'])})" if need else ""
        said = f"needs {_gib(run['need'])}{ends} of {_gib(run['limit'])}"
        yield Row("verdict", repository.name, repository.commit, run["name"], 0, run["verdict"], "", said, budget)


def _gib(size: int | None) -> str:
    return "?" if size is None else f"{size / 2**30:.2f} GiB"


def _settings(repository: Source, answer: Answer, budget: str) -> Iterator[Row]:
    for run in answer.get("runs", ()):
        for one in run["settings"]:
            if one["certainty"] in CLAIMED if "certainty" in one else one["state"] == "known":
                note = f", {one['note']}" if one.get("note") else ""
                where = f"{one['file']}:{one['line']}" if one.get("file") else one["origin"]
                said = f"{one['text']} ({where}{note})"
                yield Row("setting", repository.name, repository.commit, run["name"], 0, one["name"], "", said, budget)


def _drawn_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """Of each rule and level of a repository, and of each word of a verdict, at most so many, each with how many there were."""

    def stratum(row: Row) -> tuple[str, str, str]:
        return row.kind, row.level, row.rule

    for (kind, _, _), group in groupby(sorted(rows, key=stratum), key=stratum):
        alike = list(group)
        most = FITTING if kind == "verdict" else EACH
        chosen = sheets.drawn(alike, most, _name, SEED)
        yield from (replace(row, of=len(alike)) for row in chosen)


def _name(row: Row) -> str:
    return "\0".join((row.source, row.rule, row.path, str(row.line), row.said))


def _drawn_settings(rows: Sequence[Row]) -> list[Row]:
    """The settings of a batch's runs, at first one run of each repository, then any."""
    runs = list(dict.fromkeys((row.source, row.path) for row in rows))
    lots = sheets.drawn(runs, len(runs), "\0".join, SEED)
    first = [sheets.drawn([run for run in lots if run[0] == name], 1, "\0".join, SEED)[0] for name in dict.fromkeys(run[0] for run in lots)]
    rest = [run for run in lots if run not in first]
    chosen = sheets.drawn(first, RUNS, "\0".join, SEED) + sheets.drawn(rest, max(0, RUNS - len(first)), "\0".join, SEED)
    return [replace(row, of=len(runs)) for row in rows if (row.source, row.path) in chosen]
