"""The key vocabularies: what is in them, and which slips of the pen are recognised."""

from __future__ import annotations

import pytest

from budgetlint.catalog.vocabulary import distance, gone, keys, misspelt


@pytest.mark.parametrize(
    ("table", "group", "name"),
    [
        ("hf", "training_arguments", "per_device_train_batch_size"),
        ("hf", "training_arguments", "evaluation_strategy"),
        ("hf", "training_arguments", "activation_checkpointing"),
        ("hf", "trl", "packing_strategy"),
        ("hf", "trl_script", "lora_target_modules"),
        ("accelerate", "top", "distributed_type"),
        ("accelerate", "launch_flags", "zero3_save_16bit_model"),
        ("axolotl", "top", "context_parallel_size"),
        ("axolotl", "plugins", "liger_fused_linear_cross_entropy"),
        ("llamafactory", "hparams", "disable_gradient_checkpointing"),
        ("deepspeed", "top", "gradient_accumulation_steps"),
        ("deepspeed", "top", "communication_data_type"),
        ("deepspeed", "top", "tensorboard"),
        ("deepspeed", "zero_optimization", "stage3_gather_16bit_weights_on_model_save"),
        ("deepspeed", "zero_optimization.offload_param", "nvme_path"),
        ("litgpt", "top", "lora_projection"),
        ("litgpt", "train", "lr_warmup_steps"),
        ("litgpt", "train", "learning_rate"),
        ("torchtitan", "top", "activation_checkpoint"),
        ("torchtitan", "training", "local_batch_size"),
        ("torchtitan", "float8", "enable_fsdp_float8_all_gather"),
        ("torchtitan", "quantize.linear.float8", "enable_fsdp_float8_all_gather"),
        ("ms_swift", "top", "sft_type"),
        ("ms_swift", "top", "tuner_type"),
        ("ms_swift", "top", "recompute_granularity"),
        ("peft", "top", "use_rslora"),
        ("peft", "any", "vera_dropout"),
        ("torchtune", "top", "enable_activation_offloading"),
    ],
)
def test_a_key_of_the_framework_is_known(table: str, group: str, name: str) -> None:
    assert name in keys(table, group) or (name == "communication_data_type" and name in keys(table, "asked"))


@pytest.mark.parametrize(
    ("table", "group", "name", "release"),
    [
        ("litgpt", "train", "learning_rate", "0.4.0"),
        ("litgpt", "train", "micro_batch_size", None),
        ("torchtitan", "lr_scheduler", "lr_min", "0.2.0"),
        ("torchtitan", "training", "seed", "0.2.1"),
        ("ms_swift", "top", "sft_type", "3.0.0"),
        ("ms_swift", "top", "tuner_type", None),
    ],
)
def test_the_release_that_dropped_a_key(table: str, group: str, name: str, release: str | None) -> None:
    assert gone(table, group).get(name) == release


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("gradient_acumulation_steps", "gradient_accumulation_steps"),
        ("gradient_accumulation_step", "gradient_accumulation_steps"),
        ("gradient_checkpoiting", "gradient_checkpointing"),
        ("learningrate", "learning_rate"),
        ("learning_rtae", "learning_rate"),
        ("warmup_ration", "warmup_ratio"),
        ("learning_rate", ""),
        ("max_stops", "max_steps"),
        ("max_tokens", ""),
        ("evaluation_rate", ""),
        ("seeds", ""),
        ("adam_beta3", ""),
    ],
)
def test_a_slip_is_recognised_and_another_word_is_left_alone(word: str, meant: str) -> None:
    known = ("gradient_accumulation_steps", "gradient_checkpointing", "learning_rate", "warmup_ratio", "max_steps", "seed", "adam_beta1")
    assert misspelt(word, known) == meant


def test_two_equally_near_names_are_no_answer() -> None:
    assert misspelt("adam_betas", ("adam_betaz", "adam_betax")) == ""


@pytest.mark.parametrize(("left", "right", "errors"), [("step", "steps", 1), ("rtae", "rate", 1), ("abcd", "abcd", 0), ("abcd", "wxyz", 3)])
def test_a_swap_of_neighbours_is_one_error_and_far_words_are_cut_off(left: str, right: str, errors: int) -> None:
    assert distance(left, right, 2) == errors
