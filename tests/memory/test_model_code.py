"""Whose code runs is one object: the questions that each answers in its own way, and nobody else who compares names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import budgetlint.memory
from budgetlint.frameworks import manifests
from budgetlint.memory.code import CLASSES, pick
from budgetlint.memory.code.base import ModelCode, Splits
from budgetlint.memory.plan import Plan
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Settings, Stack

ROOM = Path(budgetlint.memory.__file__).parent


def plan() -> Plan:
    """Llama-3.1-8B: hidden 4,096, 32 heads and 8 key heads of 128, MLP 14,336, vocabulary 128,256."""
    budget = "device h100-80gb; model llama-3.1-8b; precision bf16-pure; attention flash; batch 1; seq 1000"
    return judge_texts({}, budget=budget).runs[0].plan


def test_what_a_budget_may_name_is_what_was_read() -> None:
    assert {one.model_code for one in manifests() if one.code_by_stack} | {"transformers"} == set(CLASSES)


@pytest.mark.parametrize(("name", "found"), CLASSES.items())
def test_each_has_its_class(name: str, found: str) -> None:
    assert type(pick(Stack(model_code=name))).__name__ == found


def test_code_that_nobody_read_has_the_answers_of_the_base() -> None:
    assert type(pick(Stack(model_code="llm-foundry"))) is ModelCode


def _compares_code(node: ast.AST) -> bool:
    """``x.model_code == …``, ``"megatron" in …`` and their like."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [part for side in (node.left, *node.comparators) for part in (*getattr(side, "elts", ()), side)]
    named = any(isinstance(part, ast.Constant) and part.value in CLASSES for part in sides)
    return named or any(isinstance(part, ast.Attribute) and part.attr == "model_code" for part in sides)


def test_only_the_package_that_picks_compares_names() -> None:
    found = {
        f"{path.relative_to(ROOM).as_posix()}:{node.lineno}"
        for path in ROOM.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if _compares_code(node)
    }
    assert {place.rpartition(":")[0] for place in found} == {"code/__init__.py"}


@pytest.mark.parametrize(
    ("name", "kind", "every", "expected"),
    [
        ("transformers", "selective", 2, ("selective", 2, 1)),
        ("torchtitan", "full", 3, ("full", 3, 1)),
        ("megatron", "full", 3, ("full", 1, 3)),
        ("megatron", "selective", 1, ("core", 1, 1)),
    ],
)
def test_checkpoints(name: str, kind: str, every: int, expected: tuple[str, int, int]) -> None:
    assert pick(Stack(model_code=name)).checkpoints(kind, every) == expected


def test_torchtitan_keeps_every_second_product() -> None:
    """q 4,096, v 1,024, gate 14,336, down 4,096 in 16 bit: 47,104 B a token; transformers keeps none."""
    assert pick(Stack(model_code="torchtitan")).selective_bytes(plan()) == 2 * (4096 + 1024 + 14336 + 4096) == 47_104
    assert pick(Stack(model_code="transformers")).selective_bytes(plan()) == 0


@pytest.mark.parametrize(
    ("name", "splits"),
    [
        ("transformers", Splits(False, False, False, 1)),
        ("torchtune", Splits(False, True, False, 1)),
        ("torchtitan", Splits(True, True, True, 1)),
        ("megatron", Splits(False, True, True, 128)),
        ("litgpt", None),
        ("olmo-core", None),
    ],
)
def test_what_tensor_parallelism_splits_beside_the_linears(name: str, splits: Splits | None) -> None:
    assert pick(Stack(model_code=name)).splits == splits


@pytest.mark.parametrize(
    ("name", "expected"),
    [("transformers", False), ("litgpt", True), ("megatron", False), ("torchtitan", False), ("torchtune", False), ("olmo-core", False)],
)
def test_only_litgpts_units_hold_what_is_frozen(name: str, expected: bool) -> None:
    assert pick(Stack(model_code=name)).flat_blocks is expected


@pytest.mark.parametrize(
    ("name", "unreduced"),
    [("transformers", True), ("litgpt", True), ("megatron", False), ("torchtitan", False), ("torchtune", False), ("olmo-core", False)],
)
def test_who_accumulates_before_it_reduces(name: str, unreduced: bool) -> None:
    assert pick(Stack(model_code=name)).accumulates_unreduced(Settings([]), Stack()) is unreduced


@pytest.mark.parametrize(("name", "bytes_"), [("transformers", 2), ("torchtitan", 4), ("torchtune", 2)])
def test_what_fsdp2_reduces_in(name: str, bytes_: int) -> None:
    assert pick(Stack(model_code=name)).reduce_scatter_bytes(plan()) == bytes_


@pytest.mark.parametrize(
    ("name", "recipe"),
    [("transformers", "full"), ("torchtune", "full"), ("torchtitan", "full"), ("megatron", "full-split"), ("olmo-core", "full")],
)
def test_which_loss_recipe(name: str, recipe: str) -> None:
    assert pick(Stack(model_code=name)).loss_recipe(plan(), Stack()) == recipe
