"""CLIP, the pair of towers (transformers 5.24.0 models/clip/). Its step is not modelled: no layer of it is claimed."""

from __future__ import annotations

from budgetlint.catalog.family import SHAPE_ALONE, Family, Tools

FAMILY = Family(
    "clip",
    like="unlisted",
    basis=SHAPE_ALONE,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
