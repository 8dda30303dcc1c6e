"""Reads ``[tool.budgetlint]`` of a ``pyproject.toml``.

Only as far as needed: a file without the table costs one substring search. The table is validated by pydantic
(`budgetlint.config.schema`); what is wrong in it is a located finding, and the rest of it still holds.
"""

from __future__ import annotations

from budgetlint.base.source import SourceFile
from budgetlint.config.config import TABLE, Config


def load_config(source: SourceFile) -> Config:
    """The settings in a ``pyproject.toml``; problems as findings. A file without the table gives the defaults."""
    if TABLE not in source.text:
        return Config(source=source)
    from budgetlint.config.schema import read

    return read(source)
