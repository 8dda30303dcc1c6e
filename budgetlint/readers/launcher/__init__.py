"""The flags of launchers: torchrun, deepspeed, composer, srun, mpirun, and the environment and job around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.readers.lazy import on_first_use

if TYPE_CHECKING:
    # for types: the reader takes its name from here, as others do without loading the reader
    from budgetlint.readers.launcher.reader import READER

__all__ = ["FORMAT", "READER"]

FORMAT = "launcher"

__getattr__ = on_first_use(__name__, "READER")
