"""Readings of several settings, told by as few of them as tell the verdicts apart."""

from __future__ import annotations

import pytest

from budgetlint.base.units import GIB
from budgetlint.memory.estimate import Fork, ForkReading, Opened, Range, Verdict
from budgetlint.report.answer import fork_words
from budgetlint.report.folded import of_every_verdict

FITS, TIGHT, NOT, OPEN = Verdict.FITS, Verdict.TIGHT, Verdict.DOES_NOT_FIT, Verdict.UNKNOWN

CASES = {
    "one setting decides for one of its values": (
        {
            ("lora", "nf4"): (10, FITS),
            ("lora", "none"): (20, FITS),
            ("none", "nf4"): (30, FITS),
            ("none", "none"): (90, NOT),
        },
        "fits with adapter lora (20.00 GiB), fits with adapter none and quant nf4 (30.00 GiB), "
        "does not fit with adapter none and quant none (90.00 GiB)",
    ),
    "the second setting tells more": (
        {("lora", "nf4"): (10, FITS), ("lora", "none"): (85, NOT), ("none", "nf4"): (30, OPEN), ("none", "none"): (90, NOT)},
        "does not fit with quant none (85.00 GiB), fits with adapter lora and quant nf4 (10.00 GiB), "
        "open with adapter none and quant nf4 (30.00 GiB)",
    ),
    "a setting that changes nothing is not named": (
        {("lora", "nf4"): (10, FITS), ("lora", "none"): (12, FITS), ("none", "nf4"): (90, NOT), ("none", "none"): (95, NOT)},
        "fits with adapter lora (12.00 GiB), does not fit with adapter none (90.00 GiB)",
    ),
}


def fork(table: dict[tuple[str, ...], tuple[int, Verdict]]) -> Fork:
    readings = (ForkReading(values, "", Range(size * GIB, size * GIB, size * GIB), verdict) for values, (size, verdict) in table.items())
    return Fork((Opened("adapter", None, ""), Opened("quant", None, "")), tuple(readings))


@pytest.mark.parametrize(("table", "words"), CASES.values(), ids=CASES)
def test_the_fewest_lines(table: dict[tuple[str, ...], tuple[int, Verdict]], words: str) -> None:
    assert fork_words(fork(table)) == words


@pytest.mark.parametrize(
    ("verdicts", "most", "told"),
    [
        ((FITS, FITS, FITS, FITS, FITS, NOT), 4, [0, 1, 2, 5]),
        ((FITS, TIGHT, FITS, NOT, OPEN, NOT), 4, [0, 1, 3, 4]),
        ((FITS, NOT), 4, [0, 1]),
    ],
)
def test_a_verdict_is_not_hidden_behind_others(verdicts: tuple[Verdict, ...], most: int, told: list[int]) -> None:
    assert of_every_verdict(verdicts, most) == told
