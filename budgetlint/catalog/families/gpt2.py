"""GPT-2 (transformers 5.24.0 models/gpt2/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, QKV, UP, ModuleNames, O

FAMILY = Family(
    "gpt2",
    classes=("gpt2", "", "GPT2Attention", "GPT2MLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "activation": "gelu_new", "position": "learned", "tied": True, "dropout": 0.1},
        sizes={"hidden": 768, "layers": 12, "heads": 12, "vocab": 50257, "max_positions": 1024},
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="GPT2Block", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={QKV: "attn.c_attn", O: "attn.c_proj", UP: "mlp.c_fc", DOWN: "mlp.c_proj"},
        norms=("ln_1", "ln_2"),
        layers="transformer.h.*",
        embed="transformer.wte",
        positions="transformer.wpe",
        final_norm="transformer.ln_f",
        head="lm_head",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="families.pre_norm",
    layer_period=1,
    sdpa=True,
    position_bias=False,
    always_masked=False,
    repeats_for_flash=False,
    eager="own dtype",  # the softmax in the scores' dtype
    drops_scores=True,
    norm="shape",
    normed_stream=False,
    rotates_as_given=False,
    packed_heads=False,
    logits_plain_until="4.49",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
