"""Loops, beside Python: the programs of `ways/loops.txt`."""

from __future__ import annotations

import pytest

from budgetlint.program.follow import follow
from budgetlint.program.modules import Trees
from tests.program.beside import Way, files_of, unknown, ways, wrong

WAYS = ways("loops")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_what_is_claimed_is_so(way: Way) -> None:
    assert wrong(way.text, way.files) == []


@pytest.mark.parametrize("way", [way for way in WAYS if way.known], ids=lambda way: way.name)
def test_what_can_be_known_is_known(way: Way) -> None:
    assert unknown(way.text, way.files) == []


ENDLESS = """\
import torch

def cycle(length):
    while True:
        prefix = torch.ones(4, 1).long()
        rows = torch.randint(0, 9, (4, length)).long()
        yield torch.cat((prefix, rows), 1)

for one in cycle(3):
    print(one)
"""


def test_an_endless_loop_whose_rounds_are_alike_is_followed_once_for_all() -> None:
    followed = follow(Trees(files_of({"train.py": ENDLESS})), "train.py")
    assert 0 < followed.steps < 150  # 64 rounds are 1,900
