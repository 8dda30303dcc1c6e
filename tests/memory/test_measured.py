"""The estimate against what an A100 measured (foundation-model-stack/fms-acceleration, scripts/benchmarks/refs/a100_80gb*.csv
at 876e2ed6fc4e) and against simulated steps of real Hugging Face code (`benchmarks/data/oracle.jsonl`)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.rules_api.context import RunContext

Runs = Callable[[str], RunContext]

A100 = [
    # row, model, batch, versions, kernels, bytes of max_memory_allocated
    ("fms-009", "mistral-7b-v0.1", 4, "torch@2.4.1 transformers@4.48.1", "none", 72_434_837_504),
    ("fms-011", "mistral-7b-v0.1", 8, "torch@2.4.1 transformers@4.48.1", "none", 72_435_230_720),
    ("fms-125", "ibm/PowerLM-3b", 4, "torch@2.4.1 transformers@4.45.2", "none", 35_134_836_736),
    ("fms-153", "llama-3-8b", 4, "torch@2.4.1 transformers@4.45.2", "[rms_norm, rope, cross_entropy]", 80_318_097_408),
]


@pytest.mark.parametrize(("row", "model", "batch", "stack", "kernels", "measured"), A100)
def test_full_fine_tuning_on_an_a100(run_of: Runs, row: str, model: str, batch: int, stack: str, kernels: str, measured: int) -> None:
    estimate = run_of(
        f"device a100-80gb; model {model}; precision bf16-pure; optimizer adamw; batch {batch}; seq 4096 packing=on; "
        f"recompute full; attention flash; kernels {kernels}; stack {stack}"
    ).estimate
    assert estimate is not None
    assert estimate.allocated.bytes == pytest.approx(measured, rel=0.01), row
    assert estimate.allocated.low <= measured <= (estimate.allocated.high or measured)


WORKSPACES = 2 * 8_519_680
"""A simulation has no cuBLAS workspaces."""

SIMULATED = [
    ("precision bf16-autocast", "none", 42_773_406_720),
    ("precision bf16-autocast", "full", 28_629_194_240),
    ("precision bf16-pure", "none", 28_649_267_200),
    ("precision bf16-pure", "full", 17_133_654_016),
    ("precision bf16; lora r=16", "none", 23_412_782_080),
    ("precision bf16; lora r=16", "full", 11_155_235_840),
]


@pytest.mark.parametrize(("recipe", "recompute", "simulated"), SIMULATED)
def test_qwen_with_flash_attention_against_the_simulation(run_of: Runs, recipe: str, recompute: str, simulated: int) -> None:
    estimate = run_of(
        f"device a100-80gb; model qwen2.5-1.5b; {recipe}; optimizer adamw; batch 4; seq 1024; recompute {recompute}; attention sdpa; "
        "stack torch@2.13 transformers@5.24"
    ).estimate
    assert estimate is not None
    assert estimate.allocated.bytes - WORKSPACES == pytest.approx(simulated, rel=0.001)
