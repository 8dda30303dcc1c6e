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


def renamed(owner: str, *names: str) -> str | None:
    """The row of the first of these names (the last part of an id, folded) that the table has, with this owner or alone."""
    for name in names:
        for key in (f"{fold(owner)}/{name}", name) if owner else (name,):
            row = _row(key)
            if row is not None:
                return row
    return None


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
