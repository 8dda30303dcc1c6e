"""What fp16-without-loss-scaling says about Adam's epsilon: only one that rounds to zero divides by zero."""

from __future__ import annotations

import pytest

from budgetlint.registry import installed
from budgetlint.testing import find

TRAIN = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
torch_dtype: float16
bf16: false
fp16: false
"""


@pytest.mark.parametrize(
    ("epsilon", "divides"),
    [("", True), ("adam_epsilon: 0.00000001\n", True), ("adam_epsilon: 0.00000003\n", False), ("adam_epsilon: 0.0001\n", False)],
)
def test_epsilon(epsilon: str, divides: bool) -> None:
    rule = installed().get("fp16-without-loss-scaling")
    assert rule is not None
    (finding,) = find(rule, {"train.yaml": TRAIN + epsilon}, "device 1x t4")
    assert ("divides by zero" in finding.message) is divides
