"""Rows whose sizes come from public tables: the config beside them gives the row, and the transformers class has as many parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.hf_config import architecture_from_config
from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.models import known_model, verified

DATA = Path(__file__).parents[2] / "benchmarks" / "data" / "counts_models_transformers-5.24.0.jsonl"
_, *ROWS = (json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["name"]))
def test_the_config_is_the_row_and_the_class_has_its_count(row: dict[str, Any]) -> None:
    model, read = known_model(row["hub_id"]), architecture_from_config(row["config"], row["name"])
    assert model is not None and known_model(row["name"]) == model
    assert isinstance(read, Architecture)
    own = {key: getattr(model, key) for key in ("hub_id", "aliases", "sources", "note", "params_published", "checkpoint_dtype")}
    assert replace(read, **own) == model
    assert parameter_count(model) == row.get("params", model.params_published) == model.params_published
    assert ("code" in verified(model.name)) == ("params" in row)


def test_a_row_without_a_class_has_a_published_count() -> None:
    assert [row["name"] for row in ROWS if "params" not in row and "published" not in verified(row["name"])] == []
