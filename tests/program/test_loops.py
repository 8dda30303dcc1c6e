"""Loops, beside Python: the programs of `ways/loops.txt`."""

from __future__ import annotations

import pytest

from tests.program.beside import Way, unknown, ways, wrong

WAYS = ways("loops")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_what_is_claimed_is_so(way: Way) -> None:
    assert wrong(way.text, way.files) == []


@pytest.mark.parametrize("way", [way for way in WAYS if way.known], ids=lambda way: way.name)
def test_what_can_be_known_is_known(way: Way) -> None:
    assert unknown(way.text, way.files) == []
