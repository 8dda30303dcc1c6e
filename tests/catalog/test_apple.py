"""Macs by chip and memory."""

from __future__ import annotations

import pytest

from budgetlint.catalog.apple import CHIPS, working_set
from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import find_device


@pytest.mark.parametrize(
    ("gigabytes", "printed"),
    [
        (8, 5726.63), (16, 11453.25), (24, 17179.89), (32, 22906.50), (36, 28991.03), (48, 38654.71), (64, 51539.61), (192, 154618.82),
    ],
)  # fmt: skip
def test_the_working_set_as_ggml_prints_it(gigabytes: int, printed: float) -> None:
    """``recommendedMaxWorkingSetSize`` in MB of 10^6 bytes, of as many machines."""
    assert working_set(gigabytes) / 1e6 == pytest.approx(printed, abs=0.03)


@pytest.mark.parametrize("chip", sorted(CHIPS))
def test_every_size_is_found_and_shared(chip: str) -> None:
    for size in CHIPS[chip]:
        found = find_device(f"{chip}-{size}gb")
        assert isinstance(found, Device)
        assert (found.unified, found.vendor, found.usable_max < found.nominal_bytes) == (True, "apple", True)


def test_a_size_that_was_never_sold_is_no_device() -> None:
    assert not isinstance(find_device("m1-512gb"), Device)
