"""mBART (transformers 5.24.0 models/mbart/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import BART_SHAPE
from budgetlint.catalog.families.bart import FAMILY as BART
from budgetlint.catalog.family import TRACED, Family, HubConfig, Stacks, Tools

FAMILY = Family(
    "mbart",
    like="bart",
    classes=("mbart", "", "MBartAttention", ""),
    config=HubConfig(shape=BART_SHAPE, sizes=BART.config.sizes, reader="hf_encoders.bart"),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    stacks=Stacks("bart", embed_norm=True, last_norm=True),
    layer="seq2seq.whisper",
)
