"""Optimizers are found by every ecosystem's spelling; their state is counted by the layouts they use."""

from __future__ import annotations

import pytest

from budgetlint.catalog.names import NoMatch
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import all_optimizers, find_optimizer, state_bytes_of


def found(text: str, ecosystem: str = "") -> Optimizer:
    optimizer = find_optimizer(text, ecosystem)
    assert isinstance(optimizer, Optimizer), optimizer
    return optimizer


@pytest.mark.parametrize(
    ("spelling", "ecosystem", "name", "decay"),
    [
        ("adamw_torch", "hf", "adamw", "decoupled"),
        ("torch.optim.AdamW", "torchtune", "adamw", "decoupled"),
        ("torch.optim.Adam", "torchtune", "adam", "l2"),
        ("Adam", "deepspeed", "fused_adam", "decoupled"),
        ("AdamW", "deepspeed", "fused_adam", "decoupled"),
        ("Adam", "gpt_neox", "fused_adam", "decoupled"),
        ("adam", "megatron", "megatron_adam", "decoupled"),
        ("adam", "verl", "megatron_adam", "decoupled"),
        ("adam", "nemo", "adam", "l2"),
        ("fused_adam", "nemo", "fused_adam", "decoupled"),
        ("adam", "bnb", "adam_bnb_32bit", "decoupled"),
        ("bitsandbytes.optim.Adam8bit", "", "adam8bit", "decoupled"),
        ("bitsandbytes.optim.PagedAdamW", "torchtune", "paged_adamw_32bit", "decoupled"),
        ("adamw_bnb_8bit", "hf", "adamw8bit", "decoupled"),
        ("adamw_8bit", "axolotl", "adamw8bit", "decoupled"),
        ("adamw8bit", "", "adamw8bit", "decoupled"),
        ("PagedAdamW8bit", "", "paged_adamw_8bit", "decoupled"),
        ("torchao.optim.AdamW8bit", "", "adamw_torch_8bit", "decoupled"),
        ("adafactor", "hf", "adafactor", "decoupled"),
        ("torch.optim.Adafactor", "", "adafactor_torch", "decoupled"),
        ("AdamW", "torchtitan", "adamw_torch_fused", "decoupled"),
        ("Lion", "deepspeed", "fused_lion", "decoupled"),
        ("lion_pytorch", "axolotl", "lion", "decoupled"),
        ("rmsprop_bnb", "hf", "rmsprop_bnb", "l2"),
        ("mcore_distributed_optim", "nemo", "megatron_adam", "decoupled"),
        ("decoupled_adamw", "llm_foundry", "decoupled_adamw", "decoupled"),
        ("adamW", "", "adamw", "decoupled"),
        ("OneBitAdam", "deepspeed", "onebit_adam", "decoupled"),
        ("adam_mini", "llamafactory", "adam_mini", "decoupled"),
    ],
)
def test_a_spelling_resolves_to_the_class_that_runs(spelling: str, ecosystem: str, name: str, decay: str) -> None:
    optimizer = found(spelling, ecosystem)
    assert (optimizer.name, optimizer.decay) == (name, decay)


HF_NAMES = [
    "adamw_torch",
    "adamw_torch_fused",
    "adamw_torch_xla",
    "adamw_torch_npu_fused",
    "adafactor",
    "adamw_anyprecision",
    "adamw_torch_4bit",
    "adamw_torch_8bit",
    "ademamix",
    "sgd",
    "adagrad",
    "adamw_bnb_8bit",
    "adamw_8bit",
    "ademamix_8bit",
    "lion_8bit",
    "lion_32bit",
    "paged_adamw_32bit",
    "paged_adamw_8bit",
    "paged_ademamix_32bit",
    "paged_ademamix_8bit",
    "paged_lion_32bit",
    "paged_lion_8bit",
    "rmsprop",
    "rmsprop_bnb",
    "rmsprop_bnb_8bit",
    "rmsprop_bnb_32bit",
    "galore_adamw",
    "galore_adamw_8bit",
    "galore_adafactor",
    "galore_adamw_layerwise",
    "galore_adamw_8bit_layerwise",
    "galore_adafactor_layerwise",
    "lomo",
    "adalomo",
    "grokadamw",
    "schedule_free_radam",
    "schedule_free_adamw",
    "schedule_free_sgd",
    "apollo_adamw",
    "apollo_adamw_layerwise",
    "stable_adamw",
    "adamw_hf",
    "adamw_apex_fused",
]
"""OptimizerNames of transformers 5.24.0, and two that older versions have."""


