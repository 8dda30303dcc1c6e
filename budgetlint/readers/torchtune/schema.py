"""The JSON Schema of torchtune's configs, in key tables."""

from __future__ import annotations

from budgetlint.frameworks.file_schema import FileSchema

SCHEMA = FileSchema(
    "torchtune config",
    {"": ("torchtune:top",)},
    "torchtune 0.6.1 recipes ask for the keys they know",
    old=("torchtune", "top"),
)
