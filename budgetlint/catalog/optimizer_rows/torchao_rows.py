"""torchao: 8-bit, 4-bit and fp8 states."""

from __future__ import annotations

from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizer_rows.parts import AO, HF, ao, row

ROWS: tuple[Optimizer, ...] = (
    row(
        "adamw_torch_8bit",
        "torchao",
        ao("uint8"),
        "decoupled",
        "ao_adamw_8bit torchao.optim.AdamW8bit torchao.prototype.low_bit_optim.AdamW8bit",
        AO,
        wd=0.01,
    ),
    row(
        "adamw_torch_4bit",
        "torchao",
        ao("uint4"),
        "decoupled",
        "ao_adamw_4bit torchao.optim.AdamW4bit torchao.prototype.low_bit_optim.AdamW4bit",
        AO,
        f"{HF}: block 256 (the class default is 128)",
        wd=0.01,
    ),
    row(
        "adamw_torch_fp8",
        "torchao",
        ao("fp8"),
        "decoupled",
        "ao_adamw_fp8 torchao.optim.AdamWFp8 torchao.prototype.low_bit_optim.AdamWFp8",
        AO,
        wd=0.01,
    ),
)
