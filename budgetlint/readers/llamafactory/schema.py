"""The JSON Schema of LLaMA-Factory's configs, in key tables."""

from __future__ import annotations

from budgetlint.frameworks.file_schema import FileSchema

SCHEMA = FileSchema(
    "LLaMA-Factory config",
    {"": ("llamafactory:hparams", "hf:training_arguments")},
    "LLaMA-Factory 0.9.5 hparams/parser.py refuses unknown keys unless ALLOW_EXTRA_ARGS is set, and its examples for Megatron and "
    "KTransformers bring keys that no release lists, so other keys are taken here",
    old=("llamafactory", "hparams"),
    beside="finetuning_type",
)
