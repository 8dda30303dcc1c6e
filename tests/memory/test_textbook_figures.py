"""The figures people know, each with its source, within the tolerance that its own terms give."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.memory import textbook
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket
from budgetlint.rules_api.context import RunContext

GB = 10**9
Runs = Callable[[str], RunContext]

QWEN = "model qwen2.5-1.5b; attention sdpa; stack torch@2.13 transformers@5.24"


def test_mixed_adamw_holds_weights_gradients_and_twelve_bytes_of_state(run_of: Runs) -> None:
    """Rajbhandari et al. 2019, section 3.1: 2 + 2 + 12 bytes a parameter; the widely quoted 3.08 + 3.08 + 18.48 GB takes 1.54e9."""
    estimate = run_of(f"device 32GB; {QWEN}; precision bf16; optimizer adamw; batch 4; seq 1024").estimate
    assert estimate is not None
    assert estimate.params == 1_543_714_304
    buckets = {bucket: size for phase in estimate.phases if phase.name == "step" for bucket, size in phase.buckets.items()}
    assert buckets[Bucket.WEIGHTS] == pytest.approx(3.08 * GB, rel=0.01)
    assert buckets[Bucket.GRADIENTS] == pytest.approx(3.08 * GB, rel=0.01)
    assert buckets[Bucket.OPTIMIZER] == pytest.approx(18.48 * GB, rel=0.01)
    assert estimate.static_bytes == 16 * 1_543_714_304
    assert estimate.static_bytes == pytest.approx(24.64 * GB, rel=0.01)
    assert estimate.verdict is Verdict.DOES_NOT_FIT


STATIC = [
    # budget, GB, tolerance, source
    (f"{QWEN}; precision bf16; optimizer adamw8bit", 15.4, 0.02, "2 + 2 + 4 + 2 bytes a parameter (8-bit states of bitsandbytes)"),
    (f"{QWEN}; precision bf16; optimizer adamw; lora r=16", 4.0, 0.20, "a 16-bit base and an adapter of 1 %"),
    ("model qwen2.5-7b; precision bf16; optimizer adamw", 122.0, 0.02, "16 bytes a parameter"),
    ("model qwen2.5-7b; precision bf16; optimizer adamw; lora r=16", 18.0, 0.15, "a 16-bit base and its adapter"),
    ("model qwen2.5-7b; quant nf4 double=on upcast=all; lora r=16; optimizer adamw8bit", 8.0, 0.25, "a 4-bit base, fp32 embeddings"),
]


@pytest.mark.parametrize(("budget", "expected", "tolerance", "source"), STATIC)
def test_static_state_of_the_common_recipes(run_of: Runs, budget: str, expected: float, tolerance: float, source: str) -> None:
    estimate = run_of(f"device h200; {budget}").estimate
    assert estimate is not None
    assert estimate.static_bytes == pytest.approx(expected * GB, rel=tolerance), source


SEVEN = [
    # stanford_alpaca issue 322 (7 x 4 x 4 = 112 GB in fp32 Adam), ZeRO paper (2 + 2 + 12 = 16), Megatron with fp32 gradients (18)
    ("precision fp32", 112),
    ("precision bf16", 112),
    ("precision bf16 grads=fp32", 126),
]


@pytest.mark.parametrize(("precision", "expected"), SEVEN)
def test_seven_billion_parameters(run_of: Runs, precision: str, expected: int) -> None:
    run = run_of(f"device h200; model mistral-7b-v0.1; {precision}; optimizer adamw")
    assert run.estimate is not None and run.estimate.params is not None
    assert run.estimate.static_bytes / run.estimate.params * 7e9 == pytest.approx(expected * GB, rel=0.001)


def test_zero3_splits_the_static_state_over_the_ranks(run_of: Runs) -> None:
    """112 GB / 8 = 14 GB a device for 7e9 parameters (ZeRO paper, table 1)."""
    run = run_of("device 8x h100-80gb; model mistral-7b-v0.1; precision bf16; optimizer adamw; shard zero3; batch 1; seq 2048")
    assert run.estimate is not None and run.estimate.params is not None
    assert run.estimate.static_bytes / run.estimate.params * 7e9 == pytest.approx(14 * GB, rel=0.001)


def test_korthikanti_formula() -> None:
    """arXiv 2205.05198: s b h (34 + 5 a s / h) a layer; about 30 GB for a 7B model, 2,048 tokens, batch 1."""
    assert textbook.korthikanti(2048, 1, 4096, 32, 32) == 2048 * 4096 * 34 * 32 + 5 * 32 * 2048 * 2048 * 32
    assert textbook.korthikanti(2048, 1, 4096, 32, 32) == pytest.approx(30 * GB, rel=0.05)


@pytest.mark.parametrize(("layers", "every"), [(16, 4), (36, 6), (28, 5), (32, 6), (1, 1)])
def test_checkpoint_interval_is_next_to_the_square_root(layers: int, every: int) -> None:
    """Chen et al. 2016 (arXiv 1604.06174): m(k) = L/k + k."""
    best = textbook.best_checkpoint_every(layers)
    assert textbook.checkpoint_cost(layers, best) == min(textbook.checkpoint_cost(layers, k) for k in range(1, layers + 1))
    assert textbook.checkpoint_cost(layers, every) == textbook.checkpoint_cost(layers, best)
