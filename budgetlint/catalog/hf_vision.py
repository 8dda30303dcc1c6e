"""The vision tower that a multimodal config.json describes, and the projector behind it (transformers 5.24.0 configuration_*.py).

InternVL's first checkpoints (``internvl_chat``) run remote code, whose tower has the tensors of transformers' own with q, k and v in one
matrix (modeling_intern_vit.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from budgetlint.base.numerals import finite
from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.hf_families import size

Config = Mapping[str, Any]

_LAYERNORM: dict[str, Any] = {"norm": "layernorm", "norm_bias": True}
_PLAIN: dict[str, Any] = {**_LAYERNORM, "glu": False, "qkv_bias": True, "o_bias": True, "mlp_bias": True}


def tower(
    family: str, config: Config, *, heads: int, numbers: dict[str, int], fields: dict[str, Any], sizes: tuple[int, int, int]
) -> Architecture:
    """``sizes``: hidden, layers and MLP width."""
    hidden, layers, inner = sizes
    count = heads or 1
    return Architecture(
        name="vision",
        hub_id="",
        family=family,
        kind="tower",
        hidden=hidden,
        layers=layers,
        heads=count,
        kv_heads=count,
        head_dim=hidden // count,
        intermediate=inner,
        vocab=0,
        tied=True,
        max_positions=None,
        extra=tuple((key, value) for key, value in numbers.items() if value),
        **{"activation": str(config.get("hidden_act") or "gelu"), "position": "learned", **fields},
    )


def _sizes(config: Config, hidden: int, layers: int, inner: int) -> tuple[int, int, int]:
    depth = size(config, "depth", size(config, "num_hidden_layers", layers))
    return size(config, "hidden_size", hidden), depth, size(config, "intermediate_size", inner)


def _heads(config: Config, default: int) -> int:
    return size(config, "num_heads", size(config, "num_attention_heads", default))


def _side(config: Config, key: str, default: int) -> int:
    """A side in pixels; some configs write both sides."""
    value = config.get(key)
    first = {key: value[0]} if isinstance(value, (list, tuple)) and value else config
    return size(first, key, default) or default


def _qwen_numbers(config: Config, patch: int) -> dict[str, int]:
    merge, times = size(config, "spatial_merge_size", 2), size(config, "temporal_patch_size", 2)
    return {"patch_size": _side(config, "patch_size", patch), "merge": merge, "temporal": times}


def _qwen2(config: Config, _: Config) -> Architecture:
    """``hidden_size`` is the decoder's here, ``embed_dim`` the tower's."""
    width, heads = size(config, "embed_dim", 1280), _heads(config, 16)
    sizes = width, size(config, "depth", 32), width * size(config, "mlp_ratio", 4)
    fields = {**_PLAIN, "position": "rope", "activation": str(config.get("hidden_act") or "quick_gelu")}
    return tower("qwen2_vl_vision", config, heads=heads, numbers=_qwen_numbers(config, 14), fields=fields, sizes=sizes)


def _qwen25(config: Config, _: Config) -> Architecture:
    """The class default of ``hidden_size`` is the decoder's; every checkpoint writes 1280."""
    numbers = {**_qwen_numbers(config, 14), "window": size(config, "window_size", 112)}
    full = config.get("fullatt_block_indexes", (7, 15, 23, 31))
    numbers["full_layers"] = len(full) if isinstance(full, (list, tuple)) else 4
    fields = {"norm": "rmsnorm", "qkv_bias": True, "o_bias": True, "mlp_bias": True, "position": "rope", "activation": "silu"}
    return tower(
        "qwen2_5_vl_vision", config, heads=_heads(config, 16), numbers=numbers, fields=fields, sizes=_sizes(config, 1280, 32, 3420)
    )


def _qwen3(config: Config, outer: Config) -> Architecture:
    stacked = str(outer.get("model_type") or "").startswith("qwen3_vl")
    deep = config.get("deepstack_visual_indexes", (8, 16, 24) if stacked else ())
    numbers = {**_qwen_numbers(config, 16), "positions": size(config, "num_position_embeddings", 2304)}
    numbers["deepstack"] = len(deep) if stacked and isinstance(deep, (list, tuple)) else 0
    fields = {**_PLAIN, "position": "rope", "activation": str(config.get("hidden_act") or "gelu_pytorch_tanh")}
    return tower("qwen3_vl_vision", config, heads=_heads(config, 16), numbers=numbers, fields=fields, sizes=_sizes(config, 1152, 27, 4304))


