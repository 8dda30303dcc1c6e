"""Vision towers in front of decoders: what the code of each calls its modules, and what lies around its blocks.

Read in transformers 5.24.0 (models/*/modeling_*.py of the family's name).
"""

from __future__ import annotations

from budgetlint.catalog.module_names import DOWN, GATE, QKV, UP, Family, K, O, Q, V
from budgetlint.record import record

PLACES = frozenset({"vision", "projector"})
"""`WeightTensor.where` of a tower's tensors, and of those that bring its output to the decoder's width."""


@record
class Tower:
    """``at``: where the tower lies in the model; ``patch`` its patch embedding. ``positions``: ``table`` for each patch of the image
    size, ``grid`` of a fixed number that is resampled, ``rope``. ``front``, ``last``: norms before and behind the blocks; ``scales``:
    vectors that multiply what attention and MLP give; ``decoder``: where the decoder behind it lies."""

    family: Family
    at: str
    patch: str
    patch_bias: bool = False
    class_token: bool = False
    positions: str = "rope"
    front: str = ""
    last: str = ""
    scales: tuple[str, ...] = ()
    decoder: str = "model.language_model"


def _blocks(layers: str, modules: dict[str, str], *norms: str) -> Family:
    return Family(modules, norms=norms, layers=layers)


_SEPARATE = {Q: "self_attn.q_proj", K: "self_attn.k_proj", V: "self_attn.v_proj", O: "self_attn.out_proj", UP: "mlp.fc1", DOWN: "mlp.fc2"}
_QWEN = {QKV: "attn.qkv", O: "attn.proj"}
_GATED = {GATE: "mlp.gate_proj", UP: "mlp.up_proj", DOWN: "mlp.down_proj"}

TOWERS: dict[str, Tower] = {
    "qwen2_vl_vision": Tower(
        _blocks("blocks.*", {**_QWEN, UP: "mlp.fc1", DOWN: "mlp.fc2"}, "norm1", "norm2"), "model.visual", "patch_embed.proj"
    ),
    "qwen2_5_vl_vision": Tower(_blocks("blocks.*", {**_QWEN, **_GATED}, "norm1", "norm2"), "model.visual", "patch_embed.proj"),
    "qwen3_vl_vision": Tower(
        _blocks("blocks.*", {**_QWEN, UP: "mlp.linear_fc1", DOWN: "mlp.linear_fc2"}, "norm1", "norm2"),
        "model.visual",
        "patch_embed.proj",
        patch_bias=True,
        positions="grid",
    ),
    "clip_vision": Tower(
        _blocks("encoder.layers.*", _SEPARATE, "layer_norm1", "layer_norm2"),
        "model.vision_tower",
        "embeddings.patch_embedding",
        class_token=True,
        positions="table",
        front="pre_layrnorm",
        last="post_layernorm",
    ),
    "siglip": Tower(
        _blocks("encoder.layers.*", _SEPARATE, "layer_norm1", "layer_norm2"),
        "model.vision_tower",
        "embeddings.patch_embedding",
        patch_bias=True,
        positions="table",
        last="post_layernorm",
    ),
    "idefics3_vision": Tower(
        _blocks("encoder.layers.*", _SEPARATE, "layer_norm1", "layer_norm2"),
        "model.vision_model",
        "embeddings.patch_embedding",
        patch_bias=True,
        positions="table",
        last="post_layernorm",
        decoder="model.text_model",
    ),
    "internvl_vision": Tower(
        _blocks(
            "encoder.layer.*",
            {
                Q: "attention.q_proj",
                K: "attention.k_proj",
                V: "attention.v_proj",
                O: "attention.projection_layer",
                UP: "mlp.fc1",
                DOWN: "mlp.fc2",
            },
            "layernorm_before",
            "layernorm_after",
        ),
        "model.vision_tower",
        "embeddings.patch_embeddings.projection",
        patch_bias=True,
        class_token=True,
        positions="table",
        scales=("lambda_1", "lambda_2"),
    ),
    "pixtral_vision": Tower(
        _blocks(
            "transformer.layers.*",
            {
                Q: "attention.q_proj",
                K: "attention.k_proj",
                V: "attention.v_proj",
                O: "attention.o_proj",
                GATE: "feed_forward.gate_proj",
                UP: "feed_forward.up_proj",
                DOWN: "feed_forward.down_proj",
            },
            "attention_norm",
            "ffn_norm",
        ),
        "model.vision_tower",
        "patch_conv",
        front="ln_pre",
    ),
}
