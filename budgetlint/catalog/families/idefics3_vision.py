"""Idefics3's and SmolVLM's vision tower (transformers 5.24.0 models/idefics3/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.siglip import FAMILY as SIGLIP
from budgetlint.catalog.family import TRACED, Family

FAMILY = Family(
    "idefics3_vision",
    like="siglip",
    basis=TRACED,
    tower=replace(SIGLIP.tower, at="model.vision_model", decoder="model.text_model"),
)
