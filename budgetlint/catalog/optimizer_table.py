"""The optimizers that training configs name: state layouts, what weight decay means, spellings, sources."""

from __future__ import annotations

from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizer_rows import (
    bitsandbytes_rows,
    engine_rows,
    low_rank_rows,
    other_rows,
    torch_rows,
    torchao_rows,
    trainer_rows,
)

OPTIMIZERS: tuple[Optimizer, ...] = (
    *torch_rows.ROWS,
    *trainer_rows.ROWS,
    *bitsandbytes_rows.ROWS,
    *torchao_rows.ROWS,
    *low_rank_rows.ROWS,
    *engine_rows.ROWS,
    *other_rows.ROWS,
)
"""Every row, library by library: a new optimizer goes into the module of its library."""
