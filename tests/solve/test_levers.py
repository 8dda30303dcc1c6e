"""Each lever where it cures, and where it is silent or told to be without effect."""

from __future__ import annotations

import pytest

from budgetlint.memory.estimate import Verdict

from .conftest import STACK

FIRING = [
    # lever, budget on which it alone is a cure
    ("recompute full", f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 8; seq 1024; loss fused; {STACK}"),
    ("recompute every", f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 6; seq 1024; loss fused; {STACK}"),
    ("recompute selective", f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 8; seq 1024; loss fused; {STACK}"),
    ("smaller batch", f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 8; seq 1024; loss fused; {STACK}"),
    ("shorter sequences", f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 8; seq 1024; loss fused; {STACK}"),
    ("fused loss", f"device 24GiB; model qwen2.5-0.5b; lora r=8; batch 8; seq 2048; recompute full; {STACK}"),
    ("chunked loss", f"device 24GiB; model qwen2.5-0.5b; lora r=8; batch 8; seq 2048; recompute full; {STACK}"),
    ("sdpa", f"device 24GiB; model qwen2.5-0.5b; lora r=8; batch 1; seq 4096; attention eager; loss fused; {STACK}"),
    ("flash attention", f"device 24GiB; model qwen2.5-0.5b; lora r=8; batch 1; seq 4096; attention eager; loss fused; {STACK}"),
    (
        "offload checkpoints",
        f"device 32GiB; host 256GiB; model llama-3.1-8b; lora r=8; batch 8; seq 4096; recompute full; loss fused; {STACK}",
    ),
    ("8-bit states", f"device 24GiB; model qwen2.5-1.5b; optimizer adamw; precision bf16; batch 1; seq 256; recompute full; {STACK}"),
    (
        "fused step",
        "device 32GiB; model qwen2.5-1.5b; optimizer adamw; precision bf16-autocast; batch 1; seq 128; recompute full; stack torch@2.4",
    ),
    ("paged states", f"device 20GiB; model qwen2.5-1.5b; optimizer adamw; precision bf16; batch 1; seq 256; recompute full; {STACK}"),
    ("adapter", f"device 24GiB; model qwen2.5-1.5b; optimizer adamw; precision bf16; batch 1; seq 256; recompute full; {STACK}"),
    ("qlora", f"device 24GiB; model llama-3.1-8b; batch 1; seq 512; recompute full; {STACK}"),
    ("4-bit base", f"device t4; model llama-3.1-8b; lora r=8; batch 1; seq 512; recompute full; {STACK}"),
    ("16-bit base", f"device 24GiB; model llama-3.1-8b; lora r=8; precision bf16-autocast; batch 1; seq 512; recompute full; {STACK}"),
    ("bf16 compute", f"device 12GiB; model qwen2.5-0.5b; precision fp32; lora r=8; batch 4; seq 4096; recompute full; loss fused; {STACK}"),
    ("pure bf16", f"device 24GiB; model qwen2.5-1.5b; precision bf16-autocast; batch 1; seq 256; recompute full; {STACK}"),
    ("sgd", f"device 24GiB; model qwen2.5-1.5b; precision bf16; batch 1; seq 256; recompute full; {STACK}"),
    ("zero1", f"device 8x l4; model qwen2.5-1.5b; precision bf16; batch 1; seq 256; recompute full; {STACK}"),
    ("zero2", f"device 8x l4; model qwen2.5-1.5b; precision bf16; batch 1; seq 256; recompute full; {STACK}"),
    ("zero3", f"device 8x a100-40gb; model llama-3.1-8b; precision bf16; batch 1; seq 256; recompute full; {STACK}"),
    ("full sharding", f"device 8x a100-40gb; model llama-3.1-8b; shard fsdp grad-op; batch 1; seq 256; recompute full; {STACK}"),
    ("offload optimizer", f"device 2x a100-40gb; model llama-3.1-8b; shard zero3; batch 1; seq 256; recompute full; {STACK}"),
    ("offload all", f"device 2x l4; model llama-3.1-8b; shard fsdp2; batch 1; seq 256; recompute full; {STACK}"),
]


@pytest.mark.parametrize(("lever", "budget"), FIRING, ids=[lever for lever, _ in FIRING])
def test_a_lever_cures(solve_budget, lever: str, budget: str) -> None:
    solution = solve_budget(budget)
    assert solution.verdict in (Verdict.DOES_NOT_FIT, Verdict.TIGHT)
    found = [remedy for remedy in solution.remedies if remedy.parts == (lever,)]
    assert len(found) == 1, ([one.parts for one in solution.remedies], [(one.title, one.why) for one in solution.told])
    assert found[0].cost
    assert found[0].edits or lever == "sqrt checkpoints"


SILENT = [
    ("adapter", f"device 8GiB; model qwen2.5-1.5b; optimizer galore_adamw; batch 1; seq 512; {STACK}", "GaLore is one already"),
    # lever, run that is too large without it being a cure, and why
    ("smaller batch", "device 24GiB; model llama-3.1-8b; batch 16 accum=2; seq 512", "the static state alone is too large"),
    ("smaller batch", f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 1; seq 16384; {STACK}", "there is none"),
    ("zero3", "device 1x a100-40gb; model llama-3.1-8b; batch 1; seq 256", "one device shares with nobody"),
    ("8-bit states", f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 8; seq 2048; {STACK}", "an adapter has hardly any states"),
    ("8-bit states", "device 2x l4; model llama-3.1-8b; shard fsdp2; batch 1; seq 256", "bitsandbytes does not know sharded tensors"),
    ("adapter", f"device t4; model llama-3.1-8b; lora r=8; batch 1; seq 512; {STACK}", "there is one"),
    ("recompute full", f"device t4; model llama-3.1-8b; lora r=8; batch 1; seq 512; recompute full; {STACK}", "it is on"),
    ("flash attention", f"device t4; model qwen2.5-1.5b; lora r=8; batch 8; seq 4096; attention eager; {STACK}", "not on Turing"),
    (
        "offload optimizer",
        f"device 2x a100-40gb; host 16GiB; model llama-3.1-8b; shard zero3; batch 1; seq 256; recompute full; {STACK}",
        "the host is too small",
    ),
    ("4-bit base", f"device 2x l4; model llama-3.1-70b; lora r=8; shard zero3; batch 1; seq 256; {STACK}", "packed weights are not split"),
]


@pytest.mark.parametrize(("lever", "budget", "why"), SILENT, ids=[f"{lever}, {why}" for lever, _, why in SILENT])
def test_a_lever_is_silent(solve_budget, lever: str, budget: str, why: str) -> None:
    solution = solve_budget(budget)
    assert solution.verdict in (Verdict.DOES_NOT_FIT, Verdict.TIGHT)
    assert not any(lever in remedy.parts for remedy in solution.remedies), why


def test_a_run_that_fits_needs_no_remedy(solve_budget) -> None:
    solution = solve_budget(f"device 24GiB; model qwen2.5-0.5b; lora r=8; batch 1; seq 256; {STACK}")
    assert (solution.verdict, solution.remedies, solution.told) == (Verdict.FITS, (), ())
    assert solution.batch.fits >= 1
    assert solution.card is not None


def test_a_lever_without_effect_is_told(solve_budget) -> None:
    solution = solve_budget(f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 8; seq 2048; recompute full; {STACK}")
    told = {one.title: one for one in solution.told}
    eight = told["8-bit optimizer states (adamw8bit)"]
    assert "no effect" in eight.why
    assert 0 <= eight.frees < 2**30 // 4


def test_a_batch_that_is_not_the_cause_is_told(solve_budget) -> None:
    solution = solve_budget("device 24GiB; model llama-3.1-8b; batch 16; seq 512")
    assert (solution.batch.fits, solution.batch.tight) == (None, None)
    assert any(one.title == "a smaller micro batch" and "no effect" in one.why for one in solution.told)


def test_two_levers_where_one_is_not_enough(solve_budget) -> None:
    solution = solve_budget(f"device 24GiB; model llama-3.1-8b; lora r=16; batch 4; seq 4096; {STACK}")
    sure = [one for one in solution.remedies if one.verdict is Verdict.FITS]
    assert sure and all(len(one.parts) > 1 for one in sure)
    buckets = {
        "fused loss": "logits",
        "chunked loss": "logits",
        "recompute full": "activations",
        "recompute selective": "activations",
        "4-bit base": "weights",
    }
    for remedy in sure:
        used = [buckets[part] for part in remedy.parts]
        assert len(used) == len(set(used))


def test_the_bytes_of_two_levers_are_those_of_the_whole(solve_budget) -> None:
    """Not the sum of what each frees alone: the peak moves."""
    solution = solve_budget(f"device 24GiB; model llama-3.1-8b; lora r=16; batch 4; seq 4096; {STACK}")
    both = next(one for one in solution.remedies if one.verdict is Verdict.FITS)
    assert solution.context.estimate.need.bytes - both.need == both.frees
    alone = {one.title: one.frees for one in solution.told}
    assert both.frees != sum(alone[title] for title in both.title.split(" + ") if title in alone)


def test_the_largest_bucket_comes_first_and_sgd_last(solve_budget) -> None:
    solution = solve_budget(f"device 24GiB; model qwen2.5-1.5b; optimizer adamw; batch 1; seq 512; recompute full; {STACK}")
    buckets = [
        one.bucket for one in solution.remedies if one.parts[0] not in ("sgd", "pure bf16", "shorter sequences") and len(one.parts) == 1
    ]
    assert buckets[0] == "optimizer"
    names = [one.parts for one in solution.remedies if len(one.parts) == 1]
    assert names[-1] == ("sgd",)


def test_paged_states_are_no_steady_saving(solve_budget) -> None:
    solution = solve_budget(f"device 20GiB; model qwen2.5-1.5b; optimizer adamw; precision bf16; batch 1; seq 256; recompute full; {STACK}")
    paged = next(one for one in solution.remedies if one.parts == ("paged states",))
    assert paged.verdict is Verdict.TIGHT
    assert "no steady saving" in paged.cost
    assert abs(paged.frees) < 2**30


def test_offload_says_what_the_host_holds(solve_budget) -> None:
    budget = f"device 2x a100-40gb; host 512GiB; model llama-3.1-8b; shard zero3; batch 1; seq 256; recompute full; {STACK}"
    offload = next(one for one in solve_budget(budget).remedies if one.parts == ("offload optimizer",))
    assert offload.host > 12 * 8_030_261_248 * 0.9


def test_megatron_keeps_one_checkpoint_for_several_layers(solve_budget) -> None:
    """Chen et al. 2016: sqrt(L) checkpoints. Megatron has ``recompute_num_layers``; transformers has no key for it."""
    budget = "device 64GiB; model llama-3.1-8b; lora r=8; batch 8; seq 4096; recompute full"
    root = next(one for one in solve_budget(f"{budget}; stack megatron@0.14").remedies if one.parts == ("sqrt checkpoints",))
    assert (root.settings, root.verdict) == ({"recompute_every": 5}, Verdict.FITS)
    assert [edit.text for edit in root.edits] == [" every=5"]
    assert "33 %" in root.cost


def test_smaller_buckets(solve_budget) -> None:
    solution = solve_budget(f"device 8x l4; model qwen2.5-7b; shard zero3; batch 1; seq 256; recompute full; {STACK}")
    every = (*solution.remedies, *solution.told)
    assert any("ZeRO buckets" in one.title and one.frees > 0 for one in every)


def test_what_is_not_known_is_named(solve_budget) -> None:
    solution = solve_budget("device 32GiB; reserve 3GB; model qwen2.5-1.5b; optimizer adamw8bit; lora r=16")
    assert solution.unknown == ("micro_batch", "seq_len")
    assert solution.batch.fits is None
    assert (solution.seq.at, solution.seq.fits > 1024) == (1, True)


def test_an_unknown_number_of_devices_is_solved_for(solve_budget) -> None:
    solution = solve_budget(f"device 24GiB; model llama-3.1-8b; shard zero3; batch 1; seq 512; recompute full; {STACK}")
    assert solution.devices is not None and solution.devices > 2
    assert (solution.batch.at, solution.card) == (None, None)


def test_without_a_device_the_card_is_named(solve_budget) -> None:
    solution = solve_budget(f"model qwen2.5-1.5b; lora r=16; batch 1; seq 1024; recompute full; {STACK}")
    assert solution.card is not None
    assert (
        solve_budget(f"device {solution.card.name}; model qwen2.5-1.5b; lora r=16; batch 1; seq 1024; recompute full; {STACK}").verdict
        is Verdict.FITS
    )
