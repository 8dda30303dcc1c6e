"""Vision-language runs: what of the tower trains, what its images cost, and when."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.memory.estimate import Estimate
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

Runs = Callable[[str], RunContext]
STACK = "stack transformers@5.24 torch@2.13"
FULL = f"device 1x h200; model qwen2.5-vl-7b; precision bf16-pure; optimizer adamw; seq 4096; recompute full; {STACK}"
LORA = FULL.replace("recompute full", "recompute full; lora r=16 targets=[q_proj, k_proj, v_proj, o_proj]")

DECODER, TOWER, MERGER = 7_615_616_512, 631_975_680, 44_574_464
"""LLaMA-Factory logged 7,615,616,512 trainable parameters of 8,292,166,656 with tower and projector frozen; the sum of all three."""


def answer(run_of: Runs, text: str) -> Estimate:
    found = run_of(text).estimate
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("freeze", "trained"),
    [
        ("", DECODER + TOWER + MERGER),
        ("freeze vision_tower", DECODER + MERGER),
        ("freeze visual", DECODER),
        ("freeze merger", DECODER + TOWER),
    ],
)
def test_frozen_parts_do_not_train(run_of: Runs, freeze: str, trained: int) -> None:
    found = answer(run_of, f"{FULL}; batch 1 images=1; {freeze}")
    assert (found.params, found.trainable_params) == (8_292_166_656, trained)


def test_a_frozen_tower_has_no_gradients_and_no_states(run_of: Runs) -> None:
    whole, frozen = (answer(run_of, f"{FULL}; batch 1 images=0; {words}") for words in ("", "freeze visual; freeze merger"))
    saved = 2 * (TOWER + MERGER)
    sizes = {bucket.value: (whole.buckets[bucket], frozen.buckets[bucket]) for bucket in whole.buckets}
    assert sizes["gradients"][0] - sizes["gradients"][1] == saved
    assert sizes["optimizer"][0] - sizes["optimizer"][1] == 2 * saved
    assert sizes["weights"][0] == sizes["weights"][1]


def activations(found: Estimate) -> int:
    return sum(term.bytes for term in found.bill if term.bucket.value == "activations")


def test_a_frozen_tower_keeps_its_output_only(run_of: Runs) -> None:
    """1,024 tokens of one image at 28 x 28 pixels a token, 3,584 wide, in 16 bit."""
    none, one = (answer(run_of, f"{LORA}; batch 1 images={count} pixels={1024 * 28 * 28}") for count in (0, 1))
    assert activations(one) - activations(none) == 1024 * 3584 * 2


def test_a_tower_that_trains_keeps_a_checkpoint_of_each_block_and_patch(run_of: Runs) -> None:
    none, one = (answer(run_of, f"{FULL}; batch 1 images={count} pixels={1024 * 28 * 28}") for count in (0, 1))
    forward = [next(phase for phase in found.phases if phase.name == "forward") for found in (none, one)]
    blocks, patches = 32, 4 * 1024
    merger = 1024 * 2 * (5120 + 5120 + 5120)
    assert forward[1].bytes - forward[0].bytes == blocks * patches * 1280 * 2 + 1024 * 3584 * 2 + merger


def test_larger_images_cost_more_and_a_sequence_bounds_them(run_of: Runs) -> None:
    sizes = [answer(run_of, f"{FULL}; batch 1 images=1 pixels={side * side}").allocated.bytes for side in (448, 896, 1344, 1792, 8960)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == sizes[-2]  # 1,792 x 1,792 pixels are the 4,096 tokens of the sequence


def test_images_that_nobody_counts_are_none_or_as_many_as_the_sequence_holds(run_of: Runs) -> None:
    unsaid, none, most = (answer(run_of, f"{FULL}; batch 1 {words}") for words in ("", "images=0", "images=99"))
    assert unsaid.allocated.low == none.allocated.low
    assert unsaid.allocated.high == most.allocated.high > none.allocated.high
    assert any("images in a sequence are not stated" in one.text for one in unsaid.assumptions)
    assert unsaid.missing == ()


@pytest.mark.parametrize(
    ("targets", "more"),
    [
        ("[q_proj, v_proj]", 0),  # the tower packs q, k and v
        ("[down_proj]", 32 * 16 * (3420 + 1280)),  # the MLPs of both have one
        ("[qkv]", None),
    ],
)
def test_an_adapter_reaches_the_tower_where_names_match(run_of: Runs, targets: str, more: int | None) -> None:
    run = f"{FULL}; lora r=16 targets={targets}; batch 1 images=1"
    both, decoder = (answer(run_of, f"{run}; {words}").trainable_params or 0 for words in ("", "freeze visual"))
    assert both - decoder == (32 * 16 * (1280 + 3840) if more is None else more)
    assert (decoder == 0) == (more is None)


PEFT = {
    ("qwen2.5-vl-7b", "all"): 51_824_640,
    ("qwen2.5-vl-7b", "[q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj]"): 47_589_376,
    ("llava-1.5-7b", "all"): 47_267_840,
    ("llava-1.5-7b", "[q_proj, v_proj]"): 9_961_472,
    ("gemma-3-4b", "[q_proj, v_proj]"): 6_447_104,
    ("qwen3.5-4b", "all"): 38_993_920,
    ("qwen3-next-80b-a3b", "[q_proj, in_proj_qkvz]"): 10_223_616,
}
"""Counted in models of transformers 5.24.0 on meta tensors with adapters of rank 16 by peft 0.21.2."""


@pytest.mark.parametrize(("model", "targets"), PEFT)
def test_as_many_parameters_train_as_peft_adds(run_of: Runs, model: str, targets: str) -> None:
    run = f"device 1x h200; model {model}; precision bf16-pure; optimizer adamw; seq 512; batch 1 images=0; {STACK}"
    assert answer(run_of, f"{run}; lora r=16 targets={targets}").trainable_params == PEFT[model, targets]


def test_a_four_bit_base_packs_the_tower_too(run_of: Runs) -> None:
    """transformers' bitsandbytes integration replaces every linear but the head: 2 B less 0.5 and its constants each."""
    plain, packed = (answer(run_of, f"{LORA}; batch 1 images=0; {words}") for words in ("", "quant nf4 double=on"))
    weights = [next(size for bucket, size in found.buckets.items() if bucket.value == "weights") for found in (plain, packed)]
    linears = 28 * (2 * 3584 * 3584 + 2 * 3584 * 512 + 3 * 3584 * 18944) + 32 * (4 * 1280 * 1280 + 3 * 1280 * 3420) + 5120 * (5120 + 3584)
    assert weights[0] - weights[1] == pytest.approx(linears * (2 - 0.515869), rel=1e-3)


