"""What is not stated but bounded: the range has both ends, and a verdict is given only where they agree."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

SHARDED = "precision bf16; optimizer adamw; recompute full; attention flash; batch 1; seq 2048; stack transformers@5.24 torch@2.13"


def judged(budget: str):
    (run,) = judge_texts({}, budget=f"{SHARDED}\n{budget}").runs
    return run.estimate


def test_a_number_of_devices_that_nobody_states_lies_between_one_and_very_many() -> None:
    answer, one, many = (judged(f"model qwen2.5-7b; device {count}80GiB; shard zero3") for count in ("", "1x ", "512x "))
    assert "devices" in answer.missing
    assert answer.allocated.high >= one.allocated.high
    assert answer.allocated.low <= many.allocated.low
    assert any("number of devices is not stated" in assumption.text for assumption in answer.assumptions)


@pytest.mark.parametrize(("model", "verdict"), [("qwen2.5-0.5b", "fits"), ("qwen2.5-7b", "unknown"), ("llama-3.1-405b", "unknown")])
def test_the_verdict_waits_for_the_number_of_devices_only_where_it_decides(model: str, verdict: str) -> None:
    answer = judged(f"model {model}; device 80GiB; shard zero3")
    assert answer.verdict.value == verdict
    fewest = answer.devices_needed
    assert judged(f"model {model}; device {fewest}x 80GiB; shard zero3").verdict.value == "fits"
    assert fewest == 1 or judged(f"model {model}; device {fewest // 2}x 80GiB; shard zero3").verdict.value != "fits"


def test_a_layout_that_is_not_modelled_makes_no_verdict_of_a_whole_model() -> None:
    """The whole model needs 203 GiB; each of four stages holds a part that nobody here works out."""
    batch = "device 16GiB; precision bf16; optimizer adamw; batch 64; model whisper-large-v2; stack transformers@4.57 torch@2.9"
    alone, split = (judge_texts({}, budget=f"{batch}\n{more}").runs[0].estimate for more in ("", "parallel pp=4"))
    assert alone is not None and split is not None
    assert (alone.verdict.value, split.verdict.value) == ("does-not-fit", "unknown")


def test_an_adapter_that_a_variable_decides_is_between_lora_and_the_whole_model() -> None:
    command = (
        "python train.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 1 --max_length 1024 --bf16 true "
        "--output_dir out --num_train_epochs 1 --dtype bfloat16 --use_peft "
    )
    budget = "device 1x h200; stack transformers@5.24 torch@2.13 trl@1.16"
    answers = [judge_texts({"run.sh": command + word + "\n"}, budget=budget).runs[0].estimate for word in ("$LORA", "true", "false")]
    either, adapted, whole = (answer.allocated for answer in answers)
    assert either.low <= adapted.low < whole.low
    assert either.high >= whole.high > adapted.high


FLATTENED = """model_name_or_path: Qwen/Qwen2.5-7B
per_device_train_batch_size: 8
num_train_epochs: 1
learning_rate: 1.0e-5
max_length: 8192
dtype: bfloat16
bf16: true
gradient_checkpointing: true
attn_implementation: flash_attention_2
use_peft: true
lora_r: 8
loss_type: nll
"""


@pytest.mark.parametrize(
    ("more", "verdict"),
    [("padding_free: false\n", "does-not-fit"), ("padding_free: true\n", "unknown"), ("packing: true\n", "does-not-fit")],
)
def test_a_written_length_is_reached_by_one_example_to_which_only_padding_makes_the_others_as_long(more: str, verdict: str) -> None:
    budget = "device 1x a100-80gb; stack transformers@5.2 torch@2.9 trl@1.5; config train.yaml"
    (run,) = judge_texts({"train.yaml": FLATTENED + more}, budget=budget).runs
    assert run.estimate.verdict.value == verdict
    assert [opened.name for fork in run.estimate.forks for opened in fork.settings] == (["seq_len"] if verdict == "unknown" else [])
    assert any("longest sample" in assumption.text for assumption in run.estimate.assumptions) is ("packing" not in more)


def test_a_deepspeed_file_that_is_not_here_may_hold_16_bit_weights_and_no_copies_of_them() -> None:
    """The least that a run may take: ZeRO-3 with offload, of a reference model too, and DeepSpeed's own bf16 for autocast over fp32."""
    command = (
        "torchrun --nproc_per_node 8 --nnodes 4 trl/scripts/dpo.py --model_name_or_path Qwen/Qwen2.5-72B-Instruct --output_dir o "
        "--bf16 True --per_device_train_batch_size 1 --max_seq_length 8192 --do_train True --deepspeed missing.json "
        "--rpo_alpha 1 --loss_type sigmoid\n"
    )
    answer = judge_texts({"run.sh": command}, budget="device 80GiB").runs[0].estimate
    assert answer.verdict.value != "does-not-fit"
    assert answer.need.low < 40 * 2**30 < 80 * 2**30 < answer.need.high


def test_a_budget_alone_does_not_say_whose_loop_accumulates() -> None:
    """transformers' Trainer keeps whole gradients between FSDP's reductions (``no_sync``), other loops reduce in each micro batch: a
    release of transformers that is one of several readings does not make it the trainer."""
    text = "device 8x a100-40gb; model qwen2.5-14b; precision bf16-autocast; optimizer adamw; recompute full; attention flash; loss fused"
    runs = {
        stack: judge_texts({"b.budget": f"{text}\nseq 1024; shard fsdp; batch 1 accum=4{stack}"}).runs[0].estimate
        for stack in ("", "; stack transformers@4.57 torch@2.8")
    }
    assert [one.verdict.value for one in runs.values() if one is not None] == ["unknown", "does-not-fit"]
