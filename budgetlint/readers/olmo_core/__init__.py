"""OLMo-core: the flags of its SFT programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.readers.lazy import on_first_use

if TYPE_CHECKING:
    from budgetlint.readers.olmo_core.reader import READER

__all__ = ["READER"]

__getattr__ = on_first_use(__name__, "READER")
