"""Decoders with layers of two kinds: Qwen3.5 and Qwen3-Next."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.models import find_model
from budgetlint.memory.shape import shape_of
from budgetlint.rules_api.context import RunContext

Runs = Callable[[str], RunContext]


@pytest.mark.parametrize("model", ["qwen3.5-4b", "qwen3.5-35b-a3b", "qwen3-next-80b-a3b"])
def test_what_is_in_no_layer_is_exact(model: str) -> None:
    """Embedding, head, last norm; with a tower its patches, positions and projector."""
    arch = find_model(model)
    assert isinstance(arch, Architecture)
    shape, vision = shape_of(arch), arch.part("vision")
    projector = 0
    if vision is not None:
        wide = 4 * vision.hidden
        merger = 2 * vision.hidden + wide * wide + wide + wide * arch.hidden + arch.hidden
        projector = merger + vision.hidden * (3 * 16 * 16 * 2 + 1 + 2304)
    assert shape.root == shape.embed + shape.head + shape.final_norm + projector


def test_the_whole_trains_and_a_four_bit_base_packs_every_linear(run_of: Runs) -> None:
    run = "device 1x h200; model qwen3.5-4b; precision bf16-pure; optimizer adamw; batch 1 images=0; seq 1024"
    run += "; stack transformers@5.24 torch@2.13"
    whole, packed = (run_of(f"{run}; {words}").estimate for words in ("recompute full", "lora r=8 targets=[q_proj]; quant nf4 double=on"))
    assert whole is not None and packed is not None
    assert whole.trainable_params == 4_539_265_536
    assert packed.trainable_params == 8 * 8 * (2560 + 2 * 16 * 256)
    weights = next(size for bucket, size in packed.buckets.items() if bucket.value == "weights")
    assert 0.45 * 4_539_265_536 < weights < 1.1 * 4_539_265_536


def test_only_the_layers_that_attend_have_scores(run_of: Runs) -> None:
    """Eager attention costs a quarter of the pairs: 8 of 32 layers."""
    run = "device 8x h200; model qwen3.5-4b; precision bf16-pure; optimizer adamw; batch 1 images=0; stack transformers@5.24 torch@2.13"
    sizes = []
    for length in (1024, 2048, 4096):
        found = run_of(f"{run}; seq {length}; attention eager; shard fsdp").estimate
        assert found is not None
        forward = next(phase for phase in found.phases if phase.name == "forward")
        sizes.append(sum(term.bytes for term in forward.terms if term.bucket.value == "activations"))
    curvature = sizes[2] - 3 * sizes[1] + 2 * sizes[0]  # of what grows with the square: 3 x 1024 x 2048 pairs
    assert curvature == 8 * 16 * 6 * 6 * 1024 * 1024


def test_the_estimate_says_that_no_trace_stands_behind_it(run_of: Runs) -> None:
    found = run_of("device 1x h200; model qwen3.5-9b; precision bf16-pure; optimizer adamw; batch 1; seq 1024").estimate
    assert found is not None
    assert any("linear attention" in one.text for one in found.assumptions)


def test_experts_split_over_devices_split_their_states(run_of: Runs) -> None:
    """8 devices: 8-byte states and 4-byte weights of every parameter over all of them, with and without expert parallelism."""
    run = "device 8x 80GiB; model qwen3.5-35b-a3b; precision bf16-autocast; optimizer adamw; batch 1 images=0; seq 512"
    run += "; shard fsdp2; recompute full"
    sizes = []
    for words in ("", "parallel ep=8"):
        found = run_of(f"{run}; {words}").estimate
        assert found is not None
        sizes.append({bucket.value: size for bucket, size in found.buckets.items()})
    for bucket in ("weights", "optimizer"):
        assert sizes[1][bucket] == pytest.approx(sizes[0][bucket], rel=1e-3)
