"""``check`` with a memory: where nothing that an earlier check looked at has changed, it says the same at once."""

from __future__ import annotations

import argparse
import datetime
import io as streams
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import budgetlint
from budgetlint.base.plain_text import page
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.commands.console import Console
from budgetlint.engine import cache
from budgetlint.files.disk import DiskFiles, is_repository, nearest_settings, repository_top, watching
from budgetlint.isolation import search_path

STYLE = (
    "NO_COLOR", "FORCE_COLOR", "TERM", "FORCE_HYPERLINK", "VTE_VERSION", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
    "KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM",
)  # fmt: skip
"""What of the environment decides how a page looks (`budgetlint.report.style`)."""


class Tee(streams.StringIO):
    """A stream that also writes to another one, and says of itself what that one says."""

    def __init__(self, real: object) -> None:
        super().__init__()
        self.real = real

    def write(self, text: str) -> int:
        self.real.write(text)  # type: ignore[attr-defined]
        return super().write(text)

    def isatty(self) -> bool:
        return bool(getattr(self.real, "isatty", lambda: False)())

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self.real, "encoding", None) or "utf-8"

    def flush(self) -> None:
        self.real.flush()  # type: ignore[attr-defined]


def remembered(args: argparse.Namespace, io: Console, run: Callable[[argparse.Namespace, Console], int]) -> int:
    """Run the command, or repeat what it said when everything was as it is now."""
    settings = nearest_settings(io.root)
    source = DiskFiles(io.root, named=[str(settings)]).read(str(settings)) if settings else None
    text = source.text if isinstance(source, SourceFile) else ""
    # a check writes the baseline that its settings name, and says what is wrong with settings that cannot be read
    asked = "baseline" not in text and not isinstance(source, UnreadableFile)
    store = cache.store_of(io.root, io.environ) if asked else None
    if store is None:
        return run(args, io)
    name = _question(args, io, f"{settings}\0{text}")
    answer = cache.recall(store, name, io.root, _code_folders())
    if answer is None:
        return _kept(args, io, run, store, name)
    io.write(page(answer.out, codes=io.style.color, commands="github" in args.format))
    io.tell(answer.err)
    return answer.code


def _kept(args: argparse.Namespace, io: Console, run: Callable[[argparse.Namespace, Console], int], store: cache.Store, name: str) -> int:
    out, err = Tee(io.out), Tee(io.err)
    with watching() as opened:
        code = run(args, replace(io, out=out, err=err))
    asked = [files.seen() for files in opened if files.seen().expanded]
    if len(asked) == 1 and code < 2:
        cache.keep(store, name, asked[0], _code_folders(), cache.CachedAnswer(out.getvalue(), err.getvalue(), code))
    return code


def _question(args: argparse.Namespace, io: Console, settings: str) -> str:
    words = sorted(f"{name}={value!r}" for name, value in vars(args).items())
    look = [f"{name}={io.environ.get(name)}" for name in STYLE]
    terminal = f"{getattr(io.out, 'isatty', lambda: False)()} {getattr(io.out, 'encoding', None)} {io.color}"
    place = f"{io.root} {is_repository(io.root)} {repository_top(io.root)} {datetime.datetime.now().astimezone().date()}"
    return cache.digest(budgetlint.__version__, cache.python_stamp(), *_distributions(), *words, *look, terminal, settings, place)


def _distributions() -> Iterator[str]:
    """What is installed, by the names of the folders that say so: a plugin that comes, goes or changes its version is seen."""
    for place in dict.fromkeys((*search_path.site_folders(), search_path.home())):
        try:
            with os.scandir(place) as entries:
                yield from sorted(f"{entry.path} {entry.stat().st_mtime_ns}" for entry in entries if entry.name.endswith(MARKS))
        except OSError:
            continue


MARKS = (".dist-info", ".egg-info", ".egg-link", ".pth")


def _code_folders() -> list[str]:
    """budgetlint's own packages, and those that bring rules or readers."""
    from budgetlint.isolation.entry_points import every_entry_point

    own = str(Path(budgetlint.__file__).parent)
    return sorted({own, *(place for offer in every_entry_point() for place in offer.places())})
