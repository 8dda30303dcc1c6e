"""SmolLM3 (transformers 5.24.0 models/smollm3/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "smollm3",
    like="llama",
    classes=("smollm3", "SmolLM3RMSNorm", "SmolLM3Attention", "SmolLM3MLP"),
    config=HubConfig(
        shape={"tied": True},
        sizes={"hidden": 2048, "intermediate": 11008, "layers": 36, "heads": 16, "kv_heads": 4, "vocab": 128256, "max_positions": 32768},
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="SmolLM3DecoderLayer", folded_experts=False, fp16_overflows=False),
)
