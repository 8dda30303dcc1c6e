"""mT5 and T5 1.1 (transformers 5.24.0 models/mt5/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "mt5",
    like="t5",
    classes=("mt5", "MT5LayerNorm", "MT5Attention", ""),
    config=HubConfig(
        shape={"kind": "encoder-decoder", "activation": "gelu_new", "position": "relative", "tied": True, "dropout": 0.1},
        sizes={"hidden": 512, "intermediate": 1024, "layers": 8, "heads": 6, "head_dim": 64, "vocab": 250112},
        reader="hf_encoders.t5",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=True),
)
