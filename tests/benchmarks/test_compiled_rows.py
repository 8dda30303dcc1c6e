"""The estimate beside steps that went through the whole of torch.compile, and beside measured runs."""

from __future__ import annotations

import pytest
from compiled_rows import DEFAULTS, MEASURED, Beside, beside, estimate_of, pairs, parts_of

PAIRS = list(pairs())


@pytest.mark.parametrize(("one", "more"), PAIRS, ids=[f"{one['id']}-{more['id'][-3:]}" for one, more in PAIRS])
def test_one_layer_more_keeps_what_the_compiled_program_keeps(one: dict, more: dict) -> None:
    ours = [beside(row, only_on=False) for row in (one, more)]
    assert isinstance(ours[0], Beside)
    assert isinstance(ours[1], Beside)
    assert ours[1].kept - ours[0].kept == pytest.approx(more["saved"] - one["saved"], rel=0.001)


OFF = {"worklog bs16": 0.03, "thunder 940 eager": 0.025, "torchtune 3B": 0.08}
"""Further off than 1.5 %: its code is not shown; an eager run; a loss that may not have been compiled."""


@pytest.mark.parametrize(("name", "size", "text"), MEASURED, ids=[row[0] for row in MEASURED])
def test_measured_runs(name: str, size: float, text: str) -> None:
    found = estimate_of({"row.budget": text})
    assert not isinstance(found, str)
    assert found.allocated.bytes == pytest.approx(size, rel=OFF.get(name, 0.015))
    assert found.allocated.low <= size <= (found.allocated.high or 0)
    assert found.verdict != "does-not-fit"


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ({"scope": "eager"}, "off"),
        ({"scope": "layer"}, "layers"),
        ({"scope": "layer", "loss": "outside-compiled"}, "[layers, loss]"),
        ({}, "model"),
        ({"family": "own"}, "step"),
        ({"family": "own", "loss": "outside"}, "model"),
    ],
)
def test_what_a_row_compiles(spec: dict[str, str], parts: str) -> None:
    assert parts_of({**DEFAULTS, **spec}) == parts
