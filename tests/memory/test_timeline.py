"""The course of a step: its highest moments are the phases of the estimate, byte by byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from budgetlint.memory.timeline import timeline
from budgetlint.rules_api.context import RunContext

MODELS = ("llama-3.1-8b", "qwen2.5-0.5b", "gpt2", "mixtral-8x7b", "bert-large-uncased")
LEVERS = (
    "",
    "lora r=16",
    "recompute full",
    "recompute full; shard zero3",
    "shard fsdp; precision bf16-autocast",
    "quant nf4; lora r=8; precision bf16-pure",
    "optimizer adamw8bit; attention eager",
    "loss fused",
)
WORK = ("batch 1; seq 512", "batch 4 accum=4; seq 2048", "seq 1024", "")
TEXTS = [
    *(f"device 8x a100-80gb; model {model}; {lever}; {work}" for model, lever, work in product(MODELS, LEVERS, WORK)),
    "device 8x h100-80gb; model llama-3.1-70b; parallel tp=4 pp=2; batch 1 accum=8; seq 4096",
    "model qwen2.5-7b; rollout vllm share=30% on=same; batch 1; seq 1024",
    "device a100-80gb; model t5-base; batch 4; seq 512",
    "device a100-80gb; model qwen2.5-vl-7b; batch 1 images=1; seq 2048",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_highest_moment_of_each_phase_is_the_phase(text: str, run_of: Callable[[str], RunContext]) -> None:
    estimate = run_of(text).estimate
    assert estimate is not None
    course = timeline(estimate)
    assert list(dict.fromkeys(moment.phase for moment in course)) == [phase.name for phase in estimate.phases]
    for phase in estimate.phases:
        highest = max((moment for moment in course if moment.phase == phase.name), key=lambda moment: moment.bytes)
        assert highest.bytes == phase.bytes
        assert highest.buckets == {bucket: size for bucket, size in phase.buckets.items() if size}


def test_activations_grow_through_the_forward_and_fall_through_the_backward(run_of: Callable[[str], RunContext]) -> None:
    estimate = run_of("device a100-80gb; model llama-3.1-8b; lora r=16; batch 1; seq 2048").estimate
    assert estimate is not None
    course = [(moment.phase, moment.name.partition("'")[0]) for moment in timeline(estimate)]
    assert course == [
        ("load", "the weights"),
        ("forward", "the first layer"),
        ("forward", "the last layer"),
        ("forward", "the logits"),
        ("backward", "the loss"),
        ("backward", "the last layer"),
        ("backward", "the first layer"),
        ("backward", "the embedding"),
        ("step", "the update"),
    ]
    first, last, _, _, held, left = (moment.bytes for moment in timeline(estimate)[1:7])
    assert first < last
    assert left < held


def test_an_estimate_without_a_plan_has_its_phases(run_of: Callable[[str], RunContext]) -> None:
    estimate = run_of("device a100-80gb; model gpt2; batch 1; seq 128").estimate
    assert estimate is not None
    course = timeline(replace(estimate, plan=None))
    assert [(moment.phase, moment.bytes) for moment in course] == [(phase.name, phase.bytes) for phase in estimate.phases]
