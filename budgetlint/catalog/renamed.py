"""Checkpoints under names of their own whose sizes are those of a row: fine-tunes, rerankers, conversions.

`FILE` has a line each: ``owner/name`` or, where nothing else is called so, ``name``, a tab, and the row. It is not parsed: a name that
no row has is looked for in its bytes. `benchmarks/renamed_models.py` writes it from what was read of each
(`benchmarks/data/renamed_models.jsonl`): a config of the same class and sizes, or a count that only this shape has. A name that goes on
where another ends is another name.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from budgetlint.catalog.names import fold

FILE = "models_renamed.txt"


def renamed(owner: str, name: str) -> str | None:
    """The row of a checkpoint by its owner and its name, or by its name alone."""
    last = fold(name)
    return (_row(f"{fold(owner)}/{last}") if owner else None) or _row(last)


def _row(key: str) -> str | None:
    table, mark = _table(), f"\n{key}\t".encode()
    at = table.find(mark) if "\n" not in key and "\t" not in key else -1
    if at < 0:
        return None
    start = at + len(mark)
    return table[start : table.index(b"\n", start)].decode()


@cache
def _table() -> bytes:
    return b"\n" + Path(__file__).with_name(FILE).read_bytes().replace(b"\r\n", b"\n")
