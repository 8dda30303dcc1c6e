"""Rules that are known by their metadata, and loaded when they are asked to look at something.

Most rules have nothing to say to a file: another framework's, or a setting that is not there. Of such a rule a row of its package's
index is enough; its module, with its manual, is imported at the first question that needs it. Importing all built-in rules takes 48 of
the 200 ms of a check of one file.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from importlib import import_module
from typing import Any

from budgetlint.base.finding import Confidence, Severity
from budgetlint.base.record import fields
from budgetlint.rules_api.rule import Rule

LATER = ("check", "manual")
"""What only the module itself knows."""

DEFAULTS = {one.name: one.default for one in fields(Rule) if one.name not in LATER}

Row = dict[str, Any]


class Shelved(Rule):
    """A rule whose ``check`` and ``manual`` come with its module. Equal only to itself."""

    __hash__ = object.__hash__

    def __init__(self, module: str, row: Row) -> None:
        kinds = {"severity": Severity[row["severity"]], "confidence": Confidence[row["confidence"]]}
        self.__dict__.update(row | kinds, _module=module)  # what a row does not say, the class has

    def __getattr__(self, name: str) -> Any:
        if name not in LATER:
            raise AttributeError(name)
        rule = import_module(self.__dict__["_module"]).RULE
        self.__dict__.update({later: getattr(rule, later) for later in LATER})
        return self.__dict__[name]

    def __eq__(self, other: object) -> bool:
        return self is other

    def problems(self) -> tuple[str, ...]:
        """None: a row is made of a rule that had none."""
        return ()


def row_of(rule: Rule) -> Row:
    """What the index keeps of a rule: everything but `LATER` that is not the default."""
    found = {name: getattr(rule, name) for name, default in DEFAULTS.items() if getattr(rule, name) != default}
    return {name: value.name if isinstance(value, Enum) else value for name, value in found.items()}


def shelved(package: str, modules: Iterable[str], index: dict[str, Row]) -> tuple[Rule, ...]:
    """The rules of a package's modules. One that the index does not know yet is imported."""
    return tuple(_one(f"{package}.{name}", index.get(name)) for name in modules)


def _one(module: str, row: Row | None) -> Rule:
    if row is not None:
        return Shelved(module, row)
    rule: Rule = import_module(module).RULE
    return rule
