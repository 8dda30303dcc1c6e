"""The JSON Schema of accelerate's configs, in key tables."""

from __future__ import annotations

from budgetlint.frameworks.file_schema import FileSchema

SCHEMA = FileSchema(
    "Accelerate config (accelerate launch --config_file)",
    {"": ("accelerate:top",)},
    "accelerate 1.15.0 commands/config/config_args.py: 'had unknown keys'",
    strict=("",),
)
