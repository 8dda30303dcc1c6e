"""DeBERTa v2 and v3 (transformers 5.24.0 models/deberta_v2/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families._shapes import ENCODER_SHAPE
from budgetlint.catalog.families.bert import FAMILY as BERT
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import K, Q, V

FAMILY = Family(
    "deberta-v2",
    like="bert",
    classes=("deberta_v2", "", "DisentangledSelfAttention", ""),
    config=HubConfig(
        shape={**ENCODER_SHAPE, "position": "relative"},
        sizes={"hidden": 1536, "intermediate": 6144, "layers": 24, "heads": 24, "vocab": 128100, "max_positions": 512},
        reader="hf_encoders.deberta",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(
        BERT.names,
        modules={**BERT.names.modules, Q: "attention.self.query_proj", K: "attention.self.key_proj", V: "attention.self.value_proj"},
    ),
    layer="encoders.deberta",
    sdpa=False,  # _supports_sdpa = False
    eager="fp32",
    drops_scores=False,
)
