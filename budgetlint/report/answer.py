"""A verdict in words: ``fits``, ``too close``, ``depends on trl``, ``incomplete: model``, ``not modelled: badam``; what is behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from budgetlint.base.plain_text import one_line
from budgetlint.base.units import gib
from budgetlint.memory.estimate import ANOTHER, BROKEN, DEPENDS, NOT_MODELLED, Estimate, Fork, ForkReading, Opened, Verdict
from budgetlint.memory.unmodelled import TABLE
from budgetlint.report.folded import FoldedLine, folded, of_every_verdict
from budgetlint.report.style import VERDICT_WORDS

FORKS, READINGS = 3, 4
"""So many forks, and readings of each, are told in text; JSON has all."""


class Answered(Protocol):
    """What an estimate and the verdict of a run have in common."""

    @property
    def verdict(self) -> Verdict: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def missing(self) -> tuple[str, ...]: ...
    @property
    def forks(self) -> tuple[Fork, ...]: ...
    @property
    def opened(self) -> tuple[Opened, ...]: ...


def parts(one: Answered) -> tuple[str, str]:
    """The words of the verdict, and what it names: ``("depends on", "trl")``, ``("fits", "")``."""
    if one.verdict is not Verdict.UNKNOWN:
        return VERDICT_WORDS[one.verdict], ""
    if one.reason == DEPENDS:
        return "depends on", " and ".join(one_line(opened.name) for opened in one.forks[0].settings)
    if one.reason == NOT_MODELLED:
        return "not modelled:", ", ".join(one_line(name) for name in one.missing if name in TABLE)
    return "incomplete:", ", ".join(_missing(one)) or "device"


def short(one: Answered) -> str:
    """In small letters, for tables and lists."""
    return " ".join(part for part in parts(one) if part)


def loud(one: Answered) -> str:
    """As the head of a bill has it: the words in capitals, names as they are."""
    words, names = parts(one)
    return f"{words.upper()} {names}" if names else words.upper()


def _missing(one: Answered) -> Iterator[str]:
    places = {opened.name: opened for opened in one.opened}
    for name in one.missing:
        shown = "the budget's errors" if name == BROKEN else one_line(name)
        opened = places.get(name)
        if opened is None or opened.place is None:
            yield shown
            continue
        said = f" {_as_read(opened.text)}" if opened.text and name != BROKEN else ""
        yield f"{shown} ({one_line(opened.place.file)}:{opened.place.line}{':' if said else ''}{said})"


HALF_READ = ("?(", " | ", " if ")
"""Marks of a value that was followed in part (`budgetlint.program`)."""


def _as_read(text: str) -> str:
    """As it is written. What the program makes of a value is no text of anybody's."""
    return "made by the program" if text.startswith("<") and any(mark in text for mark in HALF_READ) else one_line(text)


def unstarted(stops: Sequence[str]) -> str:
    """``does not start (BL205)``; empty for a run that starts as far as is known."""
    return f"does not start ({', '.join(stops)})" if stops else ""


def supposition(one: Estimate) -> Iterator[str]:
    """What the figures stand on where a name only suggests the model, and the line of a budget that would settle it."""
    if one.supposes is not None:
        yield f"supposes {one_line(one.supposes.text)} is {' or '.join(one.supposes.models)}, by its name"
        yield f"to settle it, {one_line(one.supposes.cure)}"


# -- forks -------------------------------------------------------------------------------------------------------------------


def fork_lines(one: Answered) -> list[str]:
    """``fits with 1.7 or newer (17.90 GiB), does not fit before (25.40 GiB)``: one line a fork, the names before all but the first. Of
    settings that decide together nothing more is said of each: it is open by itself."""
    shown = one.forks[: 1 if one.forks and len(one.forks[0].settings) > 1 else FORKS]
    lines = [fork_words(fork) for fork in shown]
    named = [f"{' and '.join(one_line(opened.name) for opened in fork.settings)}: " for fork in one.forks]
    return [line if at == 0 else f"also {named[at]}{line}" for at, line in enumerate(lines)]


def _under_a_supposition(fork: Fork, told: Sequence[ForkReading]) -> str:
    """Of a fork on a supposed model and on more: the model once, then how it is with the rest."""
    rest = Fork(fork.settings[1:], tuple(ForkReading(one.values[1:], one.because, one.need, one.verdict) for one in told))
    return f"if {one_line(fork.settings[0].text)} is {one_line(told[0].values[0])}: {fork_words(rest)}"


def fork_words(fork: Fork) -> str:
    told = [reading for reading in fork.readings if reading.values[0] != ANOTHER]
    if fork.settings[0].name == "model" and len(fork.settings) > 1:
        return _under_a_supposition(fork, told)
    if len(fork.settings) > 1:
        lines = folded(fork)
        said = [f"{_WORDS[line.shown.verdict]} with {_common(fork.settings, line)} ({gib(line.shown.need.bytes)})" for line in lines]
        verdicts = [line.shown.verdict for line in lines]
    else:
        newer = ("", *(reading.values[0] for reading in told))
        said = [
            f"{_WORDS[reading.verdict]} {_with(fork.settings[0], reading, before)} ({gib(reading.need.bytes)})"
            for reading, before in zip(told, newer, strict=False)
        ]
        verdicts = [reading.verdict for reading in told]
    more = len(said) - READINGS
    if more > 1:
        said = [*(said[at] for at in of_every_verdict(verdicts, READINGS)), f"and {more} readings more"]
    return ", ".join(said)


_WORDS = {**VERDICT_WORDS, Verdict.TIGHT: "is too close", Verdict.UNKNOWN: "open"}


def _with(opened: Opened, reading: ForkReading, newer: str) -> str:
    if opened.name == "model":
        return f"if {one_line(opened.text)} is {one_line(reading.values[0])}"
    return _of_one(reading.values[0], newer)


def _common(opened: Sequence[Opened], line: FoldedLine) -> str:
    return " and ".join(f"{one_line(opened[at].name)} {_plainly(value)}" for at, value in line.common)


def _of_one(value: str, newer: str) -> str:
    low, high = _versions(value)
    if low and not high:
        return f"with {low} or newer"
    if high and not low:
        return "before" if newer.startswith(f">={high}") else f"before {high}"
    return f"from {low} up to {high}" if low else f"with {one_line(value)}"


def _plainly(value: str) -> str:
    low, high = _versions(value)
    return f"{low} or newer" if low and not high else f"before {high}" if high and not low else one_line(value)


def _versions(value: str) -> tuple[str, str]:
    """Low and high end of ``>=0.20,<1.7``; nothing of a value that is no range of versions."""
    ends = value.split(",") if value.startswith((">=", "<")) else []
    low = next((end[2:] for end in ends if end.startswith(">=")), "")
    return low, next((end.lstrip("<=") for end in ends if end.startswith("<")), "")
