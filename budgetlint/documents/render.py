"""Python values as text of a format, so that every loader of that format reads the value back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable

from budgetlint.documents.scalars import Loader, Value, resolve

_SAFE_PLAIN = re.compile(r"[A-Za-z0-9_./](?:[A-Za-z0-9_./@+-]| (?=[A-Za-z0-9_./]))*")
_YAML_LOADERS = (Loader.PYYAML, Loader.OMEGACONF, Loader.YAML12)
_BARE_TOML_KEY = re.compile(r"[A-Za-z0-9_-]+")


def render(value: Value, format: str, quote: str = "") -> str:
    """``value`` in the syntax of ``yaml``, ``json`` or ``toml``. Text takes ``quote`` where the format allows it."""
    return _RENDERERS[format](value, quote)


def render_key(name: str, format: str, quote: str = "") -> str:
    if format == "toml":
        return name if _BARE_TOML_KEY.fullmatch(name) and not quote else json.dumps(name, ensure_ascii=False)
    return render(name, format, quote)


def _yaml(value: Value, quote: str) -> str:
    if isinstance(value, str):
        return _yaml_text(value, quote)
    if isinstance(value, float):
        return _yaml_float(value)
    return _WORDS.get(repr(value)) or str(value)


def _yaml_text(text: str, quote: str) -> str:
    plain = _SAFE_PLAIN.fullmatch(text) and all(resolve(text, quoted=False, tag="", loader=loader) == text for loader in _YAML_LOADERS)
    if plain and not quote:
        return text
    if quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in json.dumps(text, ensure_ascii=False))


def _yaml_float(number: float) -> str:
    """PyYAML takes a float with an exponent only with a point and a sign: ``2.0e-05``, never ``2e-05``."""
    if not math.isfinite(number):
        return ".nan" if number != number else ".inf" if number > 0 else "-.inf"
    mantissa, exponent, power = repr(number).partition("e")
    return mantissa + (".0" if "." not in mantissa else "") + exponent + power


def _json(value: Value, _: str) -> str:
    return json.dumps(value if isinstance(value, str | int | float) or value is None else str(value), ensure_ascii=False)


def _toml(value: Value, _: str) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool | int | float) else str(value)


_WORDS = {"True": "true", "False": "false", "None": "null"}
_RENDERERS: dict[str, Callable[[Value, str], str]] = {"yaml": _yaml, "json": _json, "toml": _toml}
