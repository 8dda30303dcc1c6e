"""What a program accepts: the fields of its parser, or the files that it was asked for and nobody named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


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
