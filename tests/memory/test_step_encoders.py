"""A whole step of encoders, encoder-decoders and vision models against `benchmarks/step_encoders.py`, without torch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from budgetlint.memory.estimate import Phase
from budgetlint.memory.term import Bucket
from budgetlint.rules_api.context import RunContext

DATA = Path(__file__).parents[2] / "benchmarks" / "data" / "step_encoders_transformers-5.24.0.jsonl"
_, *ROWS = (json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines())

PRECISION = {("bf16", False): "bf16-pure", ("fp32", True): "bf16-autocast", ("fp32", False): "fp32"}
POSITIONS = {"vit-base-patch16-224": 197, "dinov2-base": 257}


def label(row: dict[str, Any]) -> str:
    flags = " ".join(name for name in ("autocast", "lora", "recompute") if row[name])
    return f"{row['model']} {row['weights']} {flags}".strip()


def budget(row: dict[str, Any]) -> str:
    model, source, target = row["model"], row["source"], row["target"]
    length = f"seq {POSITIONS.get(model, source)}"
    if target:
        length = f"seq {target}" if "whisper" in model else f"seq {source} target={target} packing=on"
    head = "" if target or model in POSITIONS else " head=classification"
    parts = [f"model {model}{head}", f"batch {row['batch']}", length, f"precision {PRECISION[row['weights'], row['autocast']]}"]
    parts += ["optimizer adamw", "stack transformers@5.24 torch@2.13", "lora r=8 targets=all dtype=fp32" if row["lora"] else ""]
    return "; ".join([*parts, "recompute full" if row["recompute"] else ""])


def made(phase: Phase | None) -> int:
    """What the step makes: everything but weights, states and what cuBLAS holds."""
    assert phase is not None
    resting = (Bucket.WEIGHTS, Bucket.OPTIMIZER)
    return sum(term.bytes for term in phase.terms if term.bucket not in resting and not term.id.startswith("cublas."))


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_the_highest_point_of_a_step_is_that_of_the_real_code(row: dict[str, Any], run_of: Callable[[str], RunContext]) -> None:
    """Under recomputation little is left but one layer, and the moment inside it decides; what an adapter adds to a forward for a
    moment is not counted."""
    estimate = run_of(budget(row)).estimate
    assert estimate is not None
    ours = max(made(estimate.phase("forward")), made(estimate.phase("backward")))
    assert ours == pytest.approx(max(row["forward"], row["backward"]), rel=0.1 if row["recompute"] else 0.05 if row["lora"] else 0.03)
