"""CLIP, the pair of towers (transformers 5.24.0 models/clip/)."""

from __future__ import annotations

from budgetlint.catalog.family import Family

FAMILY = Family(
    "clip",
    new_names={},
    experts_are_parameters=False,
)
