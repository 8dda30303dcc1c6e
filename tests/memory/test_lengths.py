"""Lengths that a model decides: patches of an image, frames of sound, targets of a source."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.memory.estimate import Estimate
from budgetlint.rules_api.context import RunContext

RunOf = Callable[[str], RunContext]


def estimate_of(run_of: RunOf, text: str) -> Estimate:
    found = run_of(f"device 80GiB; optimizer adamw; precision bf16-autocast; stack transformers@5.24 torch@2.13; {text}").estimate
    assert found is not None
    return found


def assumed(estimate: Estimate, word: str) -> bool:
    return any(word in assumption.text for assumption in estimate.assumptions)


def test_a_vision_model_needs_no_length(run_of: RunOf) -> None:
    alone, stated = (estimate_of(run_of, f"model vit-base; batch 8{length}") for length in ("", "; seq 197"))
    assert alone.missing == ()
    assert alone.allocated == stated.allocated
    assert assumed(alone, "224 x 224 pixels is 197 positions")


def test_images_of_a_batch_multiply(run_of: RunOf) -> None:
    assert estimate_of(run_of, "model vit-base; batch 4 images=2").allocated == estimate_of(run_of, "model vit-base; batch 8").allocated


@pytest.mark.parametrize(("side", "count"), [("patch16-384", 577), ("patch32-384", 145)])
def test_patches_make_the_length(run_of: RunOf, side: str, count: int) -> None:
    assert assumed(estimate_of(run_of, f"model vit-base-{side}; batch 1"), f"is {count} positions")


def test_whisper_pads_sound_to_thirty_seconds_and_takes_labels_from_seq(run_of: RunOf) -> None:
    silent, short = estimate_of(run_of, "model whisper-small; batch 4"), estimate_of(run_of, "model whisper-small; batch 4; seq 64")
    assert silent.missing == short.missing == ()
    assert assumed(silent, "1,500 encoder positions") and assumed(silent, "up to 448 tokens")
    assert short.allocated.bytes < silent.allocated.bytes


def test_sinusoidal_positions_do_not_train(run_of: RunOf) -> None:
    whisper = estimate_of(run_of, "model whisper-large-v3; batch 1")
    assert whisper.params is not None and whisper.trainable_params == whisper.params - 1500 * 1280


def test_a_target_is_a_length_of_its_own(run_of: RunOf) -> None:
    short, long = (estimate_of(run_of, f"model t5-base; batch 8; seq 512 target={target}") for target in (32, 512))
    unsaid = estimate_of(run_of, "model t5-base; batch 8; seq 512")
    assert short.allocated.bytes < long.allocated.bytes == unsaid.allocated.bytes
    assert assumed(unsaid, "targets are not stated") and unsaid.allocated.low < short.allocated.low


def test_an_encoder_decoder_without_a_source_length_is_open(run_of: RunOf) -> None:
    assert estimate_of(run_of, "model t5-base; batch 8").missing == ("seq_len",)
    assert estimate_of(run_of, "model t5-base; batch 8; seq 128").missing == ()


def test_padding_costs_a_bias_in_every_attention_to_the_source(run_of: RunOf) -> None:
    padded, packed = (estimate_of(run_of, f"model t5-base; batch 8; seq 512 target=64{more}") for more in ("", " packing=on"))
    assert packed.allocated.bytes < padded.allocated.bytes
    assert padded.allocated.low < packed.allocated.bytes


def test_adapters_and_quantised_weights_lie_in_both_stacks(run_of: RunOf) -> None:
    """flan-t5-base: 12 layers each; q, k, v, o of 768 x 768, in the decoder twice; wi_0, wi_1, wo of 768 x 2048."""
    adapted = estimate_of(run_of, "model flan-t5-base; batch 1; seq 64 target=64; lora r=8 targets=all")
    attention, feed = 4 * (768 + 768), 3 * (768 + 2048)
    assert adapted.trainable_params == 8 * 12 * (3 * attention + 2 * feed)
    packed = estimate_of(run_of, "model flan-t5-base; batch 1; seq 64 target=64; lora r=8 targets=all; quant nf4")
    assert packed.phases[0].bytes < adapted.phases[0].bytes // 2


def test_a_pair_of_towers_is_refused_by_name(run_of: RunOf) -> None:
    clip = estimate_of(run_of, "model clip-vit-large-patch14; batch 8; seq 77")
    assert "model" in clip.missing and assumed(clip, "two towers")


def test_gradients_stay_before_torch_2(run_of: RunOf) -> None:
    """pytorch/pytorch#92731: they were zeroed, so they are there in the next forward."""
    text = "device v100-16gb; model bert-large-uncased head=classification; precision fp32; batch 4; seq 128; stack torch@{}"
    old, new = (run_of(text.format(version)).estimate for version in ("1.12", "2.0"))
    assert old is not None and new is not None
    kept = old.phase("forward"), new.phase("forward")
    assert kept[0] is not None and kept[1] is not None
    assert kept[0].bytes - kept[1].bytes == 4 * (new.trainable_params or 0)
    assert old.bill[-2].bytes == 1343 * 2**20  # read on a V100 with every kernel loaded


@pytest.mark.parametrize(("old", "new"), [("query, value", "q_proj, v_proj"), ("intermediate.dense", "fc1")])
def test_modules_of_a_vision_model_have_the_names_of_either_release(run_of: RunOf, old: str, new: str) -> None:
    counts = {
        estimate_of(run_of, f'model vit-base; batch 1; lora r=8 targets=["{names}"]'.replace(", ", '", "')).trainable_params
        for names in (old, new)
    }
    assert len(counts) == 1 and 0 not in counts
