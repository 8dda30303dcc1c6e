"""A length that is only a limit gives no sure figure: what is said of it is said of short rows, or as a condition."""

from __future__ import annotations

import pytest

from budgetlint.base.finding import Finding, Severity
from budgetlint.rule import Rule
from budgetlint.testing import find
from rules import does_not_fit, gc_off_long_seq, kbit_upcast_embeddings, logits_spike, smallest_card, tight_fit

STACK = "transformers@4.51 trl@0.17 torch@2.13 peft@0.15"
SFT = """model_name_or_path: Qwen/Qwen2.5-1.5B
torch_dtype: bfloat16
attn_implementation: sdpa
max_length: {length}
packing: {packing}
use_peft: true
lora_r: 16
lora_target_modules: all-linear
optim: adamw_torch_fused
per_device_train_batch_size: {batch}
gradient_checkpointing: {checkpointing}
bf16: true
output_dir: out
"""


def _findings(rule: Rule, device: str = "", **written: object) -> list[Finding]:
    values = {"length": 4096, "packing": "false", "batch": 4, "checkpointing": "true", **written}
    return find(rule, {"sft.yaml": SFT.format(**values)}, f"device {device}" if device else "", STACK)


@pytest.mark.parametrize(
    ("device", "packing", "severity", "words"),
    [
        (
            "rtx-4090",
            "false",
            Severity.WARNING,
            "where a row reaches 4,096 tokens; rows of up to 1,088 tokens fit: needs there at least 61.27 GiB",
        ),
        ("rtx-4090", "true", Severity.ERROR, "does not fit rtx-4090: needs at least 61.27 GiB"),
        ("3GiB", "false", Severity.ERROR, "with rows of 128 tokens still at least 5.01 GiB"),
        ("6GiB", "false", Severity.WARNING, "rows of 128 tokens may fit"),
    ],
)
def test_does_not_fit(device: str, packing: str, severity: Severity, words: str) -> None:
    (found,) = _findings(does_not_fit.RULE, device, packing=packing, batch=8)
    assert (found.severity, words in found.message) == (severity, True), found.message


def test_a_budget_says_the_length_itself() -> None:
    text = SFT.format(length=4096, packing="false", batch=8, checkpointing="true")
    (found,) = find(does_not_fit.RULE, {"sft.yaml": text}, "device rtx-4090; config sft.yaml; seq 4096", STACK)
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(("packing", "times"), [("true", 1), ("false", 0)])
@pytest.mark.parametrize(
    ("rule", "written"),
    [(gc_off_long_seq.RULE, {"batch": 3, "checkpointing": "false"})],
    ids=["checkpointing"],
)
def test_what_makes_it_too_large_is_named_of_filled_batches(rule: Rule, written: dict[str, object], packing: str, times: int) -> None:
    assert len(_findings(rule, "40GiB", packing=packing, **written)) == times


@pytest.mark.parametrize(("packing", "severity", "words"), [("true", "warning", "logits"), ("false", "info", "where a row reaches 4,096")])
def test_logits_are_a_remark_where_only_the_data_decides(packing: str, severity: str, words: str) -> None:
    (found,) = _findings(logits_spike.RULE, "40GiB", packing=packing, batch=8)
    assert (found.severity.value, words in found.message) == (severity, True), found.message


def test_what_makes_short_rows_too_large_is_named_by_their_figures() -> None:
    (found,) = _findings(logits_spike.RULE, "24GiB", batch=256)
    assert found.message.startswith("32,768 tokens x") and "with rows of 128 tokens" in found.message


@pytest.mark.parametrize(("packing", "severity"), [("true", Severity.WARNING), ("false", Severity.INFO)])
def test_too_close_at_a_limit_is_information(packing: str, severity: Severity) -> None:
    (found,) = _findings(tight_fit.RULE, "26GiB", packing=packing, batch=3)
    assert found.severity is severity
    assert ("rows of up to 3,328 tokens fit" in found.message) is (packing == "false")


@pytest.mark.parametrize(
    ("length", "packing", "card", "words"),
    [
        (4096, "true", "a100-pcie-40gb", "needs 33.77 GiB, at most 36.20 GiB, and"),
        (4096, "false", "rtx-3060-ti", "holds that; 33.77 GiB, at most 36.20 GiB (a100-pcie-40gb, 39.38 GiB) where a row reaches 4,096"),
        (1024, "false", "rtx-3060-ti", "where a row reaches 1,024 tokens, and rtx-3060-ti (7.79 GiB) is the smallest card that holds both"),
    ],
)
def test_the_smallest_card_is_that_of_short_rows(length: int, packing: str, card: str, words: str) -> None:
    (found,) = _findings(smallest_card.RULE, length=length, packing=packing, batch=4 if length == 4096 else 1)
    assert (found.numbers["card"], words in found.message) == (card, True), found.message


KBIT = """model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: a/b
dtype: bfloat16
use_peft: true
load_in_4bit: true
lora_r: 16
per_device_train_batch_size: 4
learning_rate: 0.0001
num_train_epochs: 1
max_length: {length}
packing: {packing}
"""


@pytest.mark.parametrize(("packing", "alike"), [("false", True), ("true", False)])
def test_upcast_tables_cost_the_same_under_any_limit(packing: str, alike: bool) -> None:
    costs = set()
    for length in (1024, 16384):
        texts = {"train.yaml": KBIT.format(length=length, packing=packing)}
        (found,) = find(kbit_upcast_embeddings.RULE, texts, "", "trl@0.25.1 transformers@4.57.6")
        costs.add(found.numbers["upcast_bytes"])
    assert (len(costs) == 1) is alike
