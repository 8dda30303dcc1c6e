"""What a scalar is to each loader: the same text is a string to one framework and a number to the next.

Sources: PyYAML 6.0 ``yaml/resolver.py`` and ``yaml/constructor.py`` (YAML 1.1), OmegaConf 2.4 ``omegaconf/_yaml.py``
``get_yaml_loader`` (1.1 without timestamps, with a float rule that takes ``2e-5``), CPython ``json/scanner.py``,
hjson 3.1 ``decoder.py`` ``scantfnns``, TOML 1.0 as ``tomllib`` reads it. Each is tested against the real loader.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from enum import Enum
from functools import lru_cache, partial

from budgetlint.base.expression import expression

Value = str | int | float | bool | None | datetime.date | datetime.time


class Loader(Enum):
    __hash__ = object.__hash__  # members are single; Enum's own is a call into Python for each scalar of each file

    PYYAML = "pyyaml"
    OMEGACONF = "omegaconf"
    YAML12 = "yaml12"
    JSON = "json"
    HJSON = "hjson"
    TOML = "toml"
    SHELL = "shell"
    """Arguments of a command: all text; the program's parser converts them."""
    PYTHON = "python"
    """Literals of a Python file."""


def resolve(text: str, *, quoted: bool, tag: str, loader: Loader) -> Value:
    """The Python value of a scalar under ``loader``. Never raises: what the loader would refuse stays text."""
    if not tag:
        return text if quoted else plain_value(text, loader)
    if tag == "!":  # PyYAML resolves it as plain text, quoted or not: yaml/parser.py parse_node
        return plain_value(text, loader)
    value = _TAGGED.get(tag, str)(text)
    return value if len(text) <= LONG else _printable(text, value)


LONG = 3000
"""Characters from which on a plain text may be a number that Python does not write out (`plain_value`)."""


def plain_value(text: str, loader: Loader) -> Value:
    """The value of text without quotes and tag, as most are."""
    value = RESOLVERS[loader](text)
    return value if len(text) <= LONG else _printable(text, value)


def _printable(text: str, value: Value) -> Value:
    """A hexadecimal integer may have more digits than Python writes out: it stays text."""
    return text if isinstance(value, int) and value.bit_length() > _MAX_BITS else value