def _clip(config: Config, outer: Config) -> Architecture:
    """LLaVA reads the last block but one (configuration_llava.py ``vision_feature_layer``)."""
    numbers = {"image_size": _side(config, "image_size", 224), "patch_size": _side(config, "patch_size", 32), "projector": 3}
    numbers["unread"] = 1 if outer.get("vision_feature_layer", -2) == -2 else 0
    numbers["newline"] = 1 if outer.get("model_type") == "llava_next" else 0
    fields = {**_PLAIN, "activation": str(config.get("hidden_act") or "quick_gelu")}
    return tower("clip_vision", config, heads=_heads(config, 12), numbers=numbers, fields=fields, sizes=_sizes(config, 768, 12, 3072))


def siglip(config: Config, numbers: dict[str, int]) -> Architecture:
    sides = {"image_size": _side(config, "image_size", 224), "patch_size": _side(config, "patch_size", 16)}
    fields = {**_PLAIN, "activation": str(config.get("hidden_act") or "gelu_pytorch_tanh")}
    sizes = _sizes(config, 768, 12, 3072)
    return tower("siglip", config, heads=_heads(config, 12), numbers={**sides, **numbers}, fields=fields, sizes=sizes)


def _gemma3(config: Config, outer: Config) -> Architecture:
    """``mm_tokens_per_image`` patches are left of each image after pooling."""
    found = siglip(config, {})
    side = round(size(outer, "mm_tokens_per_image", 256) ** 0.5)
    return siglip(config, {"projector": 1, "merge": found.number("image_size") // found.number("patch_size", 1) // max(side, 1)})


def _paligemma(config: Config, _: Config) -> Architecture:
    return siglip(config, {"projector": 2})


def _idefics3(config: Config, outer: Config) -> Architecture:
    """configuration_idefics3.py: defaults of its own."""
    own = {"hidden_size": 1152, "num_attention_heads": 16, "patch_size": 32, **config}
    found = siglip(own, {"projector": 2, "merge": size(outer, "scale_factor", 2), "tiled": 1})
    return replace(found, family="idefics3_vision")


def _internvl(config: Config, outer: Config) -> Architecture:
    """transformers' own code and the remote one, which calls some keys otherwise."""
    ratio = finite(outer.get("downsample_ratio"))
    merge = round(1 / ratio) if ratio and 0.01 <= ratio <= 1 else 2
    numbers = {
        "image_size": _side(config, "image_size", 448),
        "patch_size": _side(config, "patch_size", 14),
        "merge": merge,
        "projector": 4,
    }
    numbers["tiled"] = 1
    bias = bool(config.get("qkv_bias", config.get("attention_bias", False)))
    normed = bool(config.get("qk_normalization", config.get("use_qk_norm", False)))
    rms = config.get("norm_type") == "rms_norm"
    norms = {"norm": "rmsnorm", "norm_bias": False} if rms else _LAYERNORM
    fields = {**_PLAIN, **norms, "qkv_bias": bias, "qk_norm": "full" if normed else None, "activation": "gelu"}
    return tower("internvl_vision", config, heads=_heads(config, 16), numbers=numbers, fields=fields, sizes=_sizes(config, 1024, 24, 4096))


def _pixtral(config: Config, outer: Config) -> Architecture:
    third = outer.get("model_type") == "mistral3"
    numbers = {"patch_size": _side(config, "patch_size", 16), "image_size": _side(config, "image_size", 1024)}
    numbers.update(projector=5 if third else 3, merge=size(outer, "spatial_merge_size", 2) if third else 1)
    fields = {"norm": "rmsnorm", "position": "rope", "activation": str(config.get("hidden_act") or "gelu")}
    return tower("pixtral_vision", config, heads=_heads(config, 16), numbers=numbers, fields=fields, sizes=_sizes(config, 1024, 24, 4096))


def _llava(config: Config, outer: Config) -> Architecture | None:
    kind = str(config.get("model_type") or "clip_vision_model")
    reader = {"clip_vision_model": _clip, "pixtral": _pixtral}.get(kind)
    return reader(config, outer) if reader else None


WHOLES: dict[str, Callable[[Config, Config], Architecture | None] | None] = {
    "qwen2_vl": _qwen2,
    "qwen2_5_vl": _qwen25,
    **dict.fromkeys(("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"), _qwen3),
    "llava": _llava,
    "llava_next": _llava,
    "gemma3": _gemma3,
    "paligemma": _paligemma,
    "idefics3": _idefics3,
    "smolvlm": _idefics3,
    "internvl": _internvl,
    "internvl_chat": _internvl,
    "mistral3": _pixtral,
    **dict.fromkeys(("gemma3n", "idefics2", "llava_onevision"), None),
}
"""Multimodal model_types whose ``text_config`` is a language model of a known family (others add layers of their own) -> what reads their
``vision_config``; None where the tower's code is not followed here."""


def vision_part(config: Config) -> Architecture | None:
    """The tower of a multimodal config; None where there is none, or none whose code is followed here."""
    described = config.get("vision_config")
    reader = WHOLES.get(str(config.get("model_type") or ""))
    if reader is None or not isinstance(described, Mapping):
        return None
    return reader(described, config)
