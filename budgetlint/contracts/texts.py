"""What a class gets where a config or a command has a text: the value that its parser makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.contracts.expression import UNKNOWN
from budgetlint.contracts.table import Spec
from budgetlint.settings.run import OriginKind, Setting

_YES, _NO = ("yes", "true", "t", "y", "1"), ("no", "false", "f", "n", "0")
"""``transformers.hf_argparser.string_to_bool``; pydantic takes more."""
_NUMBERS = {"int": int, "PositiveInt": int, "float": float}
_APART = str.maketrans(dict.fromkeys("[](){},|'\"", " "))
_OPENING = frozenset("[({'\"$")


def coerced(setting: Setting, spec: Spec | None, tree: bool = False) -> Any:
    """The value as the class gets it: a flag's or a file's text as its field's type wants it. ``tree``: the config is one, each field
    named by its path."""
    from budgetlint.documents import Loader, plain
    from budgetlint.documents import Mapping as Block
    from budgetlint.documents import Sequence as List

    value = setting.value
    if isinstance(value, (Block, List)):
        return plain(value, Loader.PYYAML)
    wanted = spec.type if spec is not None else ""
    if isinstance(value, bool) and setting.text and wanted and "bool" not in wanted:
        return setting.text if "str" in wanted or "Strategy" in wanted else value
    if isinstance(value, int) and not isinstance(value, bool) and wanted.startswith("float"):
        return float(value)
    if not isinstance(value, str):
        return value
    if value.startswith("torch."):  # an object of a script, no text
        return UNKNOWN
    words = frozenset(wanted.translate(_APART).split())
    if tree:
        return _of_tree(value, words)
    if setting.origin.kind is OriginKind.FLAG and wanted.lower().startswith("list"):
        return [value]
    return _of_text(value, words, _YES, _NO)


def _of_tree(text: str, words: frozenset[str]) -> Any:
    """An override, by Hydra's grammar (``hydra/grammar/OverrideLexer.g4``): ``null`` is None, only ``true`` and ``false`` are booleans,
    and what has no plain type is what it reads as. A list is not known: its words stand in ways that differ by program."""
    if text[:1] in _OPENING or words & {"list", "List", "tuple"}:
        return UNKNOWN
    if text.lower() == "null":
        return None
    if words & {"str", "bool", *_NUMBERS}:
        return _of_text(text, words, ("true",), ("false",))
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = _number(text, ("int", "float"))
    return text if number is UNKNOWN else number


def _of_text(text: str, words: frozenset[str], yes: tuple[str, ...], no: tuple[str, ...]) -> Any:
    """A text that stands for a value of another type, as ``HfArgumentParser`` and pydantic take it; else it is not known."""
    plain = words & {"bool", *_NUMBERS}
    if not plain:
        return text
    if "bool" in plain and text.lower() in (*yes, *no):
        return text.lower() in yes if words <= {"bool", "None"} else UNKNOWN  # which of the types it becomes is the parser's
    if not words <= {"bool", "None", *_NUMBERS}:
        return text
    return _number(text, sorted(plain - {"bool"}, reverse=True))


def _number(text: str, kinds: Iterable[str]) -> Any:
    """By the first of the types that takes it."""
    for name in kinds:
        try:
            return _NUMBERS[name](text)
        except ValueError:
            continue
    return UNKNOWN
