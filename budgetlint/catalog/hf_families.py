"""What one family's config.json says in its own way: heads, experts, windows. Its record names the function (`HubConfig.reader`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SIZES = (
    "num_decoder_layers",
    "decoder_layers",
    "relative_attention_num_buckets",
    "type_vocab_size",
    "num_mel_bins",
    "max_source_positions",
    "image_size",
    "patch_size",
    "num_ln_in_parallel_attn",
    "num_kv_heads",
    "n_head_kv",
    "conv_kernel_size",
    "word_embed_proj_dim",
    "window_size",
    "sliding_window",
    "sliding_window_pattern",
    "decoder_sparse_step",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
)
"""Keys beside the common ones that must be whole numbers where they are written."""


def size(config: Mapping[str, Any], key: str, default: int) -> int:
    """The number under ``key``; the default where it is missing, null or no number that a model has."""
    value = config.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST else default


LARGEST = 10**9
"""No size of a model is larger; a bigger number is a slip, and multiplying it would only hide that."""


def _windows(config: Mapping[str, Any], values: dict[str, Any], every: int) -> None:
    """All layers but each of so many see a window."""
    layers = values["layers"]
    if not isinstance(config.get("layer_types"), list):
        window = size(config, "sliding_window", 4096)
        step = config.get("sliding_window_pattern", every)
        if isinstance(window, int) and window and isinstance(step, int) and step > 0:
            values["sliding_window"], values["sliding_layers"] = window, layers - layers // step


def every_second(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    _windows(config, values, 2)


def every_fourth(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    _windows(config, values, 4)


def every_sixth(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    _windows(config, values, 6)


def gpt_oss(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["moe_intermediate"] = values["intermediate"]
    if not isinstance(config.get("layer_types"), list):
        values["sliding_window"], values["sliding_layers"] = size(config, "sliding_window", 128), -(-values["layers"] // 2)


def mixture(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Qwen-MoE: layers named in mlp_only_layers, or off the sparse step, are dense (modeling_qwen3_moe.py decoder layer)."""
    only, step = config.get("mlp_only_layers") or (), config.get("decoder_sparse_step") or 1
    if isinstance(only, (list, tuple)) and isinstance(step, int):
        dense = sum(index in only or (index + 1) % step != 0 for index in range(values["layers"]))
        values["first_dense_layers"] = dense or None


def hybrid(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """configuration_qwen3_5.py: ``layer_types`` says which layers are attention, else every fourth."""
    kinds, layers = config.get("layer_types"), values["layers"]
    every = size(config, "full_attention_interval", 4) or 4
    full = sum(kind == "full_attention" for kind in kinds) if isinstance(kinds, list) else layers // every
    values["extra"].update(
        attention_layers=min(max(full, 1), layers),
        delta_key_heads=size(config, "linear_num_key_heads", 16),
        delta_value_heads=size(config, "linear_num_value_heads", 32),
        delta_key_dim=size(config, "linear_key_head_dim", 128),
        delta_value_dim=size(config, "linear_value_head_dim", 128),
        conv_kernel=size(config, "linear_conv_kernel_dim", 4),
    )


def mistral(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    if "sliding_window" not in config:
        values["sliding_window"], values["sliding_layers"] = 4096, values["layers"]


def mixtral(_config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["moe_intermediate"] = values["intermediate"]


def opt(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """modeling_opt.py OPTDecoder: embeddings of another width are projected; no last norm where norms follow the sums (350m)."""
    width = size(config, "word_embed_proj_dim", 0)
    if width and width != values["hidden"]:
        values["extra"]["embed_width"] = width
    values["final_norm"] = config.get("do_layer_norm_before", True) is not False


def gpt_neo(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """configuration_gpt_neo.py ``attention_types``: by default every other layer sees ``window_size`` positions."""
    values["kv_heads"] = values["heads"]
    values["sliding_window"], values["sliding_layers"] = size(config, "window_size", 256), values["layers"] // 2


def deepseek(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    sizes = {"q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
    given = {key: config.get(key, default) for key, default in sizes.items()}
    values["mla"] = tuple((key, value) for key, value in given.items() if isinstance(value, int) and value)
    values["head_dim"] = dict(values["mla"]).get("qk_nope_head_dim", 0) + dict(values["mla"]).get("qk_rope_head_dim", 0)


def falcon(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """modeling_falcon.py: one kv head unless new_decoder_architecture; two norms there or without parallel attention."""
    new, heads = bool(config.get("new_decoder_architecture", False)), values["heads"]
    multi = bool(config.get("multi_query", True))
    values["kv_heads"] = size(config, "num_kv_heads", size(config, "n_head_kv", heads)) if new else 1 if multi else heads
    norms = size(config, "num_ln_in_parallel_attn", 2 if new else 1)
    values["norms_per_layer"] = norms if new or config.get("parallel_attn", True) else 2
    values["qkv_bias"] = values["o_bias"] = values["mlp_bias"] = bool(config.get("bias", False))
    if config.get("alibi", False):  # configuration_falcon.py rotary: ``not self.alibi``
        values["position"] = "alibi"


def gpt_neox(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """modeling_gpt_neox.py GPTNeoXLayer: ``use_parallel_residual`` false runs the MLP on what attention has added."""
    values["kv_heads"] = values["heads"]
    if config.get("use_parallel_residual") is False:
        values["extra"].pop("parallel_block", None)
        values["extra"]["sequential_residual"] = 1


def big_code(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["kv_heads"] = 1 if config.get("multi_query", True) else values["heads"]


def one_per_head(_config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["kv_heads"] = values["heads"]


def starcoder2(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["qkv_bias"] = values["o_bias"] = values["mlp_bias"] = bool(config.get("use_bias", True))


def qwen(_config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Remote code of Qwen 1: ``intermediate_size`` is twice the width of each of its two matrices."""
    values["intermediate"] //= 2
    values["kv_heads"] = values["heads"]