@pytest.mark.parametrize("name", HF_NAMES)
def test_every_name_of_the_trainer_is_known(name: str) -> None:
    assert found(name, "hf").sources


def test_a_near_miss_is_suggested_and_not_taken() -> None:
    missing = find_optimizer("adamw8bits")
    assert isinstance(missing, NoMatch)
    assert missing.suggestions[0] == "adamw8bit"


MATRIX, VECTOR, SMALL = (4096, 4096, 1), (4096, 1, 1), (100, 1, 1)


@pytest.mark.parametrize(
    ("name", "tensor", "dtype", "expected"),
    [
        ("adamw", MATRIX, 4, 8 * 4096**2),
        ("adamw", MATRIX, 2, 4 * 4096**2),
        ("adamw_bnb_32bit", MATRIX, 2, 8 * 4096**2),
        ("adamw8bit", MATRIX, 2, 2 * (4096**2 + 4 * 4096**2 // 256)),
        ("adamw8bit", VECTOR, 2, 2 * (4096 + 4 * 16)),
        ("adamw8bit", (4095, 1, 1), 2, 2 * 4 * 4095),
        ("adamw8bit", (4097, 1, 1), 2, 2 * (4097 + 4 * 17)),
        ("lion_8bit", MATRIX, 4, 4096**2 + 4 * 4096**2 // 256),
        ("ademamix_8bit", MATRIX, 4, 3 * (4096**2 + 4 * 4096**2 // 256)),
        ("adamw_torch_8bit", SMALL, 2, 2 * 2 * 100),
        ("adamw_torch_8bit", (4097, 1, 1), 2, 2 * 2 * 4097),
        ("adamw_torch_4bit", MATRIX, 2, 2 * (4096**2 // 2 + 4 * 4096**2 // 256)),
        ("sgd", MATRIX, 4, 0),
        ("momentum", MATRIX, 4, 4 * 4096**2),
        ("adafactor", MATRIX, 2, 4 * 8192),
        ("adafactor", VECTOR, 2, 4 * 4096),
        ("adafactor_torch", MATRIX, 2, 2 * 8192),
        ("muon", MATRIX, 2, 2 * 4096**2),
        ("muon", VECTOR, 2, 2 * 2 * 4096),
        ("galore_adamw", (1024, 4096, 1), 4, 4 * (2 * 4096 * 128 + 1024 * 128)),
        ("galore_adamw", VECTOR, 4, 8 * 4096),
        ("apollo_mini", MATRIX, 4, 4 * (2 * 4096 + 4096)),
        ("adam_mini", MATRIX, 4, 4 * (4096**2 + 4096)),
        ("novograd", MATRIX, 4, 4 * (4096**2 + 1)),
        ("lomo", MATRIX, 2, 0),
        ("stable_adamw", MATRIX, 2, 3 * 2 * 4096**2),
        ("stable_adamw", MATRIX, 4, 2 * 4 * 4096**2),
    ],
)
def test_state_bytes_of_one_tensor(name: str, tensor: tuple[int, int, int], dtype: int, expected: int) -> None:
    assert state_bytes_of(found(name), (tensor,), dtype) == expected


def test_equal_tensors_are_counted_as_many_times_as_they_are_there() -> None:
    adam = found("adamw8bit")
    assert state_bytes_of(adam, ((300, 100, 7),), 2) == 7 * state_bytes_of(adam, ((300, 100, 1),), 2)


@pytest.mark.parametrize("optimizer", all_optimizers(), ids=lambda o: o.name)
def test_every_row_has_a_source_and_is_found_by_its_spellings(optimizer: Optimizer) -> None:
    assert optimizer.sources
    assert all(found(spelling).name == optimizer.name for spelling in (optimizer.name, *optimizer.spellings))
    assert optimizer.decay in {"decoupled", "l2", "lamb", "none"}
