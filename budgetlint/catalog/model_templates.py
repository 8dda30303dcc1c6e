"""Which chat template LLaMA-Factory registers for a model: `model_templates.json`, written by ``benchmarks/templates_of_models.py``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("model_templates.json")
GENERIC = frozenset(("default", "empty", "fewshot", "alpaca", "vanilla"))
"""Templates that stand for a format of one's own."""


@cache
def _by_template() -> Mapping[str, tuple[str, ...]]:
    told = json.loads(TABLE.read_text(encoding="utf-8"))
    return {name: tuple(models.split()) for name, models in told["templates"].items()}


def ours() -> frozenset[str]:
    """Templates that belong to a family of models."""
    return frozenset(_by_template()) - GENERIC


@cache
def _by_model() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for template, models in _by_template().items():
        for model in models:
            found.setdefault(model.rpartition("/")[2], {})[template] = None
    return {model: tuple(templates) for model, templates in found.items()}


def registered(model: str) -> tuple[str, ...]:
    """The templates of a chat model, by its hub id or the folder that is called like it; empty for a base model and for others."""
    return _by_model().get(model.rstrip("/").rpartition("/")[2].lower(), ())
