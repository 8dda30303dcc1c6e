"""What a vision block keeps, against traces of the real model code (`benchmarks/trace_towers.py`), without torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budgetlint.catalog.families import all_families
from budgetlint.catalog.hf_vision import vision_part
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.memory.plan import Plan, Precision, Recompute, Sharding
from budgetlint.memory.shape import shape_of
from budgetlint.memory.towers import block_saved

DATA = Path(__file__).parents[2] / "benchmarks" / "data" / "saved_towers_transformers-5.24.0.jsonl"
Row = dict[str, Any]
PRECISION = {
    ("bf16", False): Precision(2, 2, 0, 2, 2, False, "bf16-pure"),
    ("fp32", True): Precision(4, 4, 0, 4, 2, True, "bf16-autocast"),
    ("fp32", False): Precision(4, 4, 0, 4, 4, False, "fp32"),
}
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()][1:]
SIZES = {"hidden_size": 96, "num_attention_heads": 6, "intermediate_size": 136, "num_hidden_layers": 3}
QWEN = {"hidden_size": 96, "num_heads": 6, "intermediate_size": 136, "depth": 3}
CONFIGS: dict[str, tuple[str, Row]] = {
    "qwen2_vl": ("qwen2_vl", {"embed_dim": 96, "num_heads": 6, "mlp_ratio": 2, "depth": 3}),
    "qwen2_5_vl": ("qwen2_5_vl", QWEN),
    "qwen3_vl": ("qwen3_vl", QWEN),
    "clip": ("llava", SIZES),
    "siglip": ("paligemma", SIZES),
    "idefics3": ("idefics3", SIZES),
    "internvl": ("internvl", {**SIZES, "attention_bias": True}),
    "internvl-6b": ("internvl", {**SIZES, "use_qk_norm": True, "norm_type": "rms_norm"}),
    "pixtral": ("mistral3", SIZES),
}
"""Code traced -> a model with that tower, and the sizes of `trace_towers.py`."""


def plan_of(row: Row) -> Plan:
    kind, sizes = CONFIGS[row["code"]]
    tower = vision_part({"model_type": kind, "vision_config": sizes})
    optimizer = find_optimizer("adamw")
    assert tower is not None and isinstance(optimizer, Optimizer)
    return Plan(
        arch=tower,
        shape=shape_of(tower),
        precision=PRECISION[row["weights"], row["autocast"]],
        optimizer=optimizer,
        optimizer_impl="fused",
        batch=2,
        seq=1,
        accum=1,
        recompute=Recompute(),
        attention=row["kernel"],
        loss="full",
        sharding=Sharding(),
    )


def label(row: Row) -> str:
    return f"{row['code']} {row['weights']}{' autocast' if row['autocast'] else ''} {row['attention']}"


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_a_vision_block_keeps_what_the_trace_saw(row: Row) -> None:
    saved = block_saved(plan_of(row), one_call=row["attention"] == "flash")
    assert (sum(one.per_token for one in saved), sum(one.per_pair for one in saved)) == (row["per_token"], row["per_pair"])


def test_every_tower_was_traced() -> None:
    assert {vision.family for vision in (plan_of(row).arch for row in ROWS)} == {one.name for one in all_families() if one.said("tower")}
