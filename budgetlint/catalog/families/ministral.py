"""Ministral."""

from __future__ import annotations

from budgetlint.catalog.family import Family, Tools, nearest

FAMILY = Family(
    "ministral",
    like="llama",
    basis=nearest("Llama", 120_000),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
