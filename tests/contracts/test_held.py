"""A run beside a contract: which releases refuse, and what a field is that nobody writes."""

from __future__ import annotations

import pytest

from budgetlint.contracts.expression import UNKNOWN
from budgetlint.contracts.held import HeldRun, candidates
from budgetlint.contracts.table import Contract, RefusalRow, Spec, package, packages
from budgetlint.contracts.texts import coerced
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


def test_what_was_written_is_asked_apart_from_the_default() -> None:
    contract = Contract(
        "p",
        "C",
        ("1.0",),
        (RefusalRow("given.warm and steps", "raise", {0: "a.py:1"}),),
        {"warm": [[0, "float", 0.1]], "steps": [[0, "int", 1]]},
    )

    def refused(closed: bool, **given: float) -> int:
        settings = {name: Setting(name, value, ORIGIN, str(value)) for name, value in given.items()}
        return len(list(HeldRun(contract, settings.get, Stack(), closed).refusals(tuple(given))))

    assert contract.rows[0].fields == ("warm", "steps")
    assert refused(True, steps=2) == 0  # nobody wrote ``warm``, so its default does not count
    assert refused(False, steps=2) == 0
    assert refused(True, steps=2, warm=0.1) == 1
    assert refused(True, warm=0.1) == 1


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("2", "int", 2),
        ("1e-4", "float | None", 0.0001),
        ("false", "bool", False),
        ("0", "bool | None", False),
        ("a", "List[str]", ["a"]),
        ("a", "str | None", "a"),
        ("3", "int | str", "3"),
        ("false", "bool | str", UNKNOWN),
        ("zz", "int", UNKNOWN),
    ],
)
def test_a_flag_is_a_value_of_its_type(text: str, wanted: str, value: object) -> None:
    setting = Setting("name", text, Origin(OriginKind.FLAG), text)
    assert coerced(setting, Spec(wanted)) == value
    assert type(coerced(setting, Spec(wanted))) is type(value)


@pytest.mark.parametrize("name", packages())
def test_the_committed_tables_load(name: str) -> None:
    contracts = package(name).values()
    assert any(contract.rows for contract in contracts)
    for contract in contracts:
        for row in contract.rows:
            assert row.tree is not None
            assert row.fields
            assert all(0 <= number < len(contract.releases) for number in row.at)


TREE = Contract(
    "trl",
    "program",
    ("1.0", "2.0"),
    (
        RefusalRow("data.batch < actor.mini and not actor.dynamic", "raise", {0: "a.py:1", 1: "a.py:2"}, dotted=True),
        RefusalRow("actor.mode == 'fast' and critic.mini > 4", "raise", {1: "a.py:3"}, dotted=True),
        RefusalRow("new.on and data.batch > 8", "raise", {1: "a.py:4"}, dotted=True),
    ),
    {
        "data.batch": [[0, "int", 8]],
        "actor.mini": [[0, "int", 4]],
        "actor.dynamic": [[0, "bool", False]],
        "actor.mode": [[0, "str", "slow"]],
        "critic.mini": [[0, "int", "${actor.mini}"]],
        "new.on": [[1, "bool", False]],
    },
    dotted=True,
)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"data.batch": "2"}, [(("1.0", "2.0"), ())]),
        ({"data.batch": "2", "actor.dynamic": "true"}, []),
        ({"actor.mode": "fast", "actor.mini": "5"}, [(("2.0",), ("1.0",))]),  # the critic's follows the actor's
        ({"actor.mode": "fast", "actor.mini": "5", "critic.mini": "1"}, []),
        ({"actor.mode": "fast", "critic.mini": "[1]"}, []),
        ({"new.on": True, "data.batch": "9"}, [(("2.0",), ())]),  # 1.0 has no such key, so it is not what runs
    ],
)
def test_a_config_that_is_a_tree(given: dict[str, object], said: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
    settings = {name: Setting(name, value, ORIGIN, str(value)) for name, value in given.items()}
    one = HeldRun(TREE, settings.get, stack(""), True)
    assert [(refusal.releases, refusal.others) for refusal in one.refusals(tuple(given))] == said


def test_what_is_only_off_is_named_last() -> None:
    assert RefusalRow("not a and b < c and d", "raise", {}).fields == ("d", "b", "c", "a")


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("2", "int", 2),
        ("2.5", "int", UNKNOWN),
        ("null", "int | None", None),
        ("None", "int | None", UNKNOWN),  # Hydra's null is spelled null alone
        ("TRUE", "bool", True),
        ("no", "bool", UNKNOWN),  # a text to Hydra
        ("null", "str | None", None),
        ("2", "str | None", "2"),
        ("[1,2]", "", UNKNOWN),
        ("1", "list[int]", UNKNOWN),
        ("2", "", 2),
        ("1e-6", "", 1e-6),
        ("false", "", False),
        ("grpo", "", "grpo"),
    ],
)
def test_an_override_of_a_tree_is_what_hydra_reads(text: str, wanted: str, value: object) -> None:
    setting = Setting("name", text, Origin(OriginKind.FLAG), text)
    assert coerced(setting, Spec(wanted), tree=True) == value
    assert type(coerced(setting, Spec(wanted), tree=True)) is type(value)


def test_a_release_that_has_no_such_class_says_nothing() -> None:
    rows = (RefusalRow("steps < 1", "raise", {1: "a.py:1", 2: "a.py:2"}),)
    contract = Contract("trl", "SFTConfig", ("1.0", "2.0", "3.0"), rows, {"steps": [[1, "int", 1]]})
    assert contract.read == (1, 2)
    assert [candidates(contract, stack(version)) for version in ("", "1.0", "1.5", "2.5")] == [(1, 2), (), (), (1, 2)]
    assert next(HeldRun(contract, {"steps": Setting("steps", 0, ORIGIN, "0")}.get, Stack(), True).refusals(["steps"])).others == ()


def test_a_class_that_takes_what_it_does_not_know_could_have_run() -> None:
    def others(lenient: bool) -> tuple[str, ...]:
        rows = (RefusalRow("old.part is not None", "raise", {1: "a.py:1"}, dotted=True),)
        specs = {"old.part": [[1, "int", None]], "new": [[0, "int", 1]]}
        contract = Contract("trl", "Config", ("1.0", "2.0"), rows, specs, dotted=True, lenient=lenient)
        given = {"old.part": Setting("old.part", 1, ORIGIN, "1")}
        return next(HeldRun(contract, given.get, Stack(), False).refusals(["old.part"])).others

    assert others(lenient=False) == ()
    assert others(lenient=True) == ("1.0",)


def test_an_object_of_torch_is_no_text() -> None:
    setting = Setting("dtype", "torch.bfloat16", ORIGIN, "torch.bfloat16")
    assert coerced(setting, Spec("str")) is UNKNOWN


@pytest.mark.parametrize(("accelerate", "refused"), [("1.0.1", True), ("1.1.0", False), ("", False)])
def test_a_row_may_ask_for_the_release_of_another_package(accelerate: str, refused: bool) -> None:
    row = RefusalRow("seed is not None and (not release('accelerate', '1.1.0'))", "raise", {0: "a.py:1"})
    contract = Contract("trl", "SFTConfig", ("1.0",), (row,), {"seed": [[0, "int | None", None]]})
    releases = {
        name: made for name, one in (("accelerate", accelerate), ("trl", "1.0")) if one for made in [release(name, one, ORIGIN)] if made
    }
    held = HeldRun(contract, lambda name: Setting(name, 3, ORIGIN, "3") if name == "seed" else None, Stack(releases), True)
    assert bool(list(held.refusals(("seed",)))) is refused
