"""What is said of host memory that nobody states: an amount that would do, and whose checkpoints are counted."""

from __future__ import annotations

import pytest
from budgetlint_rules import offload_no_host_ram

from budgetlint.testing import find

RUN = "model qwen2.5-32b; precision bf16; optimizer adamw; shard zero2 offload=[optimizer]; batch 1; seq 2048; recompute full"
CHECKPOINTS = " with the checkpoints of one card"


@pytest.mark.parametrize(
    ("budget", "amount", "of_one"),
    [
        (f"device a100-80gb; {RUN}", "1024GiB", False),
        (f"device a100-80gb; {RUN} offload=on", "1024GiB", True),
        (f"device 8x a100-80gb; {RUN} offload=on", "1024GiB", False),
        (f"device a100-80gb; {RUN}".replace("32b", "7b"), "512GiB", False),
    ],
)
def test_an_amount_that_holds_the_run(budget: str, amount: str, of_one: bool) -> None:
    (found,) = find(offload_no_host_ram.RULE, {}, budget)
    assert (found.help, CHECKPOINTS in found.message) == (f"host {amount}, or what the machine has", of_one)
