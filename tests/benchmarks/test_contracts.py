"""What a class refuses, read from its code: each way to write it, as the condition over what was given."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from contracts.code import Class, Release
from contracts.fields import fields_of_class
from contracts.formulas import is_opaque
from contracts.read import read
from contracts.sources import Contract, Walked
from contracts.symbolic import Walker
from contracts.witness import witness

from budgetlint.contracts.expression import parse

HEAD = """\
from dataclasses import dataclass, field
from enum import Enum

class Strategy(Enum):
    NO = "no"
    STEPS = "steps"

LOSSES = ("nll", "dft")

@dataclass
class Base:
    steps: int = 10
    def check(self, least):
        if self.steps < least:
            raise ValueError

@dataclass
class Arguments(Base):
    strategy: Strategy = "no"
    loss: str = "nll"
    names: list = field(default_factory=list)
    on: bool = False
    other: bool = False
    every: int = None
    def __post_init__(self):
"""


def rows(tmp_path: Path, body: str) -> list[str]:
    text = HEAD + "\n".join(f"        {line}" for line in body.splitlines()) + "\n"
    (tmp_path / "made.py").write_text(text, encoding="utf-8")
    contract = Contract("Arguments", {"self": ("made.Arguments",)}, (Walked("__post_init__"),), "dataclass", "made.Arguments")
    found = read(Release(tmp_path, {}), contract)
    assert found is not None
    decided = [
        f"{row.kind}: {ast.unparse(row.when)}" for row, _ in found.rows if "choice: strategy is not None" not in ast.unparse(row.when)
    ]
    return [one for one in decided if not one.startswith("choice: strategy is not None and")]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("if self.on and self.other:\n    raise ValueError", ["raise: on and other"]),
        ("assert not self.on", ["assert: on"]),
        ("assert self.steps > 0", ["assert: not steps > 0"]),
        ("if self.on:\n    return\nif self.other:\n    raise ValueError", ["raise: not on and other"]),
        ("if self.on:\n    raise KeyError\nif self.other:\n    raise ValueError", ["raise: on", "raise: other"]),
        ("self.check(1)", ["raise: steps < 1"]),
        ("self.strategy = Strategy(self.strategy)", ["choice: strategy not in ['no', 'steps']"]),
        (
            "self.strategy = Strategy(self.strategy)\nif self.strategy == Strategy.STEPS and self.steps == 0:\n    raise ValueError",
            ["choice: strategy not in ['no', 'steps']", "raise: strategy == 'steps' and steps == 0"],
        ),
        ("if self.every is None:\n    self.every = self.steps\nif self.every < 2:\n    raise ValueError",
         ["raise: (steps if every is None else every) < 2"]),
        ("if self.loss not in LOSSES:\n    raise ValueError", ["raise: loss not in ['nll', 'dft']"]),
        ("for name in ('on', 'other'):\n    if getattr(self, name):\n        raise ValueError", ["raise: on", "raise: other"]),
        ("for name in self.names:\n    if name == 'x':\n        raise ValueError", ["raise: any((_name0 == 'x' for _name0 in names))"]),
        ("import warnings\nif self.on:\n    warnings.warn('text')", ["warn: on"]),
        ("import os\nif os.path.exists('x'):\n    raise ValueError", []),
        ("try:\n    x = int(self.loss)\nexcept ValueError:\n    raise TypeError", []),
        ("raised = self.steps * 2\nif raised > 30:\n    raise ValueError", ["raise: steps * 2 > 30"]),
    ],
)  # fmt: skip
def test_conditions_are_over_what_was_given(tmp_path: Path, body: str, said: list[str]) -> None:
    assert rows(tmp_path, body) == said


def test_fields_have_defaults_choices_and_owners(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(HEAD + "        pass\n", encoding="utf-8")
    release = Release(tmp_path, {})
    found = release.find("made.Arguments")
    assert isinstance(found, Class)
    fields = fields_of_class(release, found)
    assert {name: one.default for name, one in fields.items()} == {
        "steps": 10, "strategy": "no", "loss": "nll", "names": [], "on": False, "other": False, "every": None,
    }  # fmt: skip
    assert fields["strategy"].choices == ("no", "steps")
    assert fields["steps"].owner == "Base"


def test_a_witness_is_the_smallest_change(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(HEAD + "        pass\n", encoding="utf-8")
    release = Release(tmp_path, {})
    found = release.find("made.Arguments")
    assert isinstance(found, Class)
    fields = fields_of_class(release, found)
    assert witness(parse("on and steps % 4 != 0"), fields, {}) == ({"on": True}, {})
    assert witness(parse("on and steps > 10"), fields, {}) == ({"on": True, "steps": 11}, {"steps": 11})


def test_what_is_not_followed_is_opaque(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(HEAD + "        pass\n", encoding="utf-8")
    walker = Walker(Release(tmp_path, {}), lambda _name: True)
    assert walker.rows == []
    assert is_opaque(ast.parse("__opaque__ and on", mode="eval").body)
