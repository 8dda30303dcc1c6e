"""A number that nobody states: with how much of it the run fits, each rung as the run would be with it."""

from __future__ import annotations

import pytest

from budgetlint.memory.estimate import Estimate
from budgetlint.resolve.runs import judge_texts

PINNED = "precision bf16; optimizer adamw; recompute full; attention flash; stack transformers@5.24 torch@2.13"
SMALL = "device 80GiB; model qwen2.5-0.5b"


def answer(budget: str) -> Estimate:
    (run,) = judge_texts({}, budget=f"{PINNED}; {budget}").runs
    assert run.estimate is not None
    return run.estimate


@pytest.mark.parametrize(
    ("budget", "name", "statement"),
    [
        (f"{SMALL}; batch 1", "seq_len", "seq {}"),
        (f"{SMALL}; seq 2048", "micro_batch", "batch {}"),
        ("device {}x 80GiB; model qwen2.5-7b; shard zero3; batch 1; seq 2048", "devices", ""),
    ],
)
def test_each_end_of_a_reading_is_what_the_run_would_be(budget: str, name: str, statement: str) -> None:
    found = answer(budget.replace("{}x ", ""))
    (fork,) = found.forks
    assert ([one.name for one in fork.settings], found.reason) == ([name], "depends")
    checked = 0
    for reading in fork.readings:
        words = reading.values[0].replace(",", "").split()
        if words[0] != "more":
            for number in [int(word) for word in words if word.isdigit()]:
                stated = answer(budget.replace("{}", str(number)) + (f"; {statement.format(number)}" if statement else ""))
                assert (stated.verdict, number) == (reading.verdict, number)
                checked += 1
    assert checked >= 2


def test_nothing_is_said_of_what_lies_beyond_the_last_rung() -> None:
    readings = answer("device 200GiB; model smollm2-135m; lora r=8; batch 1").forks[0].readings
    assert [(one.values[0], one.verdict.value, one.need.high is None) for one in readings] == [
        ("up to 131,072 tokens", "fits", False),
        ("more than 131,072 tokens", "unknown", True),
    ]


SWIFT = "swift sft --model Qwen/Qwen2.5-0.5B-Instruct --train_type {} --per_device_train_batch_size {} --output_dir o\n"


@pytest.mark.parametrize(
    ("files", "budget", "readings"),
    [
        ({}, "device 24GiB; model gpt2; batch 64", ["up to 256 tokens", "512 tokens", "1,024 tokens or more"]),
        ({}, "device 24GiB; model gpt2; batch 1", []),  # all that its 1,024 positions take
        ({"run.sh": SWIFT.format("lora", 1)}, "device 80GiB", []),  # and its 32,768
        ({"run.sh": SWIFT.format("lora", 16)}, "device 80GiB", ["up to 2,048 tokens", "4,096 to 32,768 tokens"]),
    ],
)
def test_no_length_is_above_what_the_program_takes(files: dict[str, str], budget: str, readings: list[str]) -> None:
    (run,) = judge_texts(files, budget=f"{PINNED if not files else 'stack transformers@5.24 ms-swift@3.5'}; {budget}").runs
    assert run.estimate is not None
    assert [one.values[0] for fork in run.estimate.forks for one in fork.readings] == readings
    assert readings or run.estimate.verdict.value == "fits"


@pytest.mark.parametrize(
    ("budget", "verdict"),
    [
        ("device 24GiB; model qwen2.5-7b; batch 1", "does-not-fit"),  # its states alone
        ("device 80GiB; model qwen2.5-0.5b; shard zero3; batch 1; seq 512", "fits"),  # on one device already
        ("device 8GiB; model llama-3.1-405b; shard zero3; batch 64; seq 8192", "does-not-fit"),  # on a thousand
    ],
)
def test_where_every_rung_agrees_the_verdict_is_theirs(budget: str, verdict: str) -> None:
    assert answer(budget).verdict.value == verdict


@pytest.mark.parametrize("budget", [SMALL, "device 80GiB; model qwen2.5-7b; shard zero3; batch 1"])
def test_two_numbers_that_are_missing_stay_missing(budget: str) -> None:
    assert answer(budget).reason == "incomplete"
