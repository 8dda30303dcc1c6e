"""States of a low rank: GaLore, APOLLO."""

from __future__ import annotations

from budgetlint.catalog.optimizer import Optimizer, StateTensor
from budgetlint.catalog.optimizer_rows.parts import APOLLO, GALORE, HF, low_rank, row

ROWS: tuple[Optimizer, ...] = (
    row("galore_adamw", "galore_torch", low_rank(128), "decoupled", "galore_adamw_layerwise galore", GALORE, f"{HF}: rank 128", wd=0.0),
    row(
        "galore_adamw_8bit",
        "galore_torch",
        low_rank(128, "uint8", 256, 4096),
        "decoupled",
        "galore_adamw_8bit_layerwise galore_adamw8bit",
        GALORE,
        f"{HF}: rank 128",
        wd=0.0,
    ),
    row(
        "galore_adafactor",
        "galore_torch",
        (StateTensor("projector", layout="projector", rank=128), StateTensor("factors", layout="factored")),
        "decoupled",
        "galore_adafactor_layerwise",
        "galore-torch 1.0 adafactor.py",
        f"{HF}: rank 128; the factors are those of the projected gradient, counted at full size",
        wd=0.0,
        adam_like=False,
    ),
    row(
        "q_galore_adamw8bit",
        "q_galore_torch",
        low_rank(256, "uint8", 256, 4096),
        "decoupled",
        "q_galore q_galore_adamw8bit_per_layer q_galore_adamw_8bit",
        "q-galore-torch 1.0 q_galore_adamw8bit.py: 8-bit states on projected gradients; its quantised projector is counted unquantised",
        wd=0.0,
    ),
    row("apollo_adamw", "apollo_torch", low_rank(128), "decoupled", "apollo apollo_adamw_layerwise", APOLLO, f"{HF}: rank 128", wd=0.0),
    row("apollo_mini", "apollo_torch", low_rank(1), "decoupled", "apollo_adamw_mini", APOLLO, wd=0.0),
)
