"""Hugging Face trainers: TrainingArguments scripts, TRL, alignment-handbook, open-r1, open-instruct."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.readers.lazy import on_first_use

if TYPE_CHECKING:
    from budgetlint.readers.hf.reader import READERS

__all__ = ["READERS"]

__getattr__ = on_first_use(__name__, "READERS")
