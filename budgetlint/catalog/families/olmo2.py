"""OLMo 2 (transformers 5.24.0 models/olmo2/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.families.olmo import FAMILY as OLMO
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "olmo2",
    like="olmo",
    classes=("olmo2", "Olmo2RMSNorm", "Olmo2Attention", "Olmo2MLP"),
    config=HubConfig(shape={"qk_norm": "full"}, sizes=OLMO.config.sizes),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="Olmo2DecoderLayer", folded_experts=False, fp16_overflows=False),
    names=replace(LLAMA.names, norms=("post_attention_layernorm", "post_feedforward_layernorm")),
    layer="families.output_norm",
    norm="rms-wide",  # Olmo2RMSNorm: the product with the weight is fp32
)
