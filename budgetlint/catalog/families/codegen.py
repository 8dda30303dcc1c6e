"""CodeGen (transformers 5.24.0 models/codegen/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families._shapes import GPTJ_SHAPE
from budgetlint.catalog.families.gptj import FAMILY as GPTJ
from budgetlint.catalog.family import Family, HubConfig, Tools, nearest
from budgetlint.catalog.module_names import DOWN, QKV, UP, O

FAMILY = Family(
    "codegen",
    like="gptj",
    config=HubConfig(shape=GPTJ_SHAPE, sizes={}, reader="hf_families.one_per_head"),
    basis=nearest("GPT-J", 150_000),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(GPTJ.names, modules={QKV: "attn.qkv_proj", O: "attn.out_proj", UP: "mlp.fc_in", DOWN: "mlp.fc_out"}),
    eager="fp32",
    drops_scores=False,
)
