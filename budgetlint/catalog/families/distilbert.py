"""DistilBERT (transformers 5.24.0 models/distilbert/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families._shapes import ENCODER_SHAPE
from budgetlint.catalog.families.bert import FAMILY as BERT
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, UP, K, O, Q, V

FAMILY = Family(
    "distilbert",
    like="bert",
    classes=("distilbert", "", "DistilBertSelfAttention", ""),
    config=HubConfig(
        shape=ENCODER_SHAPE, sizes={"hidden": 768, "intermediate": 3072, "layers": 6, "heads": 12, "vocab": 30522, "max_positions": 512}
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(
        BERT.names,
        modules={
            Q: "attention.q_lin",
            K: "attention.k_lin",
            V: "attention.v_lin",
            O: "attention.out_lin",
            UP: "ffn.lin1",
            DOWN: "ffn.lin2",
        },
        norms=("sa_layer_norm", "output_layer_norm"),
        layers="transformer.layer.*",
    ),
    layer="encoders.distilbert",
)
