"""``budget.lock``: measured lines beside the budget, in its language. Written by the probe, read by `check`, kept in version control."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from budgetlint.base.record import record

if TYPE_CHECKING:
    from budgetlint.language.budget import Measured

HEAD = "# What was measured; `budgetlint check` compares the estimates with it. `budgetlint probe --record` writes these lines.\n"


@record
class LockEntry:
    """What one record says. ``figures`` are bytes by name; ``settings`` what tells this cell of a matrix from others."""

    run: str
    target: str | None
    outcome: str
    figures: Mapping[str, int]
    metric: str
    phase: str
    device: str
    torch: str
    date: datetime.date
    config: str
    settings: Mapping[str, str]

    @property
    def line(self) -> str:
        return " ".join(("measured", *self._words()))

    def _words(self) -> Iterable[str]:
        if self.outcome == "oom":
            yield "oom"
        elif not self.figures:
            yield "fits"
        yield f"run={_quoted(self.run)}"
        if self.target:
            yield f"target={self.target}"
        yield from (f"{name}={text}" for name, text in self.settings.items())
        yield from (f"{name}={size}B" for name, size in self.figures.items())
        texts = {"metric": self.metric, "phase": self.phase, "device": self.device, "torch": self.torch}
        yield from (f"{name}={_quoted(text)}" for name, text in texts.items() if text)
        yield f"date={self.date.isoformat()}"
        yield f"config={self.config}"


def with_entries(text: str, entries: Iterable[LockEntry], written: Iterable[Measured]) -> str:
    """The text of a lock with these entries; each takes the place of the line about the same run, target, cell and device.
    ``written`` are the lines that ``text`` holds; everything else in it stays."""
    entries = list(entries)
    replaced = [line for line in written if any(_same_place(line, entry) for entry in entries)]
    kept = _without(text, replaced) if text else HEAD
    end = "" if kept.endswith("\n") else "\n"
    return kept + end + "".join(f"{entry.line}\n" for entry in entries)


def _same_place(line: Measured, entry: LockEntry) -> bool:
    facts = line.facts
    mine = {name: text for name, text in facts.items() if name in entry.settings}
    return (
        facts.get("run") == entry.run
        and facts.get("target") == entry.target
        and facts.get("device", "") == entry.device
        and facts.get("phase", "") == entry.phase
        and mine == dict(entry.settings)
    )


def _without(text: str, lines: Iterable[Measured]) -> str:
    """From the last to the first, each with its line end."""
    spans = [line.origin.span for line in lines if line.origin.span is not None]
    for span in sorted(spans, key=lambda one: -one.start):
        end = span.end + (text[span.end : span.end + 1] == "\n")
        text = text[: span.start] + text[end:]
    return text


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
