"""The stand-in of HfArgumentParser reads words as the real one does: what transformers 4.57.6 makes of them is written down in
``hf_words.json``, as what differs from ``--req r``, or the error that it ends in."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Optional, Union

import pytest

HERE = Path(__file__).parent
WORDS = json.loads((HERE / "hf_words.json").read_text(encoding="utf-8"))


class Kind(Enum):
    a = "a"
    b = "b"


@dataclasses.dataclass
class First:
    req: str
    n: int = 3
    f: float = 1e-4
    on: bool = True
    off: bool = False
    must: bool = dataclasses.field(default=False, metadata={"aliases": ["-m"]})
    ob: Optional[bool] = None  # noqa: UP045
    ob2: Optional[bool] = True  # noqa: UP045
    os_: Optional[str] = None  # noqa: UP045
    oi: int | None = None
    u: Union[str, int] = 5  # noqa: UP007
    lit: Literal["p", 4, "q"] = "p"
    en: Kind = Kind.a
    ls: list[int] = dataclasses.field(default_factory=lambda: [1, 2])
    ol: Optional[list[str]] = None  # noqa: UP045
    l2: list[str] = dataclasses.field(default_factory=list, metadata={"aliases": "--ells"})
    d: Optional[dict] = None  # noqa: UP045
    hid: int = dataclasses.field(default=1, init=False)


@dataclasses.dataclass
class Second:
    bb: int = dataclasses.field(default=7, metadata={"help": "a number"})
    long_name: str = "l"


@pytest.fixture(scope="module")
def parsers() -> ModuleType:
    path = HERE / "stand_ins" / "transformers" / "hf_argparser.py"
    spec = importlib.util.spec_from_file_location("stand_in_hf_argparser", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(parsers: ModuleType, words: str) -> list[dict[str, Any]]:
    made = parsers.HfArgumentParser((First, Second)).parse_args_into_dataclasses(words.split(), look_for_args_file=False)
    return [{key: value.value if isinstance(value, Enum) else value for key, value in vars(one).items()} for one in made]


@pytest.mark.parametrize("words", WORDS)
def test_words(parsers: ModuleType, words: str) -> None:
    if isinstance(WORDS[words], str):
        with pytest.raises((SystemExit, ValueError, TypeError)) as stopped:
            read(parsers, words)
        assert stopped.type.__name__ == WORDS[words]
    else:
        plain = read(parsers, "--req r")
        expected = [{**one, **other} for one, other in zip(plain, WORDS[words], strict=True)]
        assert read(parsers, words) == expected