MODELS = ("qwen2-vl-2b", "qwen3-vl-4b", "llava-1.5-7b", "gemma-3-4b", "internvl2-2b", "pixtral-12b", "qwen3-vl-30b-a3b")


@pytest.mark.parametrize("model", MODELS)
def test_every_tower_is_priced_and_more_when_it_trains(run_of: Runs, model: str) -> None:
    run = f"device 8x h200; model {model}; precision bf16-pure; optimizer adamw; seq 4096; batch 1 images=1; shard fsdp"
    frozen, trained = (answer(run_of, f"{run}; {words}") for words in ("freeze vision_tower; freeze projector", ""))
    assert trained.allocated.high is not None and frozen.allocated.high is not None
    assert trained.allocated.bytes > frozen.allocated.bytes
    assert trained.allocated.high > frozen.allocated.high


def test_llamafactory_freezes_tower_and_projector_unless_told(run_of: Runs) -> None:
    config = "model_name_or_path: Qwen/Qwen2.5-VL-7B-Instruct\nstage: sft\nfinetuning_type: full\ndo_train: true\n"
    config += "template: qwen2_vl\nbf16: true\n"
    trained = {}
    for words in ("", "freeze_vision_tower: false\nfreeze_multi_modal_projector: false\n"):
        (run,) = judge_texts({"train.yaml": config + words}, budget="device 8x h200").runs
        assert run.estimate is not None
        trained[words] = run.estimate.trainable_params
    assert list(trained.values()) == [DECODER, 8_292_166_656]