_BOOL_11 = {
    w: v for v, ws in ((True, "yes Yes YES true True TRUE on On ON"), (False, "no No NO false False FALSE off Off OFF")) for w in ws.split()
}
_NULL_11 = {"", "~", "null", "Null", "NULL"}
_INT_11 = re.compile(r"[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+")
_FLOAT_11_TEXT = (
    r"[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_FLOAT_11 = re.compile(_FLOAT_11_TEXT)
_FLOAT_OMEGA = expression(
    _FLOAT_11_TEXT + r"|[-+]?[0-9]+(?:_[0-9]+)*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+)"
)
"""OmegaConf adds its rule behind PyYAML's, so both hold."""
_FLOAT_12 = expression(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INT_12 = expression(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_TIMESTAMP = expression(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"|([0-9]{4})-([0-9][0-9]?)-([0-9][0-9]?)(?:[Tt]|[ \t]+)([0-9][0-9]?):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?"
    r"(?:[ \t]*(Z|([-+])([0-9][0-9]?)(?::([0-9]{2}))?))?"
)
_JSON_NUMBER = expression(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_MAX_BITS = 14_284
"""Fewer make at most `_MAX_DIGITS` digits."""
_MAX_DIGITS = 4300
"""CPython's ``sys.int_info.default_max_str_digits``: a longer integer is refused by every loader."""


def _pyyaml(text: str) -> Value:
    if text in _NULL_11:
        return None
    if text in _BOOL_11:
        return _BOOL_11[text]
    if text[0] not in "+-.0123456789":
        return text
    return _short_pyyaml_number(text) if len(text) <= _SHORT else _pyyaml_number(text)


def _pyyaml_number(text: str) -> Value:
    number = _number11(text, _FLOAT_11)
    return _timestamp(text) if number is text else number


_SHORT = 24
"""Numbers of so many characters come back from line to line and from file to file: those are kept."""
_short_pyyaml_number = lru_cache(maxsize=1024)(_pyyaml_number)


def _omegaconf(text: str) -> Value:
    if text in _NULL_11:
        return None
    if text in _BOOL_11:
        return _BOOL_11[text]
    return text if text[0] not in "+-.0123456789" else _omegaconf_number(text) if len(text) <= _SHORT else _number11(text, _FLOAT_OMEGA)


@lru_cache(maxsize=1024)
def _omegaconf_number(text: str) -> Value:
    return _number11(text, _FLOAT_OMEGA)


def _number11(text: str, float_rule: re.Pattern[str]) -> str | int | float:
    if _INT_11.fullmatch(text):
        return _int11(text)
    return _float11(text) if float_rule.fullmatch(text) else text


def _int11(text: str) -> str | int:
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits[1:] if digits[:1] in ("-", "+") else digits
    if len(digits) > _MAX_DIGITS:
        return text
    try:
        if ":" in digits:
            return sign * _base60([int(part) for part in digits.split(":")])
        if digits[:1] == "0" and digits[:2] not in ("0", "0b", "0x"):
            return sign * int(digits, 8)
        return sign * int(digits, 0)
    except ValueError:
        return text


def _base60(parts: list[int]) -> int:
    total = 0
    for part in parts:
        total = total * 60 + part
    return total


def _float11(text: str) -> str | float:
    digits = text.replace("_", "").lower()
    sign = -1.0 if digits.startswith("-") else 1.0
    digits = digits[1:] if digits[:1] in ("-", "+") else digits
    try:
        if digits in (".inf", ".nan"):
            return sign * float(digits[1:]) if digits == ".inf" else float("nan")
        if ":" in digits:
            return sign * _float60([float(part) for part in digits.split(":")])
        return sign * float(digits)
    except (ValueError, OverflowError):
        return text


def _float60(parts: list[float]) -> float:
    """Smallest part first, as ``construct_yaml_float`` adds them, so that the last bit is the same."""
    return sum((part * 60**power for power, part in enumerate(reversed(parts))), 0.0)


def _timestamp(text: str) -> Value:
    found = _TIMESTAMP.fullmatch(text)
    if not found:
        return text
    year, month, day, *_ = found.groups()
    try:
        return datetime.date(int(year), int(month), int(day)) if year else _moment(found)
    except ValueError:
        return text


def _moment(found: re.Match[str]) -> datetime.datetime:
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[3:9])
    fraction, zone, sign, zone_hour, zone_minute = found.groups()[9:]
    zone_info = None
    if sign:
        delta = datetime.timedelta(hours=int(zone_hour), minutes=int(zone_minute or 0))
        zone_info = datetime.timezone(-delta if sign == "-" else delta)
    elif zone:
        zone_info = datetime.UTC
    micro = int(fraction[:6].ljust(6, "0")) if fraction else 0
    return datetime.datetime(year, month, day, hour, minute, second, micro, zone_info)


def _yaml12(text: str) -> Value:
    if text in _NULL_11:
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if _INT_12.fullmatch(text) and len(text) <= _MAX_DIGITS:
        return int(text, 0) if text.startswith(("0o", "0x")) else int(text)
    if _FLOAT_12.fullmatch(text):
        return float(text)
    return text


_JSON_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}
_JSON_CONSTANTS: dict[str, Value] = {
    **_JSON_WORDS,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}


def _json(text: str) -> Value:
    if text in _JSON_CONSTANTS:
        return _JSON_CONSTANTS[text]
    found = _JSON_NUMBER.fullmatch(text)
    return text if not found else _json_number(text, whole=not (found[1] or found[2]))


def _json_number(text: str, whole: bool) -> str | int | float:
    if not whole:
        return float(text)
    return int(text) if len(text) <= _MAX_DIGITS else text


def _hjson(text: str) -> Value:
    """hjson makes an int of every float that is whole and under 1e10: ``5e8`` is 500000000."""
    if text in _JSON_WORDS:
        return _JSON_WORDS[text]
    found = _JSON_NUMBER.fullmatch(text)
    if not found:
        return text
    number = _json_number(text, whole=not (found[1] or found[2]))
    return int(number) if isinstance(number, float) and abs(number) < 1e10 and int(number) == number else number


_TOML_SCALAR = expression(r"[-+]?[0-9a-z][-+0-9A-Za-z_.: ]*")


def _toml(text: str) -> Value:
    if not _TOML_SCALAR.fullmatch(text):
        return text
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]  # type: ignore[no-any-return]
    except ValueError:
        return text


_PYTHON_WORDS: dict[str, Value] = {"True": True, "False": False, "None": None}


def _python(text: str) -> Value:
    """Numbers as the language reference, 2.4.5, writes them; the rest of what is not quoted is no literal."""
    if text in _PYTHON_WORDS:
        return _PYTHON_WORDS[text]
    if text[:1] not in "+-.0123456789" or len(text) > _MAX_DIGITS or not text.isascii():
        return text
    for number in (partial(int, base=0), float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


RESOLVERS: dict[Loader, Callable[[str], Value]] = {
    Loader.PYYAML: _pyyaml,
    Loader.OMEGACONF: _omegaconf,
    Loader.YAML12: _yaml12,
    Loader.JSON: _json,
    Loader.HJSON: _hjson,
    Loader.TOML: _toml,
    Loader.SHELL: str,
    Loader.PYTHON: _python,
}

_TAGGED: dict[str, Callable[[str], Value]] = {
    "tag:yaml.org,2002:str": str,
    "tag:yaml.org,2002:int": _int11,
    "tag:yaml.org,2002:float": _float11,
    "tag:yaml.org,2002:bool": lambda text: _BOOL_11.get(text.lower(), text),
    "tag:yaml.org,2002:null": lambda _: None,
    "tag:yaml.org,2002:timestamp": _timestamp,
}
