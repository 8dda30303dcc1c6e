"""A rule's manual page: the sections of its docstring, and the examples in it, which are tests.

The page is Markdown. Its first paragraph is one sentence that says what is wrong. Then ``## What it costs``, ``## Failing``,
``## Passing`` (each example one or more fenced blocks, whose info string is ``yaml train.yaml``: language and file name, or
``budget`` for the text of the budget), and ``## Sources``. Further sections are free.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping

from budgetlint.base.record import open_record, record

REQUIRED = ("What it costs", "Failing", "Passing", "Sources")

_HEADING = re.compile(r"^## (.+?)\s*$", re.MULTILINE)
_FENCE = re.compile(r"^```(\w+)(?:[ ]+(\S+))?[ ]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)


@record
class Example:
    """The files of one example, and the budget text (None when it has none)."""

    files: Mapping[str, str]
    budget: str | None


@open_record
class Manual:
    """``summary`` is the first paragraph on one line, ``lead`` what stands before the first heading after it."""

    summary: str
    lead: str
    sections: Mapping[str, str]

    def missing(self) -> tuple[str, ...]:
        """The required sections that are absent or empty."""
        return tuple(name for name in REQUIRED if not self.sections.get(name, "").strip())

    def example(self, section: str) -> Example | None:
        """The example of ``Failing`` or ``Passing``; None when the section has no fenced block."""
        blocks = list(_FENCE.finditer(self.sections.get(section, "")))
        if not blocks:
            return None
        files = {block[2] or f"train.{block[1]}": block[3] for block in blocks if block[1] != "budget"}
        return Example(files, next((block[3] for block in blocks if block[1] == "budget"), None))


def read_manual(docstring: str) -> Manual:
    text = inspect.cleandoc(docstring or "")
    parts = _HEADING.split(text)
    paragraphs = parts[0].strip().split("\n\n", 1)
    sections = {parts[at]: parts[at + 1].strip("\n") for at in range(1, len(parts) - 1, 2)}
    return Manual(" ".join(paragraphs[0].split()), paragraphs[1].strip() if len(paragraphs) > 1 else "", sections)


def prose_and_code(text: str) -> Iterator[tuple[str, str]]:
    """``("prose", text)`` and ``("code", text)`` pieces of a section, in order; code without its fences."""
    at = 0
    for block in _FENCE.finditer(text):
        if text[at : block.start()].strip():
            yield "prose", text[at : block.start()].strip("\n")
        yield "code", (f"# {block[2]}\n" if block[2] else "") + block[3].rstrip("\n")
        at = block.end()
    if text[at:].strip():
        yield "prose", text[at:].strip("\n")
