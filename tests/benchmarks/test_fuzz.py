"""The fuzzer finds what is there to be found, and its seeds are read."""

from __future__ import annotations

from pathlib import Path
from random import Random

import fuzz
import fuzz_targets
import pytest
from fuzz_mutate import LARGEST, mutated


@pytest.mark.parametrize("at", range(len(fuzz_targets.TARGETS)), ids=[name for name, _, _ in fuzz_targets.TARGETS])
def test_every_seed_is_survived(at: int) -> None:
    seeds = [seed for seed in fuzz.seeds() if seed[0] == at]
    for seed in seeds:
        fuzz.run_case(seed)
    assert seeds, "a target without a seed is never tried"


def test_cases_of_one_seed_are_the_same_again() -> None:
    def cases() -> list[bytes]:
        random = Random(3)
        return [mutated(b"a: 1\nb: 2\n", random, (b"c: 3\n",)) for _ in range(50)]

    assert cases() == cases()
    assert len(set(cases())) > 30
    assert all(len(case) <= LARGEST for case in cases())


def test_a_failure_is_written_down_once_per_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str, _choice: int) -> None:
        raise ValueError(text)

    monkeypatch.setattr(fuzz_targets, "TARGETS", (("broken", broken, ("x",)),))
    hunt = fuzz.Hunt(tmp_path, float("inf"))
    for number in range(9):
        hunt.case(bytes((0, 0)) + b"text %d" % number)
    assert hunt.cases["broken"] == sum(hunt.places.values()) == 9
    assert len(list(tmp_path.glob("*.txt"))) == 3
