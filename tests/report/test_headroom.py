"""Need, limit and what is missing, in words."""

from __future__ import annotations

import pytest

from budgetlint.report.headroom import lacking


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["model"], "not known: model"),
        (["seq_len", "torchacc", "device"], "not known: seq_len, device; not modelled: torchacc"),
        (["xla"], "not modelled: xla"),
        ([], ""),
    ],
)
def test_what_can_be_said_is_told_from_what_is_not_modelled(names: list[str], words: str) -> None:
    assert lacking(names) == words
