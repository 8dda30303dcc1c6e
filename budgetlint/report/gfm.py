"""GitHub-flavoured Markdown from text that may hold anything: nothing in it becomes markup, a link, a mention or a new line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from budgetlint.base.plain_text import one_line

_MARKUP = re.compile(r"([\\`*_\[\]~|$])")
_RUN_OF_TICKS = re.compile("`+")


def plain(text: str) -> str:
    """One line of words: nobody is called by a config, and nothing is linked."""
    words = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return _unlinked(_MARKUP.sub(r"\\\1", words))


_LINKED = re.compile(r"(?<=@)|(?<=:)(?=//)|(?<=#)(?=\d)|(?<=www)(?=\.)", re.IGNORECASE)


def _unlinked(words: str) -> str:
    """GitHub makes links of mentions, addresses and ``#12`` in plain words, too
    (https://github.github.com/gfm/#autolinks-extension-): an empty comment stands where it looks."""
    return _LINKED.sub("<!-- -->", words)


def code(text: str) -> str:
    """One line as it is; empty stays empty."""
    words = one_line(text).strip()
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
    return _unlinked(one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def block(lines: Iterable[str]) -> str:
    """A fenced block; the fence is longer than any in it."""
    text = "\n".join(one_line(line) for line in lines)
    ticks = "`" * max(3, 1 + max((len(run) for run in _RUN_OF_TICKS.findall(text)), default=0))
    return f"{ticks}text\n{text}\n{ticks}"


def table(columns: Iterable[tuple[str, str]], rows: Iterable[Iterable[str]]) -> str:
    """``columns`` are headings with their alignment: ``---`` or ``---:``."""
    heads, lines = zip(*columns, strict=True)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, lines, *rows))


def details(summary: str, body: str) -> str:
    """Collapsed; ``summary`` is HTML."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"
