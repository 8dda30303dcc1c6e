"""A run beside a contract: which releases refuse, and what a field is that nobody writes."""

from __future__ import annotations

import pytest

from budgetlint.contracts.held import HeldRun, candidates
from budgetlint.contracts.table import Contract, RefusalRow, find
from budgetlint.settings.run import Origin, OriginKind, Setting, Stack, release

ORIGIN = Origin(OriginKind.FILE)
CONTRACT = Contract(
    "trl",
    "SFTConfig",
    ("1.0", "2.0", "3.0"),
    (
        RefusalRow("steps < 0", "raise", {0: "a.py:1", 1: "a.py:2"}),
        RefusalRow("steps < 1", "raise", {2: "a.py:3"}),
        RefusalRow("packing and not length", "raise", {0: "a.py:4", 1: "a.py:5", 2: "a.py:6"}),
        RefusalRow("beta * env.world_size > 4", "raise", {2: "a.py:7"}),
    ),
    {
        "steps": [[0, "int", 1]],
        "packing": [[0, "bool", False]],
        "length": [[0, "int", 1024], [2, "int | None", None]],
        "beta": [[0, "float", 0.1]],
    },
)


def stack(version: str) -> Stack:
    found = release("trl", version, ORIGIN) if version else None
    return Stack({"trl": found}) if found else Stack()


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("", (0, 1, 2)), ("0.9", ()), ("1.0", (0,)), ("1.5", (0, 1)), ("2.0", (1,)), ("2.5", (1, 2)), ("3.0", (2,)), ("3.9", (2,))],
)
def test_the_releases_that_tell(version: str, numbers: tuple[int, ...]) -> None:
    assert candidates(CONTRACT, stack(version)) == numbers


def told(version: str, closed: bool = True, world: int | None = None, **given: object) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    settings = {name: Setting(name, value, ORIGIN, str(value)) for name, value in given.items()}
    facts = {} if world is None else {"world_size": world}
    one = HeldRun(CONTRACT, settings.get, stack(version), closed, facts)
    return [(refusal.releases, refusal.others) for refusal in one.refusals(tuple(given))]


def test_one_refusal_in_two_wordings_is_one() -> None:
    assert told("", steps=-1) == [(("1.0", "2.0", "3.0"), ())]
    assert told("", steps=0) == [(("3.0",), ("1.0", "2.0"))]
    assert told("2.0", steps=0) == []


def test_a_default_counts_where_nobody_else_gives_it() -> None:
    assert told("3.0", packing=True) == [(("3.0",), ())]
    assert told("2.0", packing=True) == []
    assert told("3.0", closed=False, packing=True) == []


def test_the_number_of_processes_is_asked_of_the_run() -> None:
    assert told("3.0", beta=1.0) == []
    assert told("3.0", world=8, beta=1.0) == [(("3.0",), ())]


def test_nothing_is_told_of_what_nobody_wrote() -> None:
    assert told("3.0", other=1) == []


def test_the_committed_tables_load() -> None:
    for name in ("transformers.TrainingArguments", "trl.SFTConfig", "trl.GRPOConfig"):
        contract = find(name)
        assert contract is not None
        assert contract.rows
        for row in contract.rows:
            assert row.tree is not None
            assert all(0 <= number < len(contract.releases) for number in row.at)
