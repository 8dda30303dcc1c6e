"""What is read of classes that take no fields of their own: constructors, blocks that become models, mappings asked key by key."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from contracts.code import Release
from contracts.kinds import rows as kinds_of
from contracts.read import Found, read
from contracts.sources import Contract, Walked
from contracts.write import joined, load, save


def found_in(tmp_path: Path, text: str, objects: dict[str, tuple[str, ...]], walked: Walked, **more: Any) -> Found:
    (tmp_path / "made.py").write_text(text, encoding="utf-8")
    found = read(Release(tmp_path, {}), Contract("made", objects, (walked,), "none", "made.Made", **more))
    assert found is not None
    return found


def said(found: Found, *ends: str) -> list[str]:
    return [ast.unparse(row.when) for row, _ in found.rows if row.kind in ends]


CONSTRUCTOR = """\
from enum import Enum
class Precision(Enum):
    NO = "no"
    HALF = "half"
class Made:
    def __init__(self, four=False, eight=False, size: int = 4, kind=None, **more):
        if four and eight:
            raise ValueError
        self._four = four
        self.size = size
        if kind is not None and kind not in Precision:
            raise ValueError
        self.after()
    @property
    def four(self):
        return self._four
    @four.setter
    def four(self, value):
        self._four = value
    def after(self):
        if self.four and self.size not in [2, 4]:
            raise ValueError
"""


def test_a_constructor_gives_fields_and_refusals(tmp_path: Path) -> None:
    found = found_in(tmp_path, CONSTRUCTOR, {"self": ("made.Made",)}, Walked("__init__"), signature=True)
    assert {name: (one.type, one.default) for name, one in found.fields.items()} == {
        "four": ("bool", False), "eight": ("bool", False), "size": ("int", 4), "kind": ("", None),
    }  # fmt: skip
    assert said(found, "raise") == ["four and eight", "kind is not None and kind not in ['no', 'half']", "four and size not in [2, 4]"]


BLOCKS = """\
from enum import Enum
from pydantic import BaseModel, Field, model_validator

GONE = {"old": "the old thing " f"{1}", "older": "text"}
HALF = "half"

class Stage(int, Enum):
    off = 0
    whole = 3
    largest = whole

class Inner(BaseModel):
    ratio: float = Field(1.0, ge=0.0)

class Zero(BaseModel):
    stage: Stage = 0
    bucket: int = Field(8, ge=0, alias="zero_bucket")
    inner: Inner | None = None
    @model_validator(mode="after")
    def partly(self):
        if self.inner and self.inner.ratio < 1:
            assert self.stage == Stage.whole
        return self

def get(data, name, default):
    return data.get(name, default)

def half(data, key=HALF):
    return get(data, key, False)

def old_way(data):
    for key in ["b16", "bf16"]:
        if key in data.keys():
            return get(data[key], "on", False)
    return False

class Made:
    def run(self, data):
        for key, why in GONE.items():
            if key in data:
                raise ValueError(why)
        block = data["zero"] if "zero" in data else {}
        if isinstance(block, bool):
            raise TypeError
        self.zero = Zero(**block)
        if half(data) and self.zero.stage > 0:
            raise ValueError
        assert not (half(data) and old_way(data))
"""
SECTIONS = {"zero": ("made.Zero",), "zero.inner": ("made.Inner",), "bf16": ()}


def blocks(tmp_path: Path) -> Found:
    walked = Walked("made", {"self": "self", "config": "config"}, code="self.run(config)")
    objects: dict[str, tuple[str, ...]] = {"self": ("made.Made",), "config": ()}
    return found_in(tmp_path, BLOCKS, objects, walked, as_given=("config",), sections=SECTIONS)


def test_blocks_of_a_mapping_become_models_and_refuse(tmp_path: Path) -> None:
    found = blocks(tmp_path)
    assert said(found, "raise", "assert") == [
        "old is not None",
        "older is not None",
        "zero.inner.ratio < 1 and zero.stage != 3",
        "(half if half is not None else False) and zero.stage > 0",
        "(half if half is not None else False) and "
        "(get(b16, 'on', False) if b16 is not None else bf16.on if bf16.on is not None else False)",
    ]
    assert said(found, "choice", "bound") == [
        "zero.inner.ratio is not None and zero.inner.ratio < 0",
        "zero.stage is not None and zero.stage not in [0, 3]",
        "zero.bucket is not None and zero.bucket < 0",
        "zero.zero_bucket is not None and zero.zero_bucket < 0",
    ]
    assert {"old", "half"} <= set(found.fields)


def test_members_that_are_numbers_take_numbers(tmp_path: Path) -> None:
    found = blocks(tmp_path)
    release = Release(tmp_path, {})
    kinds = [ast.unparse(one.when) for one in kinds_of(release, {"stage": found.fields["zero.stage"]}, ())]
    assert kinds == ["isinstance(stage, 'list')", "isinstance(stage, 'dict')"]


ASKED = """\
class Made:
    def __init__(self, cfg):
        self._steps = cfg.steps
        self._early = cfg.get("early", False)
        if self._early and self._steps > 1:
            raise RuntimeError
"""


def test_a_mapping_that_a_class_asks_key_by_key(tmp_path: Path) -> None:
    objects: dict[str, tuple[str, ...]] = {"self": ("made.Made",), "cfg": ()}
    found = found_in(tmp_path, ASKED, objects, Walked("__init__", {"cfg": "cfg"}), as_given=("cfg",), asked="cfg")
    assert set(found.fields) == {"steps", "early"}
    assert said(found, "raise") == ["(early if early is not None else False) and steps > 1"]


@pytest.mark.parametrize(("above", "left"), [("p.Whole", ["own < 1"]), ("", ["a < 0", "own < 1"])])
def test_what_a_contract_of_the_same_package_says_is_written_once(tmp_path: Path, above: str, left: list[str]) -> None:
    rows = [["a < 0", "raise", "f.py:1", "arguments"]]
    whole = {"above": "", "lenient": False, "fields": {"a": ["int", 1]}, "rows": rows}
    own = [*rows, ["own < 1", "raise", "f.py:2", "arguments"]]
    part = {"above": above, "lenient": True, "fields": {"a": ["int", 1], "own": ["int", 2]}, "rows": own}
    empty = {"above": "", "lenient": False, "fields": {"b": ["int", 1]}, "rows": []}
    save("p", {"1.0": {"Whole": whole, "Part": part, "Empty": empty}}, tmp_path)
    again = load("p", tmp_path)
    assert [row[0] for row in again["1.0"]["Part"]["rows"]] == left
    assert again["1.0"]["Part"]["lenient"] is True
    assert "Empty" not in again["1.0"]
    assert joined(again)["contracts"]["Whole"]["fields"] == {"a": [[0, "int", 1]]}
