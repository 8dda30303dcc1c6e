"""How far real configs get, from files to estimates: ``python benchmarks/corpus_report.py CORPUS [--misses FORMAT] [--models]``.

CORPUS holds ``files/`` and ``manifest.jsonl`` with ``path``, ``format`` and ``sub`` per line; formats are the readers' names.
The first folder of a path is the repository: its files are joined to runs as ``budgetlint check`` joins them. Shell, Slurm and
Python files are left out: they are read by the launch-command side, not by document readers.

First table, by the manifest's format: files, how many are recognised as that, read, and what went wrong. Second table, by the
reader of the training file: runs; of those joined with another file; with a model that is named, and known; with a length;
estimated (nothing but the device is missing).
"""

from __future__ import annotations

import argparse
import json
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from budgetlint.assemble import judge
from budgetlint.context import RunContext
from budgetlint.documents.load import load
from budgetlint.files import DiskFiles
from budgetlint.project import open_project
from budgetlint.readers import Tie, identify
from budgetlint.readers.base import complete
from budgetlint.run import Stack
from budgetlint.source import SourceFile, read_source

OURS = ("accelerate", "alignment_handbook", "axolotl", "deepspeed", "hf_training_arguments", "llamafactory", "trl")
DOCUMENTS = (".yaml", ".yml", ".json", ".toml", ".conf")
FAMILIES = {"hf_training_arguments": "trl", "alignment_handbook": "trl", "open_instruct": "trl"}
"""Manifest and reader names that mean one family of files."""


@dataclass(frozen=True)
class Outcome:
    """One corpus file: ``claimed`` is the reader's format, ``tie``, or empty; ``crash`` the traceback."""

    path: str
    format: str
    sub: str
    claimed: str = ""
    settings: int = 0
    misreads: tuple[str, ...] = ()
    crash: str = ""


