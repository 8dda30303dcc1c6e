"""A length that the data need not reach makes a warning of *does not fit*; one that every batch has stays an error."""

from __future__ import annotations

import pytest

from budgetlint.base.finding import Severity
from budgetlint.report import bill
from budgetlint.resolve.runs import judge_texts
from budgetlint.testing import find
from rules import probably_does_not_fit
from rules.does_not_fit import RULE

AXOLOTL = """base_model: mistralai/Mistral-7B-v0.1
datasets: [{path: data.jsonl, type: alpaca}]
sequence_len: 4096
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
micro_batch_size: {micro}
num_epochs: 1
bf16: true
gradient_checkpointing: true
{more}
"""


@pytest.mark.parametrize(
    ("micro", "more", "wanted"),
    [
        (32, "sample_packing: false", Severity.WARNING),
        (32, "sample_packing: true", Severity.ERROR),
        (32, "pad_to_sequence_len: true", Severity.ERROR),
        (32, "", Severity.WARNING),  # packing is off by axolotl's default
        (512, "sample_packing: false", Severity.WARNING),
        (2048, "sample_packing: false", Severity.ERROR),  # rows of 128 tokens do not fit either
    ],
)
def test_what_only_the_data_decides_is_no_error(micro: int, more: str, wanted: Severity) -> None:
    text = AXOLOTL.replace("{micro}", str(micro)).replace("{more}", more)
    (found,) = find(RULE, {"axolotl.yaml": text}, "device a100-80gb; config axolotl.yaml")
    assert found.severity is wanted
    assert ("where a row reaches 4,096 tokens" in found.message) is (wanted is Severity.WARNING)


@pytest.mark.parametrize(("more", "wanted"), [("", Severity.INFO), ("pad_to_sequence_len: true", Severity.WARNING)])
def test_what_leans_to_too_large_at_a_limit_is_information(more: str, wanted: Severity) -> None:
    text = AXOLOTL.replace("{micro}", "16").replace("{more}", more)
    (found,) = find(probably_does_not_fit.RULE, {"axolotl.yaml": text}, "device 54GiB; config axolotl.yaml")
    assert found.severity is wanted
    assert ("where a row reaches 4,096 tokens; rows of up to" in found.message) is (wanted is Severity.INFO)


@pytest.mark.parametrize(("more", "told"), [("", True), ("sample_packing: true", False)])
def test_the_bill_says_that_its_verdict_is_of_the_longest_rows(more: str, told: bool) -> None:
    text = AXOLOTL.replace("{micro}", "32").replace("{more}", more)
    (context,) = judge_texts({"axolotl.yaml": text}, budget="device a100-80gb; config axolotl.yaml").runs
    assert ("only where a row reaches 4,096 tokens; rows of up to" in bill.render(context)) is told
