"""First looks: how often the linter is right about repositories, reports and mistakes that nobody had shown it.

``look`` reads fresh public repositories with the linter of a frozen commit and writes a sheet of rows to judge; ``seed`` plants known
mistakes into them; ``reports`` reads rebuilt public bug reports. Whoever judges fills in the sheets (``show``, ``judge``); ``record``
appends them to `data/first_looks.jsonl` as one batch, and ``page`` writes docs/first-look.md. Names without a command are looked at:
``python benchmarks/first_look.py OWNER/NAME…``. Nothing of a repository is run. The exit code is 2 where something is refused.

A list of repositories has one a line: ``OWNER/NAME COMMIT batch=N``, then words for the reader.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from first_looks import Refused, frozen, judging, known, look, rebuilt, record, seeding, sheets
from first_looks.frozen import Linter
from first_looks.look import Source
from first_looks.page import page
from first_looks.sheets import Row, Sheet

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "benchmarks" / "data"
RECORD, KNOWN = DATA / "first_looks.jsonl", DATA / "looked_at.txt"
REPORTS, SEEDS = DATA / "first_look_reports.jsonl", DATA / "first_look_seeds.jsonl"
PAGE = ROOT / "docs" / "first-look.md"
COMMANDS = ("look", "seed", "reports", "show", "judge", "record", "page")


def listed(path: Path, batch: int | None) -> list[tuple[str, str]]:
    """Names and commits of a list, of one batch or of all."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith("#")]
    return [(name, commit) for name, commit, *words in rows if batch is None or f"batch={batch}" in words]


def pending(record_of: Sequence[record.Batch]) -> dict[str, int]:
    """What is gathered and not judged."""
    fresh = len(record_of)
    lists = sorted(DATA.glob("first_look_[0-9]*.txt"))
    repositories = sum(
        f"batch={number}" in line
        for path in lists
        for line in path.read_text(encoding="utf-8").splitlines()
        for number in (fresh, fresh + 1)
    )
    reports = [one for one in rebuilt.reports(REPORTS) if one["batch"] >= fresh] if REPORTS.exists() else []
    return {"repositories": repositories, "reports": len(reports)}


