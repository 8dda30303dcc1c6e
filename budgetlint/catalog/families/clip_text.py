"""CLIP's text tower (transformers 5.24.0 models/clip/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.clip_vision import FAMILY as CLIP_VISION
from budgetlint.catalog.family import Family

FAMILY = Family(
    "clip_text",
    names=replace(CLIP_VISION.names, embed="embeddings.token_embedding", final_norm="final_layer_norm"),
)
