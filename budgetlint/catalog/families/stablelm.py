"""StableLM (transformers 5.24.0 models/stablelm/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import LAYERNORM_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "stablelm",
    like="llama",
    classes=("stablelm", "", "StableLmAttention", "StableLmMLP"),
    config=HubConfig(
        shape=LAYERNORM_SHAPE,
        sizes={"hidden": 2560, "intermediate": 6912, "layers": 32, "heads": 32, "kv_heads": 32, "vocab": 50304, "max_positions": 4096},
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="StableLmDecoderLayer", folded_experts=False, fp16_overflows=False),
    logits_plain_until="4.48",
    probe_keys="family_keys.stablelm",
)
