"""Encoders, encoder-decoders, speech and vision models: counts of the catalog against the transformers classes on meta tensors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.hf_config import architecture_from_config
from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.models import known_model

DATA = Path(__file__).parents[2] / "benchmarks" / "data" / "counts_encoders_transformers-5.24.0.jsonl"
_, *ROWS = (json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines())


def by_name(row: dict[str, Any]) -> str:
    return str(row["name"])


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_the_row_of_the_catalog_counts_the_same(row: dict[str, Any]) -> None:
    model = known_model(row["name"])
    assert model is not None and known_model(row["hub_id"]) == model
    assert parameter_count(model) == row["params"] == model.params_published


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_its_config_gives_the_same_shape(row: dict[str, Any]) -> None:
    read, model = architecture_from_config(row["config"], row["name"]), known_model(row["name"])
    assert isinstance(read, Architecture) and model is not None
    assert parameter_count(read) == row["params"]
    assert (read.family, read.kind, read.dropout, read.extra) == (model.family, model.kind, model.dropout, model.extra)


@pytest.mark.parametrize("name", ["vit-base", "vit-large", "vit-huge", "whisper-turbo", "flan-ul2", "google/vit-base-patch16-224-in21k"])
def test_a_short_name_finds_its_row(name: str) -> None:
    assert known_model(name) is not None


@pytest.mark.parametrize("kind", ["wav2vec2", "hubert", "albert", "swin"])
def test_what_no_ledger_lists_is_refused_by_name(kind: str) -> None:
    problems = architecture_from_config({"model_type": kind, "hidden_size": 768}, kind)
    assert isinstance(problems, tuple) and kind in problems[0].message


def test_layers_that_share_their_weights_are_not_to_be_given_as_numbers() -> None:
    (problem,) = architecture_from_config({"model_type": "albert", "hidden_size": 768, "num_hidden_layers": 12}, "albert-base-v2")  # type: ignore[misc]
    assert "share their weights" in problem.message and "model custom" not in problem.message
