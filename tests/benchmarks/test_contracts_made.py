"""What a walk knows of objects that a program makes, and of fields that nobody gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts.certify import other_case, with_choices
from contracts.code import Release
from contracts.read import Found, read
from contracts.sources import Contract, Walked
from contracts.state import Row, row_text

from budgetlint.contracts.expression import UNKNOWN, evaluate, parse
from budgetlint.contracts.words import choices, clauses

HEAD = """\
import os
import torch
from dataclasses import dataclass, field
from enum import Enum

class Backend(Enum):
    NO = "NO"
    EAGER = "EAGER"

@dataclass
class Plugin:
    backend: str = None
    least: int = 1
    def __post_init__(self):
        if self.backend is None:
            self.backend = os.environ.get("BACKEND", "no")
        self.backend = Backend(self.backend.upper())
        if self.least < 1:
            raise ValueError

@dataclass
class Arguments:
    backend: str = None
    dtype: str = None
    least: int = 1
    most: int = 1
    derived: bool = field(init=False, default=False)
    unset: int = field(init=False)
    def __post_init__(self):
"""


def found_in(folder: Path, body: str) -> Found:
    (folder / "made.py").write_text(HEAD + "\n".join(f"        {line}" for line in body.splitlines()) + "\n", encoding="utf-8")
    contract = Contract("Arguments", {"self": ("made.Arguments",)}, (Walked("__post_init__"),), "dataclass", "made.Arguments")
    found = read(Release(folder, {}), contract)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("body", "said"),
    [
        # a dataclass that is made checks what it is given, where it is made
        ("if self.backend is not None:\n    Plugin(backend=self.backend)",
         ["backend is not None and upper(backend) not in ['NO', 'EAGER']"]),
        ("plugin = None if self.backend is None else Plugin(backend=self.backend, least=self.least)",
         ["backend is not None and upper(backend) not in ['NO', 'EAGER']", "backend is not None and least < 1"]),
        ("Plugin()", []),
        ("Plugin(**given())", []),
        # what a class sets itself is what it set
        ("if self.derived:\n    raise ValueError", []),
        ("if not self.derived and self.least < 2:\n    raise ValueError", ["least < 2"]),
        ("if self.unset == self.least:\n    raise ValueError", []),
        # a config gives no object of another package
        ("if not isinstance(self.dtype, (str, torch.dtype)):\n    raise ValueError", ["not isinstance(dtype, 'str', 'torch.dtype')"]),
        ("self.dtype = made(self.dtype)\nif not isinstance(self.dtype, torch.dtype):\n    raise ValueError", []),
        ("if not isinstance(self.backend, Backend):\n    raise ValueError", []),
        # a text that is read as JSON is refused where it is none
        ("import json\nif isinstance(self.dtype, str) and self.dtype.startswith('{'):\n    json.loads(self.dtype)",
         ["isinstance(dtype, 'str') and startswith(dtype, '{') and (not is_json(dtype))"]),
        ("import json\ntry:\n    json.loads(self.dtype)\nexcept ValueError:\n    pass", []),
        # members of an enumeration by all ways to name them
        ("if self.backend not in Backend.__members__:\n    raise ValueError", ["backend not in {'NO': 'NO', 'EAGER': 'EAGER'}"]),
        ("if self.backend not in Backend.__members__.values():\n    raise ValueError", ["backend not in ['NO', 'EAGER']"]),
        ("if self.backend not in list(Backend):\n    raise ValueError", ["backend not in ['NO', 'EAGER']"]),
    ],
)  # fmt: skip
def test_what_is_made_and_what_is_given(tmp_path: Path, body: str, said: list[str]) -> None:
    assert [row_text(row) for row, _ in found_in(tmp_path, body).rows] == said


def test_what_a_class_sets_itself_is_no_field(tmp_path: Path) -> None:
    assert sorted(found_in(tmp_path, "pass").fields) == ["backend", "dtype", "least", "most"]


@pytest.mark.parametrize(
    ("text", "value", "answer"),
    [
        ("not isinstance(x, 'str', 'torch.dtype')", "bfloat16", False),
        ("not isinstance(x, 'str', 'torch.dtype')", False, True),
        ("not isinstance(x, 'torch.dtype')", UNKNOWN, UNKNOWN),
        ("not is_json(x)", '{"a": 1', True),
        ("not is_json(x)", '{"a": 1}', False),
        ("not is_json(x)", '{"a": $N', False),
        ("not (x != 0) ^ (y != 0)", 0, False),
        ("not (x != 0) ^ (y != 0)", 8, True),
    ],
)
def test_conditions_that_are_evaluated(text: str, value: object, answer: object) -> None:
    assert evaluate(parse(text), lambda name: value if name == "x" else 32) is answer


@pytest.mark.parametrize(
    ("text", "tried"),
    [("b not in ['NO', 'EAGER']", [{"b": "no"}, {"b": "eager"}]), ("upper(b) not in ['NO', 'EAGER']", [])],
)
def test_another_case_is_tried_where_the_row_refuses_it(text: str, tried: list[dict[str, str]]) -> None:
    assert other_case(Row(parse(text), "choice", "made.py", 1, 1, "")) == tried


def test_a_choice_in_any_case_has_words() -> None:
    tree = parse("b is not None and upper(b) not in ['NO', 'EAGER']")
    assert clauses(tree) == ("b is set", "b is none of NO or EAGER")
    assert choices(tree, "b") == ("NO", "EAGER")


def test_what_one_row_leaves_of_a_field_is_tried_for_the_others(tmp_path: Path) -> None:
    found = found_in(tmp_path, "Backend(self.backend)\nif self.backend != 'NO' and self.least > 2:\n    raise ValueError")
    assert with_choices(found)["backend"].choices == ("NO", "EAGER")
    assert with_choices(found)["least"] == found.fields["least"]
