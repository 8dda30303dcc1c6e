"""A checkpoint's name tells how its weights are stored, where nobody else does."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

SWIFT = "swift sft --model {} --train_type lora --dataset a --max_length 512 --learning_rate 1e-4{}\n"


@pytest.mark.parametrize(
    ("name", "flags", "stored"),
    [
        ("a/b-7B-Chat", "", "none"),
        ("a/b-Chat-Int4", "", "gptq"),
        ("a/b-AWQ", "", "awq"),
        ("a/b-GPTQ-Int4", "", "gptq"),
        ("a/b-GPTQ-Int8", "", "int8"),
        ("unsloth/b-bnb-4bit", "", "nf4"),
        ("unsloth/b-bnb-4bit", " --quant_method bnb --quant_bits 8", "int8"),
        ("a/b-awq-notes", "", None),
        ("a/b-AWQ-4bit", "", "awq"),
        ("a/b-quantized.w4a16", "", "gptq"),
        ("a/b-GPTQ-Int4-g128", "", "gptq"),
        ("a/b-FP8-dynamic", "", None),
        ("a/b-4bit", "", None),
        ("awq/b", "", "none"),
    ],
)
def test_the_name_counts_below_every_written_value(name: str, flags: str, stored: str | None) -> None:
    (run,) = judge_texts({"run.sh": SWIFT.format(name, flags)}).runs
    assert run.value("quant") == stored


def test_a_budgets_model_is_read_the_same_way_and_the_assumption_is_told() -> None:
    (run,) = judge_texts({}, budget="model Qwen/Qwen2.5-7B-Instruct-AWQ; lora r=8; batch 1; seq 512").runs
    assert run.value("quant") == "awq"
    assert run.estimate is not None
    assert any("name ends in -awq" in assumption.text for assumption in run.estimate.assumptions)


@pytest.mark.parametrize("name", ["Qwen/Qwen3-8B-FP8", "mlx-community/Qwen3-8B-4bit", "a/Qwen3-8B-NVFP4"])
def test_a_storage_that_is_not_known_is_not_16_bit(name: str) -> None:
    (run,) = judge_texts({}, budget=f"device rtx-4090; model {name}; lora r=8; batch 1; seq 512").runs
    assert run.estimate is not None
    assert (run.estimate.verdict.value, run.estimate.missing) == ("unknown", ("quant",))
