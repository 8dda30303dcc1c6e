"""What the constructors of a package's classes take, by release: `signatures/PACKAGE.json`, written by ``python -m signatures`` in
``benchmarks`` from the wheels.

A class is told only for the releases in which it takes no ``**kwargs``. Between two releases that were read only what both agree on is
known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path

from budgetlint.base.record import field, open_record
from budgetlint.contracts.releases import possible
from budgetlint.settings.run import Stack

DATA = Path(__file__).parent / "signatures"


@open_record
class Signature:
    """``names`` and ``above`` by the numbers of the releases; ``above`` is the class of another package whose fields are taken too."""

    package: str
    name: str
    releases: tuple[str, ...]
    told: frozenset[int]
    above: Mapping[str, frozenset[int]]
    names: Mapping[str, frozenset[int]] = field(repr=False)

    def takes(self, name: str, stack: Stack) -> bool | None:
        """Does the constructor take an argument of that name? None where releases that could run differ, or are not known."""
        numbers = possible(self.package, self.releases, stack)
        answers = {self._takes(name, number, stack) for number in numbers}
        return answers.pop() if len(answers) == 1 else None

    def _takes(self, name: str, number: int, stack: Stack) -> bool | None:
        if number not in self.told:
            return None
        if number in self.names.get(name, ()):
            return True
        for dotted, numbers in self.above.items():
            if number in numbers:
                higher = find(dotted)
                return higher.takes(name, stack) if higher is not None else None
        return False

    @cached_property
    def newest(self) -> frozenset[str]:
        """Names that the newest release takes, those of the class above too."""
        last = len(self.releases) - 1
        own = frozenset(name for name, numbers in self.names.items() if last in numbers)
        higher = [find(dotted) for dotted, numbers in self.above.items() if last in numbers]
        return own.union(*(one.newest for one in higher if one is not None))

    def history(self, name: str) -> tuple[str, str]:
        """The first of the releases read that takes a name, and the first after it that does not; empty for none."""
        numbers = sorted(self.names.get(name, ()))
        if not numbers:
            for dotted in self.above:
                higher = find(dotted)
                if higher is not None and higher.history(name)[0]:
                    return higher.history(name)
            return "", ""
        after = numbers[-1] + 1
        return self.releases[numbers[0]], self.releases[after] if after < len(self.releases) and after in self.told else ""

    def owner(self, name: str) -> str:
        """The package whose releases decide about a name."""
        if name not in self.names:
            for dotted in self.above:
                higher = find(dotted)
                if higher is not None and name in higher.names:
                    return higher.package
        return self.package


@cache
def signatures(package: str) -> Mapping[str, Signature]:
    """The classes of a package by name; empty where none was read."""
    path = DATA / f"{package}.json"
    if not path.is_file():
        return {}
    told = json.loads(path.read_text(encoding="utf-8"))
    releases = tuple(told["releases"])
    return {name: _signature(package, name, releases, one) for name, one in told["classes"].items()}


def _signature(package: str, name: str, releases: tuple[str, ...], told: Mapping[str, dict[str, str]]) -> Signature:
    last = len(releases) - 1
    names = {one: _numbers(spans, last) for spans, group in told["names"].items() for one in group.split()}
    above = {dotted: _numbers(spans, last) for dotted, spans in told["above"].items()}
    return Signature(package, name, releases, _numbers(str(told["told"]), last), above, names)


def _numbers(spans: str, last: int) -> frozenset[int]:
    """``"0-2 5-"``: 0, 1, 2 and 5 to the newest."""
    pairs = (one.split("-") for one in spans.split())
    return frozenset(number for first, end in pairs for number in range(int(first), (int(end) if end else last) + 1))


def find(dotted: str) -> Signature | None:
    """The signature of ``package.Name``; a module between the two does not matter."""
    package, _, rest = dotted.partition(".")
    return signatures(package).get(rest.rpartition(".")[2])
