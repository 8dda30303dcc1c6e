"""Mistral (transformers 5.24.0 models/mistral/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "mistral",
    like="llama",
    classes=("mistral", "MistralRMSNorm", "MistralAttention", "MistralMLP"),
    elsewhere={"torchtune": "plain"},
    config=HubConfig(
        shape={},
        sizes={"hidden": 4096, "intermediate": 14336, "layers": 32, "heads": 32, "kv_heads": 8, "vocab": 32000, "max_positions": 131072},
        reader="hf_families.mistral",
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="MistralDecoderLayer", folded_experts=False, fp16_overflows=False),
    repeats_for_flash=True,
    probe_no_window=True,
)
