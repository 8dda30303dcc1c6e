"""Color and characters of text output. Color only where a terminal shows it; the reader of the environment is the caller."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from budgetlint.base.expression import expression
from budgetlint.base.finding import Severity
from budgetlint.base.numerals import small
from budgetlint.base.plain_text import one_line
from budgetlint.base.record import record
from budgetlint.memory.estimate import Verdict

WIDTH = 100

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36", "magenta": "35"}

SEVERITY_INK = {Severity.ERROR: ("bold", "red"), Severity.WARNING: ("bold", "yellow"), Severity.INFO: ("bold", "cyan")}
VERDICT_INK = {
    Verdict.FITS: ("bold", "green"),
    Verdict.TIGHT: ("bold", "yellow"),
    Verdict.DOES_NOT_FIT: ("bold", "red"),
    Verdict.UNKNOWN: ("bold", "magenta"),
}
VERDICT_WORDS = {Verdict.FITS: "fits", Verdict.TIGHT: "too close", Verdict.DOES_NOT_FIT: "does not fit", Verdict.UNKNOWN: "unknown"}


@record
class TerminalStyle:
    """``color``: ANSI escapes; ``blocks``: the output can show block characters; ``width`` in columns; ``links``: words can be
    clicked."""

    color: bool = False
    blocks: bool = True
    width: int = WIDTH
    links: bool = False

    def ink(self, text: str, *names: str) -> str:
        if not self.color or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"

    def link(self, text: str, url: str) -> str:
        """The text as a link to a web page (OSC 8), where the terminal shows such links."""
        if not self.links or not url.startswith(("https://", "http://")) or not (url.isascii() and url.isprintable()):
            return text
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\"

    def severity(self, severity: Severity, text: str) -> str:
        return self.ink(text, *SEVERITY_INK[severity])

    def verdict(self, verdict: Verdict, text: str | None = None) -> str:
        return self.ink(VERDICT_WORDS[verdict] if text is None else text, *VERDICT_INK[verdict])


PLAIN = TerminalStyle()


def style_for(choice: str, *, terminal: bool, environ: Mapping[str, str], encoding: str = "utf-8") -> TerminalStyle:
    """The style of a stream. ``choice`` is ``auto``, ``always`` or ``never``; ``auto`` heeds ``NO_COLOR``, ``FORCE_COLOR`` and
    ``TERM=dumb`` (https://no-color.org: any value that is not empty counts)."""
    wanted = terminal and environ.get("TERM") != "dumb"
    if environ.get("FORCE_COLOR"):
        wanted = True
    if environ.get("NO_COLOR"):
        wanted = False
    color = {"always": True, "never": False}.get(choice, wanted)
    return TerminalStyle(
        color, blocks=encoding.lower().replace("-", "").startswith("utf"), links=color and terminal and shows_links(environ)
    )


LINKING = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby", "mintty"})
"""Values of ``TERM_PROGRAM`` whose terminals show OSC 8 links; no terminal can be asked."""


def shows_links(environ: Mapping[str, str]) -> bool:
    """By what the terminal says of itself; ``FORCE_HYPERLINK`` decides where it is set (0: no links)."""
    if forced := environ.get("FORCE_HYPERLINK"):
        return forced != "0"
    version = environ.get("VTE_VERSION", "")
    return (
        environ.get("TERM_PROGRAM") in LINKING
        or (small(version) or 0) >= 5000
        or any(name in environ for name in ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM"))
    )


def cells(text: str) -> int:
    """How many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    others = _NO_ASCII.findall(text)
    return len(text) - len(others) + sum(map(_cells, others))


_NO_ASCII = expression(r"[^\x00-\x7f]")


@lru_cache(maxsize=4096)
def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """A sentence in lines of at most ``width``; long words (paths, URLs) are never split."""
    from textwrap import wrap  # 1 ms, and only a page with findings needs it

    said = one_line(text)
    lines = wrap(said, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
    return lines or [first.rstrip()]


def padded(text: str, width: int) -> str:
    """The text with blanks behind it, as many as a column of so many terminal columns takes."""
    return text + " " * (width - cells(text))


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 error``, ``2 errors``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