def outcomes(corpus: Path) -> Iterator[Outcome]:
    for line in (corpus / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["path"].lower().endswith(DOCUMENTS):
            yield _outcome(corpus, row)


def _outcome(corpus: Path, row: dict[str, str]) -> Outcome:
    bare = Outcome(row["path"], row["format"], row.get("sub") or "")
    try:
        return _read(corpus, bare)
    except Exception:  # a reader may fail in any way; that is what is counted
        return Outcome(bare.path, bare.format, bare.sub, crash=traceback.format_exc())


def _read(corpus: Path, bare: Outcome) -> Outcome:
    source = read_source(corpus / "files" / bare.path, bare.path)
    for document in load(source) if isinstance(source, SourceFile) else ():
        reader = identify(document)
        if isinstance(reader, Tie):
            return Outcome(bare.path, bare.format, bare.sub, "tie")
        if reader is not None:
            reading = reader.read(document)
            complete(reader, reading.settings, Stack())
            misreads = tuple(wrong.message for wrong in reading.misreads)
            return Outcome(bare.path, bare.format, bare.sub, reader.format, len(reading.settings), misreads)
    return bare


def same(claimed: str, expected: str) -> bool:
    return FAMILIES.get(claimed, claimed) == FAMILIES.get(expected, expected)


def table(found: list[Outcome]) -> Iterator[str]:
    yield f"{'format':<24}{'files':>7}{'recognised':>12}{'share':>8}{'other':>7}{'ties':>6}{'misreads':>10}{'crashes':>9}"
    for name in sorted({one.format for one in found}):
        rows = [one for one in found if one.format == name]
        right = sum(same(one.claimed, name) for one in rows)
        ties = sum(one.claimed == "tie" for one in rows)
        other = sum(bool(one.claimed) for one in rows) - right - ties
        wrong, crashes = sum(len(one.misreads) for one in rows), sum(bool(one.crash) for one in rows)
        yield f"{name:<24}{len(rows):>7}{right:>12}{right / len(rows):>8.1%}{other:>7}{ties:>6}{wrong:>10}{crashes:>9}"


def summary(found: list[Outcome]) -> str:
    ours = [one for one in found if one.format in OURS]
    right = sum(same(one.claimed, one.format) for one in ours)
    wrong = sum(one.format == "negative" and bool(one.claimed) for one in found)
    return f"of the five ecosystems: {right} of {len(ours)} recognised ({right / max(1, len(ours)):.1%}); negatives claimed: {wrong}"


# -- runs --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Joined:
    """One run of the corpus: what is known of it, and why there is no estimate."""

    format: str
    readings: int
    references: int
    model: str
    known: bool
    length: bool
    missing: tuple[str, ...]


def runs_of(corpus: Path, crashes: list[str]) -> Iterator[Joined]:
    """The runs of every repository folder; a crash is kept as its traceback."""
    for folder in sorted(path for path in (corpus / "files").iterdir() if path.is_dir()):
        try:
            yield from map(_joined, judge(open_project(DiskFiles(folder), ["."])).runs)
        except Exception:  # whatever fails is what is counted
            crashes.append(f"{folder.name}\n{traceback.format_exc()}")


def _joined(context: RunContext) -> Joined:
    run, answer = context.run, context.estimate
    model = run.settings.get("model")
    return Joined(
        run.trainer.format if run.trainer else "-",
        len(run.readings),
        sum(len(reading.references) for reading in run.readings),
        str(model.value) if model is not None and model.known else "",
        context.plan is not None,
        "seq_len" in run.settings and run.settings["seq_len"].known,
        tuple(name for name in (answer.missing if answer else ()) if name != "device"),
    )


def runs_table(runs: list[Joined]) -> Iterator[str]:
    yield f"{'reader':<24}{'runs':>7}{'refer':>7}{'joined':>8}{'named':>7}{'known':>7}{'length':>8}{'estimated':>11}{'share':>8}"
    for name in (*sorted({one.format for one in runs}), "all"):
        rows = [one for one in runs if name in (one.format, "all")]
        refer, joined = sum(one.references > 0 for one in rows), sum(one.readings > 1 for one in rows)
        named, known = sum(bool(one.model) for one in rows), sum(one.known for one in rows)
        length, whole = sum(one.length for one in rows), sum(not one.missing for one in rows)
        share = whole / max(1, len(rows))
        yield f"{name:<24}{len(rows):>7}{refer:>7}{joined:>8}{named:>7}{known:>7}{length:>8}{whole:>11}{share:>8.1%}"


def reasons(runs: list[Joined]) -> Iterator[str]:
    """Why runs have no estimate; a run may lack several things."""
    for name, count in Counter(_reason(one, name) for one in runs for name in one.missing).most_common():
        yield f"{count:>6}  {name}"


def _reason(run: Joined, missing: str) -> str:
    return "model is not in the catalog" if missing == "model" and run.model else f"{missing} is not stated"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument(
        "--misses", metavar="FORMAT", help="files of FORMAT that were not recognised, and those claimed as FORMAT by mistake"
    )
    parser.add_argument("--models", action="store_true", help="the models that the catalog does not know, most wanted first")
    arguments = parser.parse_args()
    found = list(outcomes(arguments.corpus))
    crashes = [f"{one.path}\n{one.crash}" for one in found if one.crash]
    runs = list(runs_of(arguments.corpus, crashes))
    print("\n".join((*table(found), summary(found))))
    print("\nreaders:", dict(Counter(one.claimed for one in found if one.claimed)), end="\n\n")
    print("\n".join((*runs_table(runs), "\nno estimate, because", *reasons(runs), f"\ncrashes: {len(crashes)}", *crashes)))
    if arguments.misses:
        _show(found, arguments.misses)
    if arguments.models:
        _wanted(runs)


def _wanted(runs: list[Joined]) -> None:
    for name, count in Counter(one.model for one in runs if one.model and not one.known).most_common():
        print(f"{count:>6}  {name}")


def _show(found: list[Outcome], name: str) -> None:
    for one in found:
        if same(one.format, name) != same(one.claimed, name):
            print(f"{one.format:<22} {one.sub:<16} as {one.claimed or '-':<22} {one.path}")
        for wrong in one.misreads if same(one.claimed, name) else ():
            print(f"   misread {one.path}: {wrong}")


if __name__ == "__main__":
    main()
