"""A family without a record: priced from its shape alone, as Llama."""

from __future__ import annotations

from budgetlint.catalog.family import SHAPE_ALONE, Family, Tools

FAMILY = Family(
    "unlisted",
    like="llama",
    basis=SHAPE_ALONE,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
