"""What a scalar is to each loader: the same text is a string to one framework and a number to the next.

Sources: PyYAML 6.0.4 ``yaml/resolver.py`` (YAML 1.1), OmegaConf 2.4 ``omegaconf/_utils.py`` ``get_yaml_loader`` (1.1 with a
float rule that takes ``2e-5``), RFC 8259 (JSON), hjson 3.1 ``decoder.py``, TOML 1.0.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable
from enum import Enum

Value = str | int | float | bool | None | datetime.date


class Loader(Enum):
    PYYAML = "pyyaml"
    OMEGACONF = "omegaconf"
    YAML12 = "yaml12"
    JSON = "json"
    HJSON = "hjson"
    TOML = "toml"


def resolve(text: str, *, quoted: bool, tag: str, loader: Loader) -> Value:
    """The Python value of a scalar under ``loader``. Never raises: what the loader would refuse stays text."""
    if quoted and not tag:
        return text
    if tag:
        return _TAGGED.get(tag, str)(text)
    return _RESOLVERS[loader](text)


_BOOL_11 = {
    w: v for v, ws in ((True, "yes Yes YES true True TRUE on On ON"), (False, "no No NO false False FALSE off Off OFF")) for w in ws.split()
}
_NULL_11 = {"", "~", "null", "Null", "NULL"}
_INT_11 = re.compile(r"[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+")
_FLOAT_11 = re.compile(
    r"[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_FLOAT_OMEGA = re.compile(
    r"[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?(?:[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)"
    r"|\.[0-9_]+(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_FLOAT_12 = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INT_12 = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


def _pyyaml(text: str) -> Value:
    return _yaml11(text, _FLOAT_11)


def _omegaconf(text: str) -> Value:
    return _yaml11(text, _FLOAT_OMEGA)


def _yaml11(text: str, float_rule: re.Pattern[str]) -> Value:
    if text in _NULL_11:
        return None
    if text in _BOOL_11:
        return _BOOL_11[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INT_11.fullmatch(text):
        return _int11(text)
    if float_rule.fullmatch(text):
        return _float11(text)
    return _date(text)


def _int11(text: str) -> Value:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-").replace("_", "")
    try:
        if ":" in digits:
            return sign * sum(int(part) * 60**power for power, part in enumerate(reversed(digits.split(":"))))
        if digits != "0" and digits[0] == "0" and digits[1:2] not in "bx":
            return sign * int(digits, 8)
        return sign * int(digits, 0)
    except ValueError:
        return text


def _float11(text: str) -> Value:
    sign = -1.0 if text.startswith("-") else 1.0
    digits = text.lstrip("+-").replace("_", "").lower()
    try:
        if digits in (".inf", ".nan"):
            return sign * float(digits[1:])
        if ":" in digits:
            return sign * sum(float(part) * 60**power for power, part in enumerate(reversed(digits.split(":"))))
        return sign * float(digits)
    except ValueError:
        return text


def _date(text: str) -> Value:
    found = _DATE.fullmatch(text)
    if found:
        try:
            return datetime.date(*map(int, found.groups()))
        except ValueError:
            return text
    return text


def _yaml12(text: str) -> Value:
    if text in _NULL_11:
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if _INT_12.fullmatch(text):
        return int(text, 0) if text.lower().startswith(("0o", "0x")) else int(text)
    if _FLOAT_12.fullmatch(text):
        return float(text)
    return text


_JSON_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}


def _json(text: str) -> Value:
    if text in _JSON_WORDS:
        return _JSON_WORDS[text]
    if _JSON_NUMBER.fullmatch(text):
        return json.loads(text) if any(c in text for c in ".eE") or len(text) < 4000 else float(text)  # type: ignore[no-any-return]
    return text


def _toml(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    number = text.replace("_", "")
    try:
        return int(number, 0)
    except ValueError:
        pass
    try:
        return float(number)
    except ValueError:
        return _date(text)


_RESOLVERS: dict[Loader, Callable[[str], Value]] = {
    Loader.PYYAML: _pyyaml,
    Loader.OMEGACONF: _omegaconf,
    Loader.YAML12: _yaml12,
    Loader.JSON: _json,
    Loader.HJSON: _json,
    Loader.TOML: _toml,
}

_TAGGED: dict[str, Callable[[str], Value]] = {
    "tag:yaml.org,2002:str": str,
    "tag:yaml.org,2002:int": lambda text: _pyyaml(text) if isinstance(_pyyaml(text), int) else text,
    "tag:yaml.org,2002:float": lambda text: float(value) if isinstance(value := _omegaconf(text), (int, float)) else text,
    "tag:yaml.org,2002:bool": lambda text: _BOOL_11.get(text, text),
    "tag:yaml.org,2002:null": lambda text: None,
}
