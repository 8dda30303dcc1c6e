"""The length of rows that calls beside the training arguments decide: a tokenizer's ``max_length``, a field of the program that is called
so."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.readers.base import to_count
from budgetlint.readers.lookup import Lookup
from budgetlint.settings.run import Setting

BY_NAME = "a field of the program, taken for the length by its name"


def read_beside(top: Lookup, section: str) -> Iterator[Setting]:
    """``seq_len`` and ``target_len``; ``pad_to_seq_len`` where every row is padded to it."""
    look = top.under(section)
    length = look.setting("seq_len", to_count, "max_length")
    field = look.setting("seq_len", to_count, "field")
    target = look.setting("target_len", to_count, "max_target_length")
    found = length if length is not None and length.known else field
    if found is not None and found.known:
        yield found if found is length else replace(found, origin=replace(found.origin, note=BY_NAME))
        if (padding := look.raw("padding")) is not None:
            yield Setting("pad_to_seq_len", True, padding.origin, "max_length")
    if target is not None and target.known:
        yield target
