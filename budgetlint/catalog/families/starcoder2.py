"""StarCoder2 (transformers 5.24.0 models/starcoder2/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import ATTENTION, DOWN, UP

FAMILY = Family(
    "starcoder2",
    like="llama",
    classes=("starcoder2", "", "Starcoder2Attention", "Starcoder2MLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "activation": "gelu_pytorch_tanh", "tied": True},
        sizes={"hidden": 3072, "intermediate": 12288, "layers": 30, "heads": 24, "kv_heads": 2, "vocab": 49152, "max_positions": 4096},
        reader="hf_families.starcoder2",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="Starcoder2DecoderLayer", folded_experts=False, fp16_overflows=False),
    names=replace(LLAMA.names, modules={**ATTENTION, UP: "mlp.c_fc", DOWN: "mlp.c_proj"}, experts={}),
    repeats_for_flash=True,
    probe_keys="family_keys.starcoder2",
    probe_no_window=True,
)
