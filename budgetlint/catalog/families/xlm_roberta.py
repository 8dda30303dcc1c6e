"""XLM-RoBERTa (transformers 5.24.0 models/xlm_roberta/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import ENCODER_SHAPE
from budgetlint.catalog.families.bert import FAMILY as BERT
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "xlm-roberta",
    like="roberta",
    classes=("xlm_roberta", "", "XLMRobertaAttention", ""),
    config=HubConfig(shape=ENCODER_SHAPE, sizes=BERT.config.sizes, reader="hf_encoders.bert"),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
