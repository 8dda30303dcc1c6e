"""A run beside the contracts it is held to: which rows hold of what it writes, in which releases.

A run is held to the contract of the class that its keys are given to. A field that nobody writes has its class's default only where
the program that reads the keys is known; else it is not known, and a row over it says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from budgetlint.base.record import field, open_record, record, replace
from budgetlint.contracts.expression import UNKNOWN, holds
from budgetlint.contracts.names import GIVEN
from budgetlint.contracts.releases import possible
from budgetlint.contracts.table import MISSING, Contract, RefusalRow, Spec, find
from budgetlint.contracts.texts import coerced
from budgetlint.settings.run import Setting, Stack

DEEPEST = 6
"""Defaults that follow each other."""

Given = Callable[[str], Setting | None]
"""What is written of a field; None where nobody writes it."""


@record
class Refusal:
    """A row that holds. ``releases`` are those in which it does, newest last; ``others`` are those that could run and do not refuse.
    ``named`` are the fields of its condition with their values, in the order of the condition; a written one has its setting."""

    contract: Contract
    row: RefusalRow
    releases: tuple[str, ...]
    others: tuple[str, ...]
    named: tuple[tuple[str, Any, Setting | None], ...]

    @property
    def written(self) -> tuple[str, ...]:
        """Names of the fields of its condition that somebody wrote."""
        return tuple(name for name, _, setting in self.named if setting is not None)

    @property
    def source(self) -> str:
        """``transformers 5.24.0 training_args.py:1733``, of the newest release that has it."""
        number = max(number for number, release in enumerate(self.contract.releases) if release in self.releases and number in self.row.at)
        return f"{self.contract.package} {self.contract.releases[number]} {self.row.at[number].partition('/')[2]}"


@open_record
class HeldRun:
    """What one run writes, held to a contract and to those above it.

    ``closed``: nobody else gives fields, so what is not written has its default. ``facts`` are known numbers beside the fields
    (``world_size``)."""

    contract: Contract
    given: Given
    stack: Stack
    closed: bool
    facts: Mapping[str, Any] = field(default_factory=dict)

    def refusals(self, written: Sequence[str]) -> Iterator[Refusal]:
        """Rows over at least one of the written fields that hold, in the order in which the class meets them.

        What another release refuses by a condition in other words is one refusal, told by the newer one."""
        for contract in lineage(self.contract):
            asked = {id(row) for name in written for row in contract.by_field.get(name, ())}
            found = [one for row in contract.rows if id(row) in asked for one in self._of(contract, row, written)]
            groups: dict[tuple[object, ...], list[Refusal]] = {}
            for one in found:
                groups.setdefault((one.row.warns, *one.written), []).append(one)
            for one in found:
                alike = groups[one.row.warns, *one.written]
                last = max(alike, key=lambda each: contract.releases.index(each.releases[-1]))
                if one is last:
                    yield _together(alike, last)

    def _of(self, contract: Contract, row: RefusalRow, all_written: Sequence[str]) -> Iterator[Refusal]:
        every = candidates(contract, self.stack)
        possible = [number for number in every if _takes_all(contract, all_written, number)] or every
        refusing = [number for number in possible if number in row.at and holds(row.tree, self._lookup(contract, number)) is True]
        if not refusing:
            return
        named = tuple((name, self.value(contract, name, refusing[-1]), self.given(name)) for name in row.fields)
        if all(setting is None for _, _, setting in named):
            return
        written = [name for name, _, setting in named if setting is not None]
        others = tuple(contract.releases[number] for number in possible if number not in refusing and _could_run(contract, written, number))
        yield Refusal(contract, row, tuple(contract.releases[number] for number in refusing), others, named)

    def _lookup(self, contract: Contract, release: int) -> Callable[[str], Any]:
        def lookup(dotted: str) -> Any:
            name, _, rest = dotted.removeprefix(GIVEN).partition(".")
            if name == "env" and rest.startswith("release "):
                answer = self.stack.at_least(*rest.split()[1:3])
                return UNKNOWN if answer is None else answer
            if name == "env":
                return self.facts.get(rest, UNKNOWN)
            if contract.dotted:
                name, rest = f"{name}.{rest}" if rest else name, ""
            unwritten = dotted.startswith(GIVEN) and self.closed and self.given(name) is None
            value = None if unwritten else self.value(contract, name, release)
            for part in rest.split(".") if rest else ():
                if value is UNKNOWN or not isinstance(value, dict):
                    return UNKNOWN
                value = value.get(part)
            return value

        return lookup

    def value(self, contract: Contract, name: str, release: int, depth: int = 0) -> Any:
        """What the class has in a field when it looks at it; `UNKNOWN` where that is not known. ``${a.b}`` is a default that follows
        another field."""
        spec = self._spec(contract, name, release)
        setting = self.given(name)
        if setting is not None:
            if not setting.known:
                return UNKNOWN
            return coerced(setting, spec, tree=contract.dotted)
        if not self.closed or spec is None or spec.default == MISSING:
            return UNKNOWN
        if contract.dotted and isinstance(spec.default, str) and spec.default.startswith("${") and depth < DEEPEST:
            return self.value(contract, spec.default[2:-1], release, depth + 1)
        return spec.default

    def _spec(self, contract: Contract, name: str, release: int) -> Spec | None:
        """As the run's own class has it, else the class above: ``SFTConfig`` has a default of its own for ``logging_steps``."""
        for one in lineage(self.contract):
            number = release if one is contract else _newest(candidates(one, self.stack))
            found = one.spec(name, number) if number is not None else None
            if found is not None:
                return found
        return None


def _takes_all(contract: Contract, written: Sequence[str], release: int) -> bool:
    """A release that lacks a name which another has stops at that name, whatever else is written: it is not the one that is meant."""
    return contract.lenient or all(contract.spec(name, release) is not None for name in written if name in contract.specs)


def _could_run(contract: Contract, written: Sequence[str], release: int) -> bool:
    """A tree's keys and a program's flags are taken or refused by name: a release that has not all of them is not the one that runs."""
    return (
        not contract.dotted
        or contract.lenient
        or all(contract.spec(name, release) is not None for name in written if name in contract.specs)
    )


def _together(alike: Sequence[Refusal], last: Refusal) -> Refusal:
    """The last of refusals of the same written fields, with the releases of all."""
    refusing = {release for one in alike for release in one.releases}
    ordered = tuple(release for release in last.contract.releases if release in refusing)
    return replace(last, releases=ordered, others=tuple(release for release in last.others if release not in refusing))


def _newest(numbers: Sequence[int]) -> int | None:
    return numbers[-1] if numbers else None


def lineage(contract: Contract) -> Iterator[Contract]:
    """A contract and those above it."""
    current: Contract | None = contract
    while current is not None:
        yield current
        current = find(current.above) if current.above else None


def candidates(contract: Contract, stack: Stack) -> tuple[int, ...]:
    """Numbers of the contract's releases that tell what the run's release does."""
    read = contract.read
    return tuple(read[number] for number in possible(contract.package, [contract.releases[number] for number in read], stack))
