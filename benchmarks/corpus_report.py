"""How many files of a corpus each reader recognises and reads: ``python benchmarks/corpus_report.py CORPUS [--misses FORMAT]``.

CORPUS holds ``files/`` and ``manifest.jsonl`` with ``path``, ``format`` and ``sub`` per line; formats are the readers' names.
Shell, Slurm and Python files are left out: they are read by the launch-command side, not by document readers.
"""

from __future__ import annotations

import argparse
import json
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from budgetlint.documents.load import load
from budgetlint.readers import Tie, identify
from budgetlint.readers.base import complete
from budgetlint.run import Stack
from budgetlint.source import SourceFile, read_source

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument(
        "--misses", metavar="FORMAT", help="files of FORMAT that were not recognised, and those claimed as FORMAT by mistake"
    )
    arguments = parser.parse_args()
    found = list(outcomes(arguments.corpus))
    print("\n".join(table(found)))
    print("\nreaders:", dict(Counter(one.claimed for one in found if one.claimed)))
    for one in found:
        if one.crash:
            print(f"\ncrash in {one.path}\n{one.crash}")
    if arguments.misses:
        _show(found, arguments.misses)


def _show(found: list[Outcome], name: str) -> None:
    for one in found:
        if same(one.format, name) != same(one.claimed, name):
            print(f"{one.format:<22} {one.sub:<16} as {one.claimed or '-':<22} {one.path}")
        for wrong in one.misreads if same(one.claimed, name) else ():
            print(f"   misread {one.path}: {wrong}")


if __name__ == "__main__":
    main()
