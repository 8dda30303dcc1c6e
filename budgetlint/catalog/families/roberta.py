"""RoBERTa (transformers 5.24.0 models/roberta/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import ENCODER_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "roberta",
    like="bert",
    classes=("roberta", "", "RobertaAttention", ""),
    config=HubConfig(
        shape=ENCODER_SHAPE,
        sizes={"hidden": 768, "intermediate": 3072, "layers": 12, "heads": 12, "vocab": 50265, "max_positions": 512},
        reader="hf_encoders.bert",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
