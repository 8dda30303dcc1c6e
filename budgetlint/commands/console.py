"""The streams and the environment of one command-line call: the only place that prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from budgetlint.commands.streams import Closed, Nowhere, Sink
from budgetlint.record import open_record

if TYPE_CHECKING:
    from budgetlint.report.style import Style


class Misuse(Exception):
    """The command was called wrongly: its message says what to do; exit code 2."""


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
    def style(self) -> Style:
        from budgetlint.report.style import style_for  # brings in what only reports need

        terminal = bool(getattr(self.out, "isatty", lambda: False)())
        return style_for(self.color, terminal=terminal, environ=self.environ, encoding=getattr(self.out, "encoding", None) or "utf-8")

    def write(self, text: str) -> None:
        """Print text as it is; what the stream's encoding lacks is shown as an escape, never an error."""
        encoding = getattr(self.out, "encoding", None) or "utf-8"
        self.out.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def line(self, text: str = "") -> None:
        self.write(text + "\n")

    def complain(self, text: str) -> None:
        with suppress(OSError):  # nobody hears that standard error is full
            self.err.write(f"budgetlint: {text}\n")


def console(color: str = "auto") -> Console:
    """The real streams of this process. Raises `Misuse` where its working directory is gone."""
    try:
        root = Path.cwd()
    except OSError as error:
        raise Misuse(f"the working directory cannot be read ({error.strerror}): cd to one that is there") from None
    out, err, stdin = Sink(sys.stdout), sys.stderr or Nowhere(), sys.stdin or Closed()
    return Console(cast("TextIO", out), cast("TextIO", err), cast("TextIO", stdin), os.environ, root, color)
