"""A plain value (of JSON, of a Python caller) as the value of a setting; or what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from budgetlint.base import numerals
from budgetlint.base.numerals import LARGEST
from budgetlint.settings.vocabulary import SettingSpec, least_of

LONGEST_TEXT = 1_000
LONGEST_LIST = 1_000


class WrongType(ValueError):
    """The value is none that the setting can have; the message says what belongs there."""


def typed(spec: SettingSpec, value: object) -> Any:
    """The value as a run holds it: lists are tuples, a whole number may stand where a number belongs. Raises `WrongType`."""
    return _KINDS[spec.kind](spec, value)


def kind_of(spec: SettingSpec) -> str:
    """What belongs there, for people."""
    if spec.choices:
        return f"one of {', '.join(spec.choices)}"
    return {
        "int": f"a whole number of at least {least_of(spec.name)}",
        "float": "a number",
        "bool": "true or false",
        "list": "a list of texts",
    }.get(spec.kind, "a text")


def shown(value: object) -> str:
    """A value in a message, not longer than a message may be."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _wrong(spec: SettingSpec, value: object) -> WrongType:
    return WrongType(f"{shown(value)} stands where {spec.name} has {kind_of(spec)}")


def _whole(spec: SettingSpec, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least_of(spec.name) <= value <= LARGEST:
        raise _wrong(spec, value)
    return value


def _real(spec: SettingSpec, value: object) -> float:
    number = None if isinstance(value, str) else numerals.finite(value)
    if number is None:
        raise _wrong(spec, value)
    return number


def _switch(spec: SettingSpec, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(spec, value)
    return value


def _word(spec: SettingSpec, value: object) -> str:
    is_text = isinstance(value, str) and value.strip() != "" and len(value) <= LONGEST_TEXT
    if not is_text or (spec.choices and value not in spec.choices):
        raise _wrong(spec, value)
    assert isinstance(value, str)
    return value


def _list(spec: SettingSpec, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or len(value) > LONGEST_LIST:
        raise _wrong(spec, value)
    if not all(isinstance(item, str) and len(item) <= LONGEST_TEXT for item in value):
        raise _wrong(spec, value)
    return tuple(value)


_KINDS: Mapping[str, Callable[[SettingSpec, object], Any]] = {
    "int": _whole, "float": _real, "bool": _switch, "text": _word, "choice": _word, "dtype": _word, "list": _list,
}  # fmt: skip
