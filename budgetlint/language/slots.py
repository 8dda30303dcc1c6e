"""The vocabulary of the statement table: what a value is, what an option is, where a statement may stand."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.record import record

FILE, TARGET, RUN = "file", "target", "run"
PLACES = (FILE, TARGET, RUN)
EVERYWHERE = PLACES
RUNS = (FILE, RUN)
PLACE_NAMES = {FILE: "the top level", TARGET: "a target", RUN: "a run"}

KINDS = {
    "amount": "an amount such as 32GiB",
    "share": "an amount such as 3GiB or a percentage such as 5%",
    "percent": "a percentage such as 8%",
    "count": "a whole number of at least 1",
    "whole": "a whole number",
    "number": "a number",
    "choice": "one of",
    "switch": "on or off",
    "name": "a name",
    "text": "a text",
    "path": "a path",
    "date": "a date such as 2027-01-31",
    "version": "a version in quotes",
    "duration": "seconds such as 30s",
    "device": "a card's or machine's name, or an amount",
    "model": "a model name, a hub id or a path",
    "optimizer": "an optimizer name",
    "package": "package@version",
    "rule": "a rule name, code or family",
    "target": "a target's name",
    "hash": "a hash such as sha256:3f7a90c1d2e4b5a6",
    "command": "a command as a shell takes it",
    "any": "a value",
}


@record
class Slot:
    """One value or option.

    ``kind`` is a key of `KINDS`; ``choices`` closes a choice. ``setting`` is the run's setting that the value becomes, as
    it stands; where more is needed the resolver does it. ``many``: a list, or (for values) any number of them.
    ``synonyms`` are other tools' names of an option.
    """

    name: str
    kind: str
    meaning: str = ""
    choices: tuple[str, ...] = ()
    setting: str = ""
    many: bool = False
    required: bool = True
    synonyms: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """What belongs here, for people."""
        if self.choices and len(self.choices) <= 12:
            words = [*self.choices]
            return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        return f"a {self.name}" if self.choices else KINDS[self.kind]


@record
class StatementSpec:
    """One row of the statement table. ``keys``: its block holds ``setting=key`` lines, not statements. ``free``: options beyond the listed
    ones (``setting``, ``any`` or none)."""

    keyword: str
    meaning: str
    example: str
    places: tuple[str, ...]
    values: tuple[Slot, ...] = ()
    options: tuple[Slot, ...] = ()
    repeatable: bool = False
    block: bool = False
    keys: bool = False
    free: str = ""
    needs_option: bool = False
    synonyms: tuple[str, ...] = ()
    group: str = ""

    def option(self, key: str) -> Slot | None:
        return next((option for option in self.options if option.name == key), None)

    @property
    def usage(self) -> str:
        """``batch N [accum=N images=N]``."""
        values = [slot.name if slot.required else f"[{slot.name}]" for slot in self.values]
        values = [f"{text}…" if slot.many else text for text, slot in zip(values, self.values, strict=True)]
        options = " ".join(f"{option.name}=" for option in self.options)
        wrapped = options if self.needs_option else f"[{options}]"
        return " ".join(
            [
                self.keyword,
                *values,
                *([wrapped] if options else []),
                *(["{ setting=key … }"] if self.keys else ["{ … }"] if self.block else []),
            ]
        )


# -- options in short, for the rows ---------------------------------------------------------------------------------------


def amount(name: str, meaning: str) -> Slot:
    """An optional amount of memory."""
    return Slot(name, "amount", meaning, required=False)


def switch(name: str, meaning: str, setting: str = "", *synonyms: str) -> Slot:
    return Slot(name, "switch", meaning, setting=setting, required=False, synonyms=synonyms)


def count(name: str, meaning: str, setting: str = "", *synonyms: str) -> Slot:
    return Slot(name, "count", meaning, setting=setting, required=False, synonyms=synonyms)


def choice(name: str, meaning: str, choices: Iterable[str], setting: str = "", *synonyms: str) -> Slot:
    return Slot(name, "choice", meaning, tuple(choices), setting, required=False, synonyms=synonyms)
