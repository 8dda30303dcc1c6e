"""The statement table of language version 1: every keyword, where it stands, its values and options with their types.

The grammar knows none of this; the checker, the resolver, the reference page and editors read it here. The rows stand in
``rows_*.py``, by what they are about.
"""

from __future__ import annotations

from functools import cache

from budgetlint.language.rows_judgement import JUDGEMENT_ROWS
from budgetlint.language.rows_machine import DECLARED_ROWS, FILE_ROWS, HARDWARE_ROWS
from budgetlint.language.rows_model import MODEL_ROWS, PRECISION_ROWS
from budgetlint.language.rows_training import DISTRIBUTION_ROWS, TRAINING_ROWS
from budgetlint.language.slots import Slot, StatementSpec

VERSION = 1

GROUPS: tuple[tuple[str, tuple[StatementSpec, ...]], ...] = (
    ("The file", FILE_ROWS),
    ("What cannot be inferred", DECLARED_ROWS),
    ("The machine", HARDWARE_ROWS),
    ("The model and the code", MODEL_ROWS),
    ("Precision and kernels", PRECISION_ROWS),
    ("Training", TRAINING_ROWS),
    ("Distribution", DISTRIBUTION_ROWS),
    ("Judgement", JUDGEMENT_ROWS),
)

STATEMENTS: dict[str, StatementSpec] = {row.keyword: row for _, rows in GROUPS for row in rows}


@cache
def setting_paths() -> dict[str, tuple[str, Slot]]:
    """Every name a setting has in a matrix, a `measured` line or an assert (``seq``, ``lora.r``, ``seq_len``): setting and slot."""
    paths: dict[str, tuple[str, Slot]] = {}
    for path, (spec, option) in setting_owners().items():
        slot = spec.option(option) if option else spec.values[0]
        if slot is not None:
            paths[path] = (slot.setting or "lora_targets", slot)
    return paths


@cache
def setting_owners() -> dict[str, tuple[StatementSpec, str]]:
    """The statement, and its option where there is one, that each of these names belongs to."""
    owners: dict[str, tuple[StatementSpec, str]] = {}
    canonical: dict[str, tuple[StatementSpec, str]] = {}
    for spec in STATEMENTS.values():
        if spec.values and spec.values[0].setting:
            owners[spec.keyword] = canonical[spec.values[0].setting] = (spec, "")
        for option in spec.options:
            if option.setting or (spec.keyword, option.name) == ("lora", "targets"):
                owners[f"{spec.keyword}.{option.name}"] = (spec, option.name)
                canonical.setdefault(option.setting or "lora_targets", (spec, option.name))
    return {**canonical, **owners}
