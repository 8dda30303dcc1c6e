"""The contracts of a package as they are committed: `data/PACKAGE.json`, written by ``python -m contracts`` in ``benchmarks``.

A contract has the fields of a class (or of the classes that one parser fills) and rows: conditions over them that end in an
exception or a warning. Both are told for the releases that were read; what lies between two of them is known where both agree.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from budgetlint.base.record import field, open_record, record
from budgetlint.contracts.expression import parse
from budgetlint.contracts.names import GIVEN, dotted, fields_of, outermost

DATA = Path(__file__).parent / "data"
MISSING = "__missing__"
"""The default of a field that has none, or none that is a constant."""


@record
class Spec:
    """One field in one release. ``choices`` None for any value."""

    type: str
    default: Any = MISSING
    choices: tuple[Any, ...] | None = None


@open_record
class RefusalRow:
    """One refusal or warning. ``at`` gives ``file:line`` by the number of the release; a release that is not in it has no such row."""

    when: str
    ends: str
    """``raise``, ``assert``, ``choice``, ``bound``, ``type`` or ``warn``."""
    at: Mapping[int, str]
    stage: str = "arguments"
    dotted: bool = False
    """Are names with dots fields themselves, of a config that is a tree?"""

    @cached_property
    def tree(self) -> ast.expr:
        return parse(self.when)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields it asks for, those that are switched on before those that are compared, those that are off last; of
        nested ones the outermost."""
        found = [name.removeprefix(GIVEN) for name in fields_of(self.tree)]
        names = dict.fromkeys((name for name in found if not name.startswith("env.")) if self.dotted else map(outermost, found))
        parts = self.tree.values if isinstance(self.tree, ast.BoolOp) and isinstance(self.tree.op, ast.And) else [self.tree]
        switched = {name.removeprefix(GIVEN) for name in map(dotted, parts) if name is not None}
        off = {
            name.removeprefix(GIVEN) for one in parts if isinstance(one, ast.UnaryOp) for name in [dotted(one.operand)] if name is not None
        }
        return tuple(sorted(names, key=lambda name: 0 if name in switched else 2 if name in off else 1))

    @property
    def warns(self) -> bool:
        return self.ends == "warn"


@open_record
class Contract:
    """``above`` names the contract whose rows hold here too, ``package.Name``; empty for none."""

    package: str
    name: str
    releases: tuple[str, ...]
    rows: tuple[RefusalRow, ...]
    specs: Mapping[str, Sequence[Sequence[Any]]] = field(repr=False)
    above: str = ""
    dotted: bool = False
    """Is the config a tree, each field named by its path?"""
    lenient: bool = False
    """Does every release take names that it does not know?"""

    @cached_property
    def by_field(self) -> Mapping[str, tuple[RefusalRow, ...]]:
        found: dict[str, list[RefusalRow]] = {}
        for row in self.rows:
            for name in row.fields:
                found.setdefault(name, []).append(row)
        return {name: tuple(rows) for name, rows in found.items()}

    def spec(self, name: str, release: int) -> Spec | None:
        """The field as the release of that number has it; None where it has none."""
        current: Sequence[Any] | None = None
        for span in self.specs.get(name, ()):
            if span[0] > release:
                break
            current = span
        if current is None or current[1] is None:
            return None
        return Spec(current[1], current[2], tuple(current[3]) if len(current) > 3 else None)

    @cached_property
    def read(self) -> tuple[int, ...]:
        """The releases that have it and whose code was read, by number."""
        last = len(self.releases)
        return tuple(number for number in range(last) if any(self.spec(name, number) is not None for name in self.specs)) or tuple(
            range(last)
        )

    def takes(self, name: str) -> tuple[int, ...]:
        """The releases that know the field, by number."""
        return tuple(number for number in range(len(self.releases)) if self.spec(name, number) is not None)


def packages() -> tuple[str, ...]:
    """Names of the packages that were read."""
    return tuple(sorted(path.stem for path in DATA.glob("*.json")))


@cache
def package(name: str) -> Mapping[str, Contract]:
    """The contracts of a package by name; empty where none was read."""
    path = DATA / f"{name}.json"
    if not path.is_file():
        return {}
    told = json.loads(path.read_text(encoding="utf-8"))
    releases = tuple(told["releases"])
    return {key: _contract(name, key, releases, one) for key, one in told["contracts"].items()}


def _contract(package_name: str, name: str, releases: tuple[str, ...], told: Mapping[str, Any]) -> Contract:
    dotted_too = any("." in one for one in told["fields"])
    rows = tuple(
        RefusalRow(row[0], row[1], {int(number): at for number, at in row[2].items()}, row[3] if len(row) > 3 else "arguments", dotted_too)
        for row in told["rows"]
    )
    return Contract(package_name, name, releases, rows, told["fields"], told.get("above", ""), dotted_too, told.get("lenient", False))


def find(dotted: str) -> Contract | None:
    """The contract of ``package.Name``."""
    package_name, _, name = dotted.partition(".")
    return package(package_name).get(name)
