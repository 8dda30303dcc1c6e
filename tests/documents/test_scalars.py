"""`resolve` gives what the real loader gives: PyYAML, OmegaConf, hjson, json and tomllib are asked, none is imitated."""

from __future__ import annotations

import datetime
import json
import math
import tomllib
from collections.abc import Callable

import hjson
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

try:
    from omegaconf._yaml import get_yaml_loader  # 2.4
except ModuleNotFoundError:  # hydra-core 1.3 asks for one before it
    from omegaconf._utils import get_yaml_loader

from budgetlint.documents import Loader, Value
from budgetlint.documents.scalars import resolve

TEXTS = """
    2e-5 2E-5 2.0e-5 2.e-5 2e5 2.0e5 2.0e+5 1e+3 .5 .5e3 .5e+3 +.5 -.5 1. 1.0 -1.0 +1.5 0.1_0 1_000 1_000.5 1__0 1_ _1 1_e5 1__0e5
    0 -0 +0 00 010 0o17 08 09.5 0x1F 0X1f 0x 0x_ 0b101 0b 0b_ -0x1f -0b1 +0x1 0_7 0_ 007_ 1:30 1:2:3 1:60 -1:30 190:20:30 1:30.5 0:30 01:30
    yes Yes YES yEs no No NO on On ON off Off OFF y n Y N true True TRUE tRue false False FALSE null Null NULL ~ none None nil
    .inf -.inf +.inf .Inf .INF .nan .NaN .NAN -.nan inf nan NaN Infinity -Infinity
    2021-01-02 2021-1-2 2021-13-45 2021-02-30 2021-01-02T03:04:05 2021-01-02T03:04:05Z 2021-01-02T03:04:05.123456789+05:30
    2021-1-2T3:04:05 2021-01-02T03:04:05-5 2021-01-02t03:04:05.5 2021-01-02T25:00:00 12:30:45 20210102 - -- + . .. -. +. = << auto
    4e 1e 1e- 1e5.5 0.0.1 1,000 16-mixed bf16 3.10 1e400 -1e400 1.0e+400 9007199254740993 123456789012345678901234567890
    5e8 5E+8 1e10 9999999999.0 10000000000.0 2.50 -0.0 1.0 01 1.e5 .5 True
"""
WORDS = TEXTS.split()
SPACED = ["2021-01-02 03:04:05", "2021-01-02 03:04:05 +5", "2021-01-02  3:04:05.25 Z", "1 2", "- 1"]
NUMBER_LIKE = st.text(alphabet="0123456789+-._:eExXobTZ ", min_size=1, max_size=14)
WORD_LIKE = st.text(alphabet="yesnotrufalNOYEFTn~.iI", min_size=1, max_size=6)
DATE_LIKE = st.from_regex(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]{0,8})?( ?(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?)?", fullmatch=True
)
ANY = st.one_of(NUMBER_LIKE, WORD_LIKE, DATE_LIKE)

OMEGACONF = get_yaml_loader()


def _pyyaml(text: str) -> object:
    return _yaml(text, yaml.SafeLoader)


def _omegaconf(text: str) -> object:
    return _yaml(text, OMEGACONF)


def _yaml(text: str, loader: type) -> object:
    """What the loader makes of a plain scalar; the text itself where its constructor refuses."""
    instance = loader("")
    try:
        tag = instance.resolve(yaml.ScalarNode, text, (True, False))
        return instance.construct_object(yaml.ScalarNode(tag, text))
    except (ValueError, OverflowError, IndexError, yaml.constructor.ConstructorError):
        return text


def _json(text: str) -> object:
    return _or_text(json.loads, text)


def _hjson(text: str) -> object:
    return _or_text(hjson.loads, text)


def _toml(text: str) -> object:
    return _or_text(lambda word: tomllib.loads(f"value = {word}")["value"], text)


