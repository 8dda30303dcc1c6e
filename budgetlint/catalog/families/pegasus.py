"""Pegasus (transformers 5.24.0 models/pegasus/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import BART_SHAPE
from budgetlint.catalog.families.bart import FAMILY as BART
from budgetlint.catalog.family import TRACED, Family, HubConfig, Stacks, Tools

FAMILY = Family(
    "pegasus",
    like="mbart",
    classes=("pegasus", "", "PegasusAttention", ""),
    config=HubConfig(shape={**BART_SHAPE, "position": "sinusoidal"}, sizes=BART.config.sizes, reader="hf_encoders.bart"),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    stacks=Stacks("bart", embed_norm=False, last_norm=True),
    normed_stream=False,  # modeling_pegasus.py has no layernorm_embedding
)
