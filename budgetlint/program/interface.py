"""What a program accepts: the fields of its parser, or the files that it was asked for and nobody named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from budgetlint.program.values import Known, Open, Origin, Value, alternatives


class Interface(NamedTuple):
    """A parser that makes dataclasses of a file. ``fields``: all that it takes, None where a class of it is not told; ``required``: those
    without a default. It refuses every other key (transformers ``hf_argparser.py`` parse_dict, TRL ``scripts/utils.py``)."""

    parser: str
    fields: frozenset[str] | None
    required: frozenset[str]

    def takes(self, keys: Iterable[str]) -> bool:
        """Would it start with a file of these keys?"""
        given = frozenset(keys)
        return self.required <= given and (self.fields is None or given <= self.fields)


class Sought(NamedTuple):
    """A file that a program reads, by a name that a launch may give: the flag in front of it, empty for a word of its own."""

    flag: str
    loader: str


def sought(path: Value, loader: str, flags: dict[str, tuple[str, ...]]) -> list[Sought]:
    """How a launch would name the file of this path."""
    found = [_by(way.value, loader, flags) for way in alternatives(path)]
    return [one for one in found if one is not None]


def _by(path: Value, loader: str, flags: dict[str, tuple[str, ...]]) -> Sought | None:
    if isinstance(path, Open) and path.kind in ("flag", "field"):
        return Sought(_flag(path.name, flags), loader)
    if isinstance(path, Open) and path.kind == "word":
        return Sought("", loader)
    named = next((one for one in path.origins if one.kind in ("option", "flag")), None)
    if isinstance(path, Known) and isinstance(named, Origin) and (named.kind == "flag" or named.key in flags):
        return Sought(_flag(named.key, flags), loader)
    return None


def _flag(name: str, flags: dict[str, tuple[str, ...]]) -> str:
    """The long flag of a destination; empty for a positional."""
    if name.startswith("-"):
        return name
    known = flags.get(name, (f"--{name}",))
    return next((one for one in known if one.startswith("--")), known[0] if known else "")