def _or_text(load: Callable[[str], object], text: str) -> object:
    try:
        found = load(text)
    except (ValueError, OverflowError):
        return text
    return found if isinstance(found, str | int | float | datetime.date | datetime.time) or found is None else text


REAL = {Loader.PYYAML: _pyyaml, Loader.OMEGACONF: _omegaconf, Loader.JSON: _json, Loader.HJSON: _hjson, Loader.TOML: _toml}


def _difference(text: str, loader: Loader) -> str:
    """What the real loader reads and we do not; empty where both agree."""
    ours, theirs = resolve(text, quoted=False, tag="", loader=loader), REAL[loader](text)
    return "" if _same(ours, theirs) else f"{loader.value} reads {text!r} as {theirs!r}, we as {ours!r}"


def _same(ours: object, theirs: object) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return ours == theirs or (math.isnan(ours) and math.isnan(theirs))
    return type(ours) is type(theirs) and ours == theirs


@pytest.mark.parametrize("loader", REAL, ids=lambda loader: loader.value)
def test_table(loader: Loader) -> None:
    for text in (*WORDS, *(SPACED if loader not in (Loader.HJSON,) else [])):
        if (text, loader) not in OVERFLOWS:
            assert not _difference(text, loader)


OVERFLOWS = {("1e400", Loader.HJSON), ("-1e400", Loader.HJSON), ("1.0e+400", Loader.HJSON)}
"""hjson dies on these (int(inf)); we keep the infinity that it was about to return."""


@pytest.mark.parametrize("loader", [Loader.PYYAML, Loader.OMEGACONF, Loader.TOML], ids=lambda loader: loader.value)
@given(text=ANY)
@settings(max_examples=600, deadline=None)
def test_any_text(loader: Loader, text: str) -> None:
    if text.strip() == text and text != "=" and "#" not in text:
        assert not _difference(text, loader)


@pytest.mark.parametrize("loader", [Loader.JSON, Loader.HJSON], ids=lambda loader: loader.value)
@given(text=st.from_regex(r"-?[0-9]{1,11}(\.[0-9]{0,3})?([eE][-+]?[0-9]{1,2})?|(true|false|null|NaN|True|Null)", fullmatch=True))
@settings(max_examples=600, deadline=None)
def test_any_json_number(loader: Loader, text: str) -> None:
    assert not _difference(text, loader)


TAGGED: list[tuple[str, str, Value]] = [
    ("!!int", "12", 12),
    ("!!int", "0x1f", 31),
    ("!!int", "1.5", "1.5"),
    ("!!float", "1e5", 1e5),
    ("!!float", "1", 1.0),
    ("!!float", "2e-5", 2e-5),
    ("!!bool", "YeS", True),
    ("!!bool", "maybe", "maybe"),
    ("!!null", "x", None),
    ("!!str", "12", "12"),
    ("!", "12", 12),
    ("!Ref", "12", "12"),
    ("!!timestamp", "2021-01-02", datetime.date(2021, 1, 2)),
]


@pytest.mark.parametrize(("tag", "text", "value"), TAGGED)
def test_tags(tag: str, text: str, value: Value) -> None:
    found = resolve(text, quoted=True, tag=tag.replace("!!", "tag:yaml.org,2002:"), loader=Loader.PYYAML)
    assert _same(found, value)
    if tag != "!Ref" and not isinstance(value, str):
        assert _same(yaml.safe_load(f'{tag} "{text}"'), value)


@pytest.mark.parametrize("loader", Loader)
def test_very_long_numbers_are_survived(loader: Loader) -> None:
    for text in ("1" * 100_000, "1:" * 50_000 + "1", "0x" + "f" * 100_000, "1:" * 50_000 + "1.0"):
        found = resolve(text, quoted=False, tag="", loader=loader)
        assert found == text or isinstance(found, int | float)


def test_quoted_text_is_text_to_everybody() -> None:
    assert {resolve("1", quoted=True, tag="", loader=loader) for loader in Loader} == {"1"}
