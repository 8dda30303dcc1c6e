"""GitHub-flavoured Markdown from text that may hold anything: nothing in it becomes markup, a link, a mention or a new line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from budgetlint.report.style import clean

_MARKUP = re.compile(r"([\\`*_\[\]~|$])")
_RUN_OF_TICKS = re.compile("`+")


def plain(text: str) -> str:
    """One line of words. ``@`` gets an invisible neighbour, so that nobody is called by a config."""
    words = clean(" ".join(text.split())).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKUP.sub(r"\\\1", words).replace("@", "@<!-- -->").replace("://", ":<!-- -->//")


def code(text: str) -> str:
    """One line as it is; empty stays empty."""
    words = clean(" ".join(text.split()))
    if not words:
        return ""
    ticks = "`" * (1 + max((len(run) for run in _RUN_OF_TICKS.findall(words)), default=0))
    pad = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{ticks}{pad}{words}{pad}{ticks}"


def cell(text: str) -> str:
    """Code in a table, where a pipe ends the cell even between ticks, and a backslash before it cannot be escaped there."""
    return f"<code>{plain(text)}</code>" if "|" in text else code(text)


def html_code(text: str) -> str:
    """Code within an HTML line, such as a ``<summary>``."""
    return f"<code>{html(text)}</code>"


def html(text: str) -> str:
    """One line of words within an HTML block, where Markdown is not read."""
    words = clean(" ".join(text.split()))
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "@<!-- -->")


def block(lines: Iterable[str]) -> str:
    """A fenced block; the fence is longer than any in it."""
    text = "\n".join(clean(line) for line in lines)
    ticks = "`" * max(3, 1 + max((len(run) for run in _RUN_OF_TICKS.findall(text)), default=0))
    return f"{ticks}text\n{text}\n{ticks}"


def table(columns: Iterable[tuple[str, str]], rows: Iterable[Iterable[str]]) -> str:
    """``columns`` are headings with their alignment: ``---`` or ``---:``."""
    heads, lines = zip(*columns, strict=True)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, lines, *rows))


def details(summary: str, body: str) -> str:
    """Collapsed; ``summary`` is HTML."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"
