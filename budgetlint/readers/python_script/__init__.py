"""Python training scripts around the Hugging Face Trainer and TRL, read from the syntax tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.readers.lazy import on_first_use

if TYPE_CHECKING:
    from budgetlint.readers.python_script.reader import READERS

__all__ = ["READERS"]

__getattr__ = on_first_use(__name__, "READERS")
