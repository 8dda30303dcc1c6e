"""`budgetlint.base.record`: dataclasses to everybody who asks, made without `dataclasses`."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from budgetlint.base.record import FEW, field, fields, open_record, open_state, record, replace, state


@record
class Place:
    file: str
    line: int = 1
    seen: list[str] = field(default_factory=list, compare=False)
    hidden: int = field(default=0, init=False, repr=False, compare=False)


@open_record
class Base:
    name: str
    rule: str | None = field(default=None, kw_only=True)

    @cached_property
    def loud(self) -> str:
        return self.name.upper()


@open_record
class Child(Base):
    size: int


@state
class Counter:
    count: int = 0
    first: str = field(init=False)

    def __post_init__(self) -> None:
        self.first = f"from {self.count}"


@open_state
class Bag:
    items: dict[str, int] = field(default_factory=dict)


def test_records_are_equal_by_value_and_states_by_identity() -> None:
    assert Place("a", 2, ["x"]) == Place("a", 2) != Place("a", 3)
    assert len({Place("a"), Place("a"), Place("b")}) == 2
    assert Counter(1) != Counter(1)
    assert Bag() != Bag()


def test_defaults_factories_and_fields_that_are_only_named() -> None:
    one, other = Place("a"), Place("a")
    one.seen.append("x")
    assert (one.line, other.seen, one.hidden) == (1, [], 0)
    assert Counter(3).first == "from 3"
    assert (Child("n", 4, rule="r").rule, Child("n", size=4).rule) == ("r", None)
    assert Child("n", 4).loud == "N"


def test_a_repr_names_every_field_that_is_shown() -> None:
    assert repr(Place("a")) == "Place(file='a', line=1, seen=[])"
    assert repr(Child("n", 4)) == "Child(name='n', rule=None, size=4)"


@pytest.mark.parametrize(
    ("made", "given"), [(Place, {}), (Place, {"file": "a", "hidden": 1}), (Place, {"file": "a", "x": 1}), (Child, {"name": "n"})]
)
def test_wrong_arguments_are_refused_at_the_first_object_too(made: Any, given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        made(**given)


def test_objects_made_before_and_after_the_init_is_compiled_are_alike() -> None:
    many = [(Place("a", seen=["x"]), Child("n", 4, rule="r"), Counter(3)) for _ in range(FEW + 2)]
    assert len(set(map(repr, many))) == 1
    assert {type(one).__init__.__code__.co_filename for one in many[-1]} == {"<string>"}


@pytest.mark.parametrize(("made", "args"), [(Place, ("a", 1, [], 0)), (Counter, (1, "x")), (Child, ("n", 4, "r"))])
def test_more_arguments_than_fields_are_refused(made: Any, args: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        made(*args)
    with pytest.raises(TypeError, match="multiple values"):
        made(args[0], **{made.__match_args__[0]: args[0]})


def test_a_slotted_record_takes_no_other_attribute() -> None:
    with pytest.raises(AttributeError):
        Place("a").other = 1  # type: ignore[attr-defined]


def test_dataclasses_and_patterns_take_records() -> None:
    assert [one.name for one in fields(Child)] == [one.name for one in dataclasses.fields(Child)] == ["name", "rule", "size"]
    assert dataclasses.replace(Place("a"), line=7) == replace(Place("a"), line=7) == Place("a", 7)
    assert dataclasses.asdict(Place("a")) == {"file": "a", "line": 1, "seen": [], "hidden": 0}
    plain = dataclasses.make_dataclass("plain", ["x", "y"])(1, 2)
    assert replace(plain, y=3).y == 3
    match Place("a", 5):
        case Place(file, line):
            assert (file, line) == ("a", 5)


def test_a_check_imports_neither_dataclasses_nor_what_they_import(tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text("base_model: a/b\nadapter: lora\nsequence_len: 512\nmicro_batch_size: 1\n", encoding="utf-8")
    program = "import sys; from budgetlint.cli import main; main(['check', '--no-cache']); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "budgetlint.engine.check" in loaded
    assert not loaded & {"dataclasses", "inspect", "tokenize", "difflib", "fractions", "importlib.metadata", "pydantic", "lark"}
