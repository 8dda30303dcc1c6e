"""Phi-3 and Phi-4 (transformers 5.24.0 models/phi3/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, GATE_UP, QKV, O

FAMILY = Family(
    "phi3",
    like="llama",
    classes=("phi3", "Phi3RMSNorm", "Phi3Attention", "Phi3MLP"),
    elsewhere={"torchtune": "plain"},
    config=HubConfig(
        shape={}, sizes={"hidden": 3072, "intermediate": 8192, "layers": 32, "heads": 32, "vocab": 32064, "max_positions": 4096}
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="Phi3DecoderLayer", folded_experts=False, fp16_overflows=False),
    names=replace(
        LLAMA.names,
        modules={QKV: "self_attn.qkv_proj", O: "self_attn.o_proj", GATE_UP: "mlp.gate_up_proj", DOWN: "mlp.down_proj"},
        experts={},
    ),
    repeats_for_flash=True,
    probe_no_window=True,
)
