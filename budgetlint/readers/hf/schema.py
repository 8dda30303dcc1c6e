"""The JSON Schema of TRL's configs, in key tables."""

from __future__ import annotations

from budgetlint.frameworks.file_schema import FileSchema

SCHEMA = FileSchema(
    "TRL config (trl sft --config, TrlParser)",
    {"": ("hf:trl", "hf:trl_script", "hf:training_arguments")},
    "trl 1.16.0 scripts/utils.py TrlParser: a script may bring arguments of its own, so other keys are taken here",
)
