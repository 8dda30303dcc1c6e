"""``check --baseline FILE``: made on the first run, it hides what it knows, and shrinks as findings go away."""

from __future__ import annotations

from pathlib import Path

from budgetlint import baseline
from budgetlint.commands.console import Console, Misuse
from budgetlint.outcome import Report
from budgetlint.report.style import plural


def against_baseline(report: Report, name: str, io: Console, *, whole: bool) -> Report:
    """The report without what the baseline knows.

    ``whole``: every rule ran on every run of the files, so that what is not found is gone; else the file is left as it is.
    """
    path = io.root / name
    if not path.exists():
        return _made(report, name, path, io)
    try:
        known = baseline.read(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, baseline.BadBaseline) as error:
        raise Misuse(f"--baseline {name}: {error}") from None
    if whole:
        _shrink(known, report, name, path, io)
    return baseline.without_known(report, known)


def _made(report: Report, name: str, path: Path, io: Console) -> Report:
    known = baseline.record(report.findings)
    _write(name, path, known)
    io.complain(
        f"{name} did not exist: {plural(sum(one.count for one in known), 'finding')} recorded in it, and told from now on only when new"
    )
    return baseline.without_known(report, known)


def _shrink(known: tuple[baseline.Known, ...], report: Report, name: str, path: Path, io: Console) -> None:
    left = baseline.shrunk(known, report, lambda file: file in report.sources or not (io.root / file).exists())
    gone = sum(one.count for one in known) - sum(one.count for one in left)
    if gone:
        _write(name, path, left)
        io.complain(f"{name}: {plural(gone, 'finding')} gone, {sum(one.count for one in left):,} left")


def _write(name: str, path: Path, known: tuple[baseline.Known, ...]) -> None:
    from budgetlint.documents.write import write_text  # most checks write nothing

    wrong = write_text(path, baseline.render(known))
    if wrong is not None:
        raise Misuse(f"--baseline {name} {wrong.problem}: {wrong.cure}")
