"""What a fixed loss scale costs: every optimizer of DeepSpeed looks for overflows, only the scale never follows."""

from __future__ import annotations

import pytest
from budgetlint_rules import ds_static_loss_scale

from budgetlint.testing import find


@pytest.mark.parametrize("stage", [0, 2, 3])
def test_an_overflow_skips_its_step(stage: int) -> None:
    text = f'{{"zero_optimization": {{"stage": {stage}}}, "train_batch_size": 8, "fp16": {{"enabled": true, "loss_scale": 1024}}}}'
    (found,) = find(ds_static_loss_scale.RULE, {"ds.json": text})
    assert found.message.endswith("gradients below 6e-11 become zero, and each overflow skips its step while the scale stays")
