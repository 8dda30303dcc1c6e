"""The ledger of saved tensors against traces of the real model code (`benchmarks/trace_saved.py`), without torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.hf_config import architecture_from_config
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.catalog.targets import resolve_targets
from budgetlint.memory.families import FAMILIES, layer_saved
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


def rows() -> list[Row]:
    return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def label(row: Row) -> str:
    lora = row["lora"] and f"lora {row['lora']['target_modules']} {row['lora']['dtype']} dropout={row['lora'].get('lora_dropout', 0)}"
    parts = (row["shape"], row["weights"], "autocast" if row["autocast"] else "", row["kernel"], "padded" if row["padded"] else "", lora or "")
    return " ".join(part for part in parts if part)


def adapter_of(row: Row, arch: Architecture) -> Adapter | None:
    lora = row["lora"]
    if lora is None:
        return None
    named = lora["target_modules"]
    matched, missed = resolve_targets(arch, (named,) if isinstance(named, str) else tuple(named), fused_experts=True)
    assert not missed
    roles = frozenset(item.role for item in matched)
    return Adapter(lora["r"], lora.get("lora_dropout", 0.0), 4 if lora["dtype"] == "fp32" else 2, roles)


def plan_of(row: Row) -> Plan:
    arch = architecture_from_config(row["config"], row["shape"])
    assert isinstance(arch, Architecture), arch
    optimizer = find_optimizer("adamw")
    assert isinstance(optimizer, Optimizer)
    return Plan(
        arch=arch,
        shape=shape_of(arch),
        precision=PRECISION[row["weights"], row["autocast"]],
        optimizer=optimizer,
        optimizer_impl="fused",
        batch=1,
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


@pytest.mark.parametrize("row", rows(), ids=label)
def test_a_layer_keeps_what_the_trace_saw(row: Row) -> None:
    assert kept(plan_of(row)) == (row["per_token"], row["per_pair"])


def test_every_family_called_exact_was_traced() -> None:
    traced = {row["family"] for row in rows()}
    assert {name for name, family in FAMILIES.items() if family.exact} <= traced
