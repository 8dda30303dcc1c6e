"""What the config.json of encoders, encoder-decoders, speech and vision models says in its own way (transformers 5.24.0
models/*/configuration_*.py). `HubConfig.reader` of its record names the function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgetlint.catalog.hf_families import LARGEST, size


def t5(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    feed = str(config.get("feed_forward_proj", "relu" if values["activation"] == "relu" else "gated-gelu"))
    values["glu"], values["kv_heads"] = feed.startswith("gated"), values["heads"]
    values["activation"] = {"gated-gelu": "gelu_new"}.get(feed, feed.removeprefix("gated-"))
    values["extra"]["decoder_layers"] = size(config, "num_decoder_layers", values["layers"])
    values["extra"]["rel_buckets"] = size(config, "relative_attention_num_buckets", 32)
    if config.get("model_type") == "umt5":
        values["extra"]["bias_in_every_layer"] = 1


def bart(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """``attention_dropout`` and ``activation_dropout`` stand beside ``dropout``: in thousandths, for `Architecture.number`."""
    values["extra"]["decoder_layers"] = size(config, "decoder_layers", values["layers"])
    for key in ("attention_dropout", "activation_dropout"):
        rate = config.get(key)
        if isinstance(rate, (int, float)) and 0 < rate < 1:
            values["extra"][f"{key}_permille"] = round(1000 * rate)


def bert(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["extra"].update(type_vocab=size(config, "type_vocab_size", 2), pooler=1)


def electra(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """modeling_electra.py: embeddings of another width are projected; no pooler."""
    values["extra"]["type_vocab"] = size(config, "type_vocab_size", 2)
    width = size(config, "embedding_size", 128)
    if width and width != values["hidden"]:
        values["extra"]["embed_width"] = width


def deberta(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    buckets = config.get("position_buckets", -1)
    if config.get("relative_attention", False):
        values["extra"]["rel_buckets"] = buckets if isinstance(buckets, int) and 0 < buckets <= LARGEST else values["max_positions"]
    if config.get("position_biased_input", True):
        values["position"] = "learned"
    values["extra"]["type_vocab"] = size(config, "type_vocab_size", 0)
    values["extra"]["conv_kernel"] = size(config, "conv_kernel_size", 0)


def whisper(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    bart(config, values)
    values["extra"].update(mel_bins=size(config, "num_mel_bins", 80), source_positions=size(config, "max_source_positions", 1500))


def vit(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["extra"].update(image_size=size(config, "image_size", 224), patch_size=(size(config, "patch_size", 16) or 16))


def dinov2(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """modeling_dinov2.py: the MLP's width is a multiple of the hidden size, of a gated one two thirds of it in steps of 8."""
    inner = values["hidden"] * (size(config, "mlp_ratio", 4) or 4)
    values["glu"] = bool(config.get("use_swiglu_ffn", False))
    values["intermediate"] = (inner * 2 // 3 + 7) // 8 * 8 if values["glu"] else inner
    values["activation"] = "silu" if values["glu"] else values["activation"]
    registered = config.get("model_type") == "dinov2_with_registers"
    patch = size(config, "patch_size", 16 if registered else 14) or 14
    values["extra"].update(image_size=size(config, "image_size", 224), patch_size=patch, layer_scale=1)
    if registered:
        values["extra"]["registers"] = size(config, "num_register_tokens", 4)
    if registered or config.get("use_mask_token", True):
        values["extra"]["mask_token"] = 1
