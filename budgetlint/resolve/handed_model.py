"""The numbers of a model from outside: pairs of a field of `budgetlint.catalog.architecture.Architecture` and its value.

``model custom`` gives them, and so do the readers of frameworks that build their models from numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from budgetlint.base.numerals import LARGEST, finite
from budgetlint.catalog.architecture import Architecture
from budgetlint.language.custom_model import REQUIRED, reads_text, shares_layers
from budgetlint.settings.typed import LONGEST_TEXT, WrongType, shown

MOST = 60
"""Fields: an architecture has 41."""

_NOT_NUMBERS = frozenset(("name", "hub_id", "kind", "params_published", "aliases", "sources", "note", "parts"))


def custom_numbers(value: object) -> tuple[tuple[str, object], ...]:
    """The numbers, where they are those of a model. Raises `WrongType`."""
    if not isinstance(value, list) or not 0 < len(value) <= MOST:
        raise WrongType(f"{shown(value)} stands where model_custom has pairs of a field and its value")
    found = dict(map(_pair, value))
    missing = [name for name in REQUIRED if name not in found and not (name == "intermediate" and "moe_intermediate" in found)]
    if missing:
        raise WrongType(f"model_custom lacks {', '.join(missing)}")
    _together(found)
    return tuple(found.items())


def _pair(pair: object) -> tuple[str, object]:
    name, value = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
    kind = Architecture.__annotations__.get(name) if isinstance(name, str) and name not in _NOT_NUMBERS else None
    if kind is None:
        raise WrongType(f"model_custom has pairs of a field and its value, as hidden and 2048; {shown(name)} is no field")
    assert isinstance(name, str)
    needed, _, optional = kind.partition(" | ")
    if value is None and optional:
        return name, None
    typed = _KINDS[needed](value)
    if typed is None or (name in (*REQUIRED, "kv_heads", "head_dim") and typed == 0):
        raise WrongType(f"{shown(value)} stands where {name} of model_custom has another kind of value")
    return name, typed


def _together(found: Mapping[str, object]) -> None:
    """As `budgetlint.language.custom_model` says it of a statement."""
    hidden, heads = found["hidden"], found["heads"]
    kv_heads, family = found.get("kv_heads", heads), found.get("family", "llama")
    assert isinstance(hidden, int) and isinstance(heads, int) and isinstance(kv_heads, int)
    if "head_dim" not in found and hidden % heads:
        raise WrongType(f"hidden {hidden} is no multiple of heads {heads} (model_custom)")
    if heads % kv_heads:
        raise WrongType(f"heads {heads} is no multiple of kv_heads {kv_heads} (model_custom)")
    if shares_layers(str(family)):
        raise WrongType(f"the layers of {family} share their weights: NOT MODELLED (model_custom)")
    if not reads_text(str(family)):
        raise WrongType(f"{family} has no vocabulary: a custom model is a decoder of text (model_custom)")


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= LONGEST_TEXT else None


def _pairs(value: object) -> tuple[tuple[str, int], ...] | None:
    """``extra`` and ``mla``: names with whole numbers."""
    if not isinstance(value, list) or len(value) > MOST:
        return None
    pairs = [(_text(one[0]), _whole(one[1])) for one in value if isinstance(one, list) and len(one) == 2]
    good = tuple((name, number) for name, number in pairs if name is not None and number is not None)
    return good if len(good) == len(value) else None


_KINDS: Mapping[str, Callable[[object], object]] = {
    "int": _whole,
    "bool": lambda value: value if isinstance(value, bool) else None,
    "str": _text,
    "float": lambda value: None if isinstance(value, str) else finite(value),
    "tuple[tuple[str, int], ...]": _pairs,
}
