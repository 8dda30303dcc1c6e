"""Adapter targets mean what PEFT makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.models import find_model
from budgetlint.catalog.targets import module_names, resolve_targets


def found(text: str) -> Architecture:
    model = find_model(text)
    assert isinstance(model, Architecture)
    return model


def leaves(model: str, targets: str | Sequence[str], fused: bool = False) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
    items, missing = resolve_targets(found(model), targets, fused)
    return [(item.module.rpartition(".")[2], item.layers) for item in items], missing


@pytest.mark.parametrize(
    ("targets", "expected", "missing"),
    [
        (["q_proj", "v_proj"], [("q_proj", 32), ("v_proj", 32)], ()),
        (["self_attn.q_proj"], [("q_proj", 32)], ()),
        (["q_proj", "W_pack"], [("q_proj", 32)], ("W_pack",)),
        (["proj"], [], ("proj",)),
        (["mlp"], [("gate_proj", 32), ("up_proj", 32), ("down_proj", 32)], ()),
        (["lm_head", "embed_tokens"], [("embed_tokens", 1), ("lm_head", 1)], ()),
        (r".*\.(q|k)_proj", [("q_proj", 32), ("k_proj", 32)], ()),
        ([r".*layers\.[0-3]\..*up_proj"], [("up_proj", 4)], ()),
        ("q_proj", [], ("q_proj",)),
        ("(", [], ("(",)),
    ],
)
def test_targets_of_a_llama(targets: str | list[str], expected: list[tuple[str, int]], missing: tuple[str, ...]) -> None:
    assert leaves("llama-3.1-8b", targets) == (expected, missing)


@pytest.mark.parametrize("word", ["all-linear", "all"])
def test_all_linear_leaves_out_the_head(word: str) -> None:
    items, missing = resolve_targets(found("llama-3.1-8b"), word)
    assert sum(16 * (item.inputs + item.outputs) * item.count for item in items) == 41_943_040  # r=16, as PEFT prints it
    assert not missing


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("gpt2", {"c_attn", "c_proj", "c_fc"}),
        ("pythia-1b", {"query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"}),
        ("qwen-7b", {"c_attn", "c_proj", "w1", "w2"}),
        ("baichuan2-7b", {"W_pack", "o_proj", "gate_proj", "up_proj", "down_proj"}),
        ("chatglm3-6b", {"query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"}),
        ("phi-3-mini", {"qkv_proj", "o_proj", "gate_up_proj", "down_proj"}),
    ],
)
def test_families_keep_their_own_module_names(model: str, names: set[str]) -> None:
    known = module_names(found(model))
    assert {leaf for role, leaves in known.items() if role.endswith("_proj") for leaf in leaves} == names


def test_one_name_may_be_two_modules() -> None:
    assert leaves("gpt2", ["c_proj"]) == ([("c_proj", 12), ("c_proj", 12)], ())


def test_a_tied_head_can_still_be_named() -> None:
    assert leaves("qwen2.5-1.5b", ["lm_head"]) == ([("lm_head", 1)], ())


def test_fused_experts_are_no_linears() -> None:
    before, after = leaves("mixtral-8x7b", "all-linear")[0], leaves("mixtral-8x7b", "all-linear", True)[0]
    assert ("w1", 32) in before
    assert after == [("q_proj", 32), ("k_proj", 32), ("v_proj", 32), ("o_proj", 32)]


def test_layer_numbers_of_a_mixture_start_after_its_dense_layers() -> None:
    assert leaves("deepseek-v3", r".*layers\.[0-3]\.mlp\.shared_experts\.up_proj") == ([("up_proj", 1)], ())
