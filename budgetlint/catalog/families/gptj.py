"""GPT-J (transformers 5.24.0 models/gptj/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GPTJ_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, UP, K, ModuleNames, O, Q, V

FAMILY = Family(
    "gptj",
    classes=("gptj", "", "GPTJAttention", "GPTJMLP"),
    config=HubConfig(shape=GPTJ_SHAPE, sizes={"hidden": 4096, "layers": 28, "heads": 16, "vocab": 50400, "max_positions": 2048}),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="GPTJBlock", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={Q: "attn.q_proj", K: "attn.k_proj", V: "attn.v_proj", O: "attn.out_proj", UP: "mlp.fc_in", DOWN: "mlp.fc_out"},
        norms=("ln_1",),
        layers="transformer.h.*",
        embed="transformer.wte",
        positions="transformer.wpe",
        final_norm="transformer.ln_f",
        head="lm_head",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="families.parallel",
    layer_period=1,
    sdpa=True,
    position_bias=False,
    always_masked=False,
    repeats_for_flash=False,
    eager="wide",  # q and k in fp32 for their product
    drops_scores=True,
    norm="shape",
    normed_stream=False,
    rotates_as_given=False,
    packed_heads=False,
    logits_plain_until="",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
