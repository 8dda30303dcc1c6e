"""``check --baseline FILE`` hides what it knows; ``--write-baseline FILE`` makes it, and takes out of it what is found no longer."""

from __future__ import annotations

from pathlib import Path

from budgetlint.base.source import UnreadableFile, read_source
from budgetlint.commands.common import is_ci
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.writing import place_of
from budgetlint.engine import baseline
from budgetlint.isolation.boundary import LEADS_OUT
from budgetlint.report.style import plural
from budgetlint.results.report import Report


def against_baseline(
    report: Report, name: str, io: Console, *, whole: bool, named: bool, write: bool = False, text: str | None = None
) -> Report:
    """The report without what the baseline knows.

    ``whole``: every rule ran on every run of the files, so that what is not found is gone; else the file is left as it is. ``named``:
    on the command line. One that the settings name is never made on the way, else a change that names one hides all that it brings.
    ``write``: by ``--write-baseline``. Without it a named one is made and shrunk too, for one release more, and not where CI is set.
    ``text`` is read instead of the file, which stays as it is.
    """
    if text is not None:
        return baseline.without_known(report, _read(text, name))
    place = place_of(io, name, named=named)
    if place is None:
        raise Misuse(f"baseline {name}: {LEADS_OUT}: keep it in the project, or name it with --baseline by the path where it lies")
    path = Path(place)
    if not path.exists():
        if not named:
            raise Misuse(f"baseline {name} of the settings does not exist: `budgetlint check --write-baseline {name}` makes it")
        if not write and is_ci(io.environ):
            raise Misuse(f"--baseline {name} does not exist: `budgetlint check --write-baseline {name}` makes it")
        return _made(report, name, path, io, "" if write else NOTE)
    source = read_source(path, name)
    if isinstance(source, UnreadableFile):
        raise Misuse(f"--baseline {name} {source.problem}: {source.cure}")
    known = _read(source.text, name)
    if whole:
        _shrink(known, report, name, path, io, "" if write else NOTE)
    return baseline.without_known(report, known)


def _read(text: str, name: str) -> tuple[baseline.Known, ...]:
    try:
        return baseline.read(text)
    except baseline.BadBaseline as error:
        raise Misuse(f"--baseline {name}: {error}") from None


NOTE = "; from the next release on only --write-baseline does that"


def _made(report: Report, name: str, path: Path, io: Console, note: str) -> Report:
    known = baseline.record(report.findings)
    _write(name, path, known)
    recorded = plural(sum(one.count for one in known), "finding")
    io.complain(f"{name} did not exist: {recorded} recorded in it, and told from now on only when new{note}")
    return baseline.without_known(report, known)


def _shrink(known: tuple[baseline.Known, ...], report: Report, name: str, path: Path, io: Console, note: str) -> None:
    left = baseline.shrunk(known, report, lambda file: file in report.sources or not (io.root / file).exists())
    gone = sum(one.count for one in known) - sum(one.count for one in left)
    if gone:
        _write(name, path, left)
        io.complain(f"{name}: {plural(gone, 'finding')} gone, {sum(one.count for one in left):,} left{note}")


def _write(name: str, path: Path, known: tuple[baseline.Known, ...]) -> None:
    from budgetlint.documents.write import write_text  # most checks write nothing

    wrong = write_text(path, baseline.render(known))
    if wrong is not None:
        raise Misuse(f"--baseline {name} {wrong.problem}: {wrong.cure}")
