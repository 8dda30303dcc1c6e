"""What a layer of encoders, encoder-decoders and vision models keeps, against `benchmarks/trace_encoders.py`, without torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.hf_config import architecture_from_config
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.memory.families import layer_saved
from budgetlint.memory.plan import Adapter, Plan, Precision, Recompute, Sharding
from budgetlint.memory.saved import total
from budgetlint.memory.shape import shape_of
from budgetlint.memory.two_stacks import encoder_of

DATA = Path(__file__).parents[2] / "benchmarks" / "data" / "saved_encoders_transformers-5.24.0.jsonl"
Row = dict[str, Any]

PRECISION = {
    ("bf16", False): Precision(2, 2, 0, 2, 2, False, "bf16-pure"),
    ("bf16", True): Precision(2, 2, 0, 2, 2, True, "autocast over bf16 weights"),
    ("fp32", True): Precision(4, 4, 0, 4, 2, True, "bf16-autocast"),
    ("fp32", False): Precision(4, 4, 0, 4, 4, False, "fp32"),
}

HEADER, *ROWS = (json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines())
WORKLOADS = ((2, 40, 57), (3, 64, 33))
"""Batch, target and source."""


def label(row: Row) -> str:
    lora = row["lora"] and f"lora {row['lora']['dtype']} dropout={row['lora'].get('lora_dropout', 0)}"
    flags = ("autocast" if row["autocast"] else "", row["kernel"], "padded" if row["padded"] else "", "alone" if row["batch"] else "")
    return " ".join(part for part in (row["shape"], row["stack"], row["weights"], *flags, lora or "") if part)


def plan_of(row: Row, batch: int, target: int, source: int) -> Plan:
    arch = architecture_from_config(HEADER["shapes"][row["shape"]], row["shape"])
    assert isinstance(arch, Architecture), arch
    optimizer, shape, lora = find_optimizer("adamw"), shape_of(arch), row["lora"]
    assert isinstance(optimizer, Optimizer)
    roles = frozenset(linear.role for stack in shape.stacks for linear in stack.layer)
    plan = Plan(
        arch=arch,
        shape=shape,
        precision=PRECISION[row["weights"], row["autocast"]],
        optimizer=optimizer,
        optimizer_impl="fused",
        batch=row["batch"] or batch,
        seq=source if shape.encoder is None else target,
        source=None if shape.encoder is None else source,
        accum=1,
        recompute=Recompute(),
        attention=row["kernel"],
        loss="full",
        sharding=Sharding(),
        adapter=Adapter(lora["r"], lora.get("lora_dropout", 0.0), 4 if lora["dtype"] == "fp32" else 2, roles) if lora else None,
        padded=row["padded"],
    )
    return encoder_of(plan) if row["stack"] == "encoder" and shape.encoder is not None else plan


def traced(row: Row, batch: int, target: int, source: int) -> int:
    sizes = {"b": row["batch"] or batch, "t": target, "s": source}
    found = 0
    for term, size in row["bytes"].items():
        for letter in term:
            size *= sizes[letter]
        found += size
    return found


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_a_layer_keeps_what_the_trace_saw(row: Row) -> None:
    for workload in WORKLOADS:
        plan = plan_of(row, *workload)
        assert total(layer_saved(plan), plan.tokens, plan.length) == traced(row, *workload)


def test_every_family_that_this_file_is_for_was_traced() -> None:
    traced_here = {row["family"] for row in ROWS}
    assert {"vit", "deit", "dinov2", "t5", "bart", "whisper", "electra", "modernbert"} <= traced_here
    assert all(family_of(family).basis.exact for family in traced_here)
