"""ELECTRA (transformers 5.24.0 models/electra/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import ENCODER_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "electra",
    like="bert",
    classes=("electra", "", "ElectraAttention", ""),
    config=HubConfig(
        shape=ENCODER_SHAPE,
        sizes={"hidden": 256, "intermediate": 1024, "layers": 12, "heads": 4, "vocab": 30522, "max_positions": 512},
        reader="hf_encoders.electra",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
