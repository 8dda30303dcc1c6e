"""The JSON Schema of axolotl's configs, in key tables."""

from __future__ import annotations

from budgetlint.frameworks.file_schema import FileSchema

SCHEMA = FileSchema(
    "Axolotl config",
    {"": ("axolotl:top", "axolotl:plugins"), "fsdp_config": ("axolotl:fsdp_config",)},
    "axolotl 0.19.0 utils/schemas/config.py: pydantic passes over unknown keys",
    old=("axolotl", "top"),
)
