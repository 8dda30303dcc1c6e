"""GPTBigCode (StarCoder, SantaCoder) (transformers 5.24.0 models/gpt_bigcode/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "gpt_bigcode",
    like="gpt2",
    classes=("gpt_bigcode", "", "GPTBigCodeAttention", "GPTBigCodeMLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "activation": "gelu_pytorch_tanh", "position": "learned", "tied": True, "dropout": 0.1},
        sizes={"hidden": 768, "layers": 12, "heads": 12, "vocab": 50257, "max_positions": 1024},
        reader="hf_families.big_code",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    eager="fp32",
    probe_keys="family_keys.gpt_bigcode",
)
