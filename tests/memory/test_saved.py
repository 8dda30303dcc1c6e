"""The ledger of saved tensors against traces of the real model code (`benchmarks/trace_saved.py`), without torch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import all_families
from budgetlint.catalog.hf_config import architecture_from_config
from budgetlint.catalog.ledger import linears
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.catalog.tensor import BlockLinear
from budgetlint.memory.code import pick
from budgetlint.memory.families import basis_of, dense_layer_saved, layer_saved
from budgetlint.memory.mixture import folded_weights
from budgetlint.memory.plan import Adapter, Plan, Precision, Recompute, Sharding
from budgetlint.memory.shape import shape_of

DATA = Path(__file__).parents[2] / "benchmarks" / "data" / "saved_transformers-5.24.0.jsonl"
Row = dict[str, Any]

PRECISION = {
    ("bf16", False): Precision(2, 2, 0, 2, 2, False, "bf16-pure"),
    ("bf16", True): Precision(2, 2, 0, 2, 2, True, "autocast over bf16 weights"),
    ("fp32", True): Precision(4, 4, 0, 4, 2, True, "bf16-autocast"),
    ("fp32", False): Precision(4, 4, 0, 4, 4, False, "fp32"),
}


HEADER, *ROWS = (json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines())


def label(row: Row) -> str:
    lora = row["lora"] and f"lora {row['lora']['target_modules']} {row['lora']['dtype']} dropout={row['lora'].get('lora_dropout', 0)}"
    lora = lora and lora + (" dora" if "use_dora" in row["lora"] else "")
    flags = ("autocast" if row["autocast"] else "", row["kernel"], "padded" if row["padded"] else "")
    parts = (row["shape"], row["weights"], *flags, lora or "")
    return " ".join(part for part in parts if part)


def adapter_of(row: Row, arch: Architecture) -> Adapter | None:
    lora = row["lora"]
    if lora is None:
        return None
    roles = frozenset(item.role for item in linears(arch) if is_adapted(item, set(row["adapted"])))
    return Adapter(lora["r"], lora.get("lora_dropout", 0.0), 4 if lora["dtype"] == "fp32" else 2, roles, dora="use_dora" in lora)


def is_adapted(item: BlockLinear, adapted: set[str]) -> bool:
    """Whether the trace saw an adapter on this linear; stacked experts count as one module, the router is its ``gate``."""
    if item.role.startswith("expert_"):
        return "mlp.experts" in adapted
    return item.module.partition("*.")[2] in adapted or (item.role == "router" and "mlp.gate" in adapted)


def plan_of(row: Row) -> Plan:
    arch = architecture_from_config(HEADER["shapes"][row["shape"]], row["shape"])
    assert isinstance(arch, Architecture), arch
    optimizer = find_optimizer("adamw")
    assert isinstance(optimizer, Optimizer)
    return Plan(
        arch=arch,
        shape=shape_of(arch),
        precision=PRECISION[row["weights"], row["autocast"]],
        optimizer=optimizer,
        optimizer_impl="fused",
        batch=row["batch"] or 2,
        seq=1,
        accum=1,
        recompute=Recompute(),
        attention=row["kernel"],
        loss="full",
        sharding=Sharding(),
        adapter=adapter_of(row, arch),
        padded=row["padded"],
    )


def kept(plan: Plan) -> tuple[int, int]:
    saved = layer_saved(plan)
    return sum(row.per_token for row in saved), sum(row.per_pair for row in saved)


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_a_layer_keeps_what_the_trace_saw(row: Row) -> None:
    assert kept(plan_of(row)) == (row["per_token"], row["per_pair"])


def test_every_family_called_exact_was_traced() -> None:
    traced = {row["family"] for row in ROWS} | elsewhere() | {"gemma3"}  # Gemma 3 with a vision tower: its text layers are gemma3_text
    assert {one.name for one in all_families() if one.said("layer") and one.basis.exact} <= traced


def elsewhere() -> set[str]:
    """Families of `test_saved_encoders.py`."""
    lines = DATA.with_name(DATA.name.replace("saved_", "saved_encoders_")).read_text(encoding="utf-8").splitlines()[1:]
    return {json.loads(line)["family"] for line in lines}


def row_of(shape: str, **wanted: Any) -> Row:
    """The first trace of a shape with these fields."""
    return next(row for row in ROWS if row["shape"] == shape and all(row[key] == value for key, value in wanted.items()))


def test_dense_layers_of_a_mixture_have_no_experts() -> None:
    plan = plan_of(row_of("deepseek_v3", weights="bf16", lora=None))
    dense, mixture = dense_layer_saved(plan), layer_saved(plan)
    assert dense_layer_saved(plan_of(row_of("llama", lora=None))) == ()
    assert any(row.id.startswith("experts.") for row in mixture)
    assert not any(row.id.startswith(("experts.", "router.")) for row in dense)


def test_an_adapter_on_stacked_experts_copies_the_whole_stack() -> None:
    """peft 0.21 folds the product into the weight: three matrices of 8 experts and the router of this shape."""
    adapted = next(row for row in ROWS if row["shape"] == "mixtral" and "mlp.experts" in row["adapted"])
    assert folded_weights(plan_of(adapted)) == 8 * 3 * 120 * 136 + 8 * 120
    assert folded_weights(plan_of(row_of("qwen2_moe", weights="bf16", lora=None))) == 0


def test_a_loop_over_experts_keeps_the_rows_in_pieces() -> None:
    plan = plan_of(row_of("mixtral", weights="bf16", lora=None, kernel="flash"))
    looped, grouped = kept(replace(plan, expert_loop=True)), kept(plan)
    assert looped[0] == pytest.approx(grouped[0], rel=0.02)
    assert not basis_of(replace(plan, expert_loop=True)).exact


def test_what_is_not_traced_says_so() -> None:
    plan = plan_of(row_of("llama", weights="bf16", lora=None, kernel="flash"))
    assert pick(plan).basis(plan).exact
    foreign = replace(plan, model_code="litgpt")
    assert not pick(foreign).basis(foreign).exact
    assert not basis_of(replace(plan, arch=replace(plan.arch, family="unheard-of"))).exact