def main(words: list[str]) -> int:
    """The door."""
    asked = _parser().parse_args(words if words and words[0] in (*COMMANDS, "-h", "--help") else ["look", *words])
    try:
        print(asked.does(asked))
    except Refused as why:
        print(f"refused: {why}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="first_look.py", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    looking, mirrored = _looking(), _mirrored()
    for name, does, parents in (
        ("look", _look, [looking, mirrored]),
        ("seed", _seed, [looking, mirrored]),
        ("reports", _reports, [looking]),
    ):
        commands.add_parser(name, parents=parents).set_defaults(does=does)
    showing = commands.add_parser("show", help="a sheet as text")
    showing.add_argument("sheet", type=Path)
    showing.set_defaults(does=_show)
    saying = commands.add_parser("judge", help="judgements into a sheet: lines NUMBER WORD REASON")
    saying.add_argument("sheet", type=Path)
    saying.add_argument("judgements", type=Path)
    saying.set_defaults(does=_judge)
    appending = commands.add_parser("record")
    appending.add_argument("sheets", type=Path, nargs="+")
    appending.add_argument("--date", type=date.fromisoformat, default=None, help="when it was judged (default: today)")
    appending.add_argument("--short-of", default="", metavar="REASON", help="why the batch is smaller than one should be")
    appending.set_defaults(does=_record)
    commands.add_parser("page").set_defaults(does=_page)
    return parser


def _looking() -> argparse.ArgumentParser:
    """What every look takes."""
    looking = argparse.ArgumentParser(add_help=False)
    looking.add_argument("--commit", default="HEAD", help="the linter's (default: HEAD)")
    looking.add_argument("--batch", type=int, help="only what is meant for this batch")
    looking.add_argument("--out", type=Path, default=Path("first-look"), help="folder of the sheets (default: first-look)")
    looking.add_argument(
        "--environments", type=Path, default=Path.home() / ".cache" / "budgetlint-first-look", help="where frozen linters are installed"
    )
    looking.add_argument(
        "--budget", default="device a100-80gb", help="the machine that repositories are judged on besides (default: %(default)s)"
    )
    return looking


def _mirrored() -> argparse.ArgumentParser:
    """What a look at repositories takes besides."""
    mirrored = argparse.ArgumentParser(add_help=False)
    mirrored.add_argument("names", nargs="*", metavar="OWNER/NAME")
    mirrored.add_argument("--repositories", type=Path, nargs="*", default=[], metavar="FILE", help="lists of repositories")
    mirrored.add_argument(
        "--mirror", type=Path, default=Path("mirror"), help="folder of OWNER+NAME with git directories (default: %(default)s)"
    )
    return mirrored


def _linter(asked: argparse.Namespace) -> Linter:
    return frozen.installed(ROOT, frozen.frozen_commit(ROOT, asked.commit), asked.environments)


def _sources(asked: argparse.Namespace) -> list[Source]:
    """Raises `Refused` for what is known, before anything is read."""
    wanted = [*((name, "HEAD") for name in asked.names), *(one for path in asked.repositories for one in listed(path, asked.batch))]
    if not wanted:
        raise Refused("no repository is named: OWNER/NAME, or --repositories FILE")
    known.refuse_known((name for name, _ in wanted), KNOWN)
    return [look.source(name, asked.mirror, commit) for name, commit in wanted]


def _write(asked: argparse.Namespace, kind: str, linter: Linter, facts: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> str:
    asked.out.mkdir(parents=True, exist_ok=True)
    place = asked.out / f"{kind}.jsonl"
    looked = datetime.now(UTC).isoformat(timespec="seconds")
    sheets.write(Sheet(kind, linter.commit, looked, tuple(facts), tuple(rows)), place)
    return f"{place}: {len(rows)} rows to judge, of {len(facts)} {kind}"


def _look(asked: argparse.Namespace) -> str:
    sources = _sources(asked)
    linter = _linter(asked)
    return _write(asked, "repositories", linter, *look.look(linter, sources, asked.budget))


def _seed(asked: argparse.Namespace) -> str:
    sources = _sources(asked)
    frozen.committed_data(ROOT, SEEDS)
    linter = _linter(asked)
    return _write(asked, "seeds", linter, *seeding.look(linter, sources, seeding.kinds(SEEDS, asked.batch), asked.budget))


def _reports(asked: argparse.Namespace) -> str:
    rows = rebuilt.reports(REPORTS, asked.batch)
    known.refuse_known((row["url"] for row in rows), KNOWN)
    frozen.committed_data(ROOT, REPORTS)
    linter = _linter(asked)
    return _write(asked, "reports", linter, *rebuilt.look(linter, rows, datetime.now(UTC).date()))


def _show(asked: argparse.Namespace) -> str:
    return "\n".join(judging.shown(sheets.read(asked.sheet)))


def _judge(asked: argparse.Namespace) -> str:
    sheet = judging.judged(sheets.read(asked.sheet), asked.judgements.read_text(encoding="utf-8").splitlines())
    sheets.write(sheet, asked.sheet, again=True)
    return f"{asked.sheet}: {len(sheets.unjudged(sheet.rows))} rows left to judge"


def _record(asked: argparse.Namespace) -> str:
    looks = [sheets.read(path) for path in asked.sheets]
    day = asked.date or datetime.now(UTC).date()
    digest = record.append(looks, day, ROOT, RECORD, KNOWN, asked.short_of)
    return f"recorded; add its digest to RECORDED in tests/benchmarks/test_first_look.py: {digest}"


def _page(_: argparse.Namespace) -> str:
    found = record.batches(RECORD)
    PAGE.write_text(page(found, pending(found)), encoding="utf-8")
    return f"{PAGE}: {len(found)} batches"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
