"""The streams and the environment of one command-line call: the only place that prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from budgetlint.base.plain_text import one_line, page
from budgetlint.base.record import open_record
from budgetlint.base.source import SourceFile, UnreadableFile, decode, encode
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.streams import Closed, Nowhere, StandardOutput

if TYPE_CHECKING:
    from budgetlint.base.crash import Crash
    from budgetlint.report.style import TerminalStyle


RUNNERS = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
"""Of these one is set where what is printed is looked through for commands (`budgetlint.base.plain_text`)."""


@open_record
class Console:
    """``root`` is the working directory: paths are shown relative to it."""

    out: TextIO
    err: TextIO
    stdin: TextIO
    environ: Mapping[str, str]
    root: Path
    color: str = "auto"

    @property
    def terminal(self) -> bool:
        return bool(getattr(self.out, "isatty", lambda: False)())

    @property
    def style(self) -> TerminalStyle:
        from budgetlint.report.style import style_for  # brings in what only reports need

        return style_for(self.color, terminal=self.terminal, environ=self.environ, encoding=getattr(self.out, "encoding", None) or "utf-8")

    @property
    def runner(self) -> bool:
        """Does a runner of CI jobs read what is printed?"""
        return any(self.environ.get(name) for name in RUNNERS)

    def write(self, text: str, *, inked: bool = False) -> None:
        """Print lines: what a terminal or a runner would obey is broken. ``inked``: they have `style`'s colors, which stay."""
        _put(self.out, page(text, codes=inked and self.style.color))

    def line(self, text: str = "", *, inked: bool = False) -> None:
        self.write(f"{text}\n", inked=inked)

    def write_exact(self, text: str, encoding: str) -> None:
        """Hand on a file's text, as a filter does, in its own encoding. A person at a terminal gets it as `write` prints it."""
        write_bytes = getattr(self.out, "write_bytes", None)
        if self.terminal or write_bytes is None:
            _put(self.out, page(text) if self.terminal else text)
        else:
            write_bytes(encode(text, encoding))

    def tell(self, text: str) -> None:
        """Print lines on standard error."""
        with suppress(OSError):  # nobody hears that standard error is full
            _put(self.err, page(text))

    def complain(self, text: str, below: str = "") -> None:
        """One line on standard error; ``below``: the lines of a traceback."""
        self.tell(f"budgetlint: {one_line(text)}\n{below}")

    def complain_of(self, crash: Crash) -> None:
        """For whoever reports it."""
        self.complain(crash.headline, crash.traceback)

    def read(self, name: str = "-") -> SourceFile:
        """Standard input as a text, in any locale. Raises `Misuse` where it is none."""
        buffer = getattr(self.stdin, "buffer", None)
        found = SourceFile(name, self.stdin.read()) if buffer is None else decode(name, buffer.read())
        if isinstance(found, UnreadableFile):
            raise Misuse(f"standard input {found.problem}: {found.cure}")
        return found

    def read_log(self) -> TextIO:
        """Standard input as what a program printed: bytes that are no UTF-8 are U+FFFD, as in a log that is a file."""
        buffer = getattr(self.stdin, "buffer", None)
        return self.stdin if buffer is None else TextIOWrapper(buffer, encoding="utf-8", errors="replace")


def _put(stream: TextIO, text: str) -> None:
    """What the stream's encoding lacks is shown as an escape, never an error."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def console(color: str = "auto") -> Console:
    """The real streams of this process. Raises `Misuse` where its working directory is gone."""
    try:
        root = Path.cwd()
    except OSError as error:
        raise Misuse(f"the working directory cannot be read ({error.strerror}): cd to one that is there") from None
    out, err, stdin = StandardOutput(sys.stdout), sys.stderr or Nowhere(), sys.stdin or Closed()
    return Console(cast("TextIO", out), cast("TextIO", err), cast("TextIO", stdin), os.environ, root, color)
