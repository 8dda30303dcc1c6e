"""Parameters of encoders, encoder-decoders, speech and vision models, counted in an instance of the transformers class on meta tensors.

    pip install torch==2.13.0 transformers==5.24.0
    python benchmarks/count_encoders.py benchmarks/data/counts_encoders_transformers-5.24.0.jsonl

Each line: the catalog's name, the hub id, the config that was counted, the class, and its parameters (tied ones once). The T5 configs of
5.24.0 tie always (configuration_t5.py ``__post_init__``); checkpoints of v1.1 and later are untied, so their head is added.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
import transformers

_VIT = {"base": (768, 12, 12), "large": (1024, 24, 16), "tiny": (192, 12, 3), "small": (384, 12, 6)}


def _vit(size: str, patch: int, side: int) -> dict[str, Any]:
    hidden, layers, heads = _VIT[size]
    return {
        "model_type": "vit", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
        "intermediate_size": 4 * hidden, "patch_size": patch, "image_size": side,
    }  # fmt: skip


def _dinov2(size: str, **more: Any) -> dict[str, Any]:
    hidden, layers, heads = {**_VIT, "giant": (1536, 40, 24)}[size]
    gated = {"use_swiglu_ffn": True} if size == "giant" else {}
    return {
        "model_type": "dinov2", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "mlp_ratio": 4,
        "patch_size": 14, "image_size": 518, **gated, **more,
    }  # fmt: skip


def _registered(size: str) -> dict[str, Any]:
    return _dinov2(size, model_type="dinov2_with_registers", num_register_tokens=4)


def _bart(kind: str, hidden: int, layers: tuple[int, int], heads: int, vocab: int, **more: Any) -> dict[str, Any]:
    return {
        "model_type": kind, "d_model": hidden, "encoder_layers": layers[0], "decoder_layers": layers[1], "encoder_attention_heads": heads,
        "decoder_attention_heads": heads, "encoder_ffn_dim": 4 * hidden, "decoder_ffn_dim": 4 * hidden, "vocab_size": vocab, **more,
    }  # fmt: skip


def _whisper(hidden: int, layers: tuple[int, int], vocab: int = 51865, bins: int = 80) -> dict[str, Any]:
    return _bart("whisper", hidden, layers, hidden // 64, vocab, num_mel_bins=bins, max_source_positions=1500, max_target_positions=448)


def _t5(hidden: int, inner: int, layers: int, heads: int, vocab: int = 32128, **more: Any) -> dict[str, Any]:
    return {
        "model_type": "t5", "d_model": hidden, "d_ff": inner, "num_layers": layers, "num_heads": heads, "d_kv": 64, "vocab_size": vocab,
        **more,
    }  # fmt: skip


def _later_t5(hidden: int, inner: int, layers: int, heads: int, **more: Any) -> dict[str, Any]:
    return _t5(hidden, inner, layers, heads, **{"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, **more})


def _mt5(hidden: int, inner: int, layers: int, heads: int) -> dict[str, Any]:
    return _later_t5(hidden, inner, layers, heads, vocab=250112, model_type="mt5")


def _bert(kind: str, hidden: int, layers: int, heads: int, vocab: int, positions: int = 512, **more: Any) -> dict[str, Any]:
    return {
        "model_type": kind, "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
        "intermediate_size": 4 * hidden, "vocab_size": vocab, "max_position_embeddings": positions, **more,
    }  # fmt: skip


_DEBERTA = {
    "relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"], "position_biased_input": False, "type_vocab_size": 0,
}  # fmt: skip
_ROBERTA = {"type_vocab_size": 1}

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "vit-base-patch16-384": ("google/vit-base-patch16-384", _vit("base", 16, 384)),
    "vit-base-patch32-224": ("google/vit-base-patch32-224-in21k", _vit("base", 32, 224)),
    "vit-base-patch32-384": ("google/vit-base-patch32-384", _vit("base", 32, 384)),
    "vit-large-patch16-224": ("google/vit-large-patch16-224", _vit("large", 16, 224)),
    "vit-large-patch16-384": ("google/vit-large-patch16-384", _vit("large", 16, 384)),
    "vit-large-patch32-384": ("google/vit-large-patch32-384", _vit("large", 32, 384)),
    "deit-tiny-patch16-224": ("facebook/deit-tiny-patch16-224", _vit("tiny", 16, 224)),
    "deit-small-patch16-224": ("facebook/deit-small-patch16-224", _vit("small", 16, 224)),
    "deit-base-patch16-224": ("facebook/deit-base-patch16-224", _vit("base", 16, 224)),
    "deit-tiny-distilled-patch16-224": ("facebook/deit-tiny-distilled-patch16-224", {**_vit("tiny", 16, 224), "model_type": "deit"}),
    "deit-small-distilled-patch16-224": ("facebook/deit-small-distilled-patch16-224", {**_vit("small", 16, 224), "model_type": "deit"}),
    "deit-base-distilled-patch16-224": ("facebook/deit-base-distilled-patch16-224", {**_vit("base", 16, 224), "model_type": "deit"}),
    **{f"dinov2-{size}": (f"facebook/dinov2-{size}", _dinov2(size)) for size in ("small", "base", "large", "giant")},
    **{
        f"dinov2-with-registers-{size}": (f"facebook/dinov2-with-registers-{size}", _registered(size))
        for size in ("small", "base", "large", "giant")
    },
    "whisper-tiny.en": ("openai/whisper-tiny.en", _whisper(384, (4, 4), 51864)),
    "whisper-base.en": ("openai/whisper-base.en", _whisper(512, (6, 6), 51864)),
    "whisper-small.en": ("openai/whisper-small.en", _whisper(768, (12, 12), 51864)),
    "whisper-medium.en": ("openai/whisper-medium.en", _whisper(1024, (24, 24), 51864)),
    "whisper-large-v3-turbo": ("openai/whisper-large-v3-turbo", _whisper(1280, (32, 4), 51866, 128)),
    "distil-whisper-large-v2": ("distil-whisper/distil-large-v2", _whisper(1280, (32, 2))),
    "distil-whisper-large-v3": ("distil-whisper/distil-large-v3", _whisper(1280, (32, 2), 51866, 128)),
    "bart-base": ("facebook/bart-base", _bart("bart", 768, (6, 6), 12, 50265, attention_dropout=0.1, activation_dropout=0.1)),
    "bart-large": ("facebook/bart-large", _bart("bart", 1024, (12, 12), 16, 50265, attention_dropout=0.1, activation_dropout=0.1)),
    "bart-large-cnn": ("facebook/bart-large-cnn", _bart("bart", 1024, (12, 12), 16, 50264)),
    "distilbart-cnn-12-6": ("sshleifer/distilbart-cnn-12-6", _bart("bart", 1024, (12, 6), 16, 50264)),
    "mbart-large-50": ("facebook/mbart-large-50", _bart("mbart", 1024, (12, 12), 16, 250054, activation_function="relu")),
    "mbart-large-cc25": ("facebook/mbart-large-cc25", _bart("mbart", 1024, (12, 12), 16, 250027)),
    "pegasus-large": ("google/pegasus-large", _bart("pegasus", 1024, (16, 16), 16, 96103, activation_function="relu",
                      attention_dropout=0.1, activation_dropout=0.1, max_position_embeddings=1024)),
    "pegasus-xsum": ("google/pegasus-xsum", _bart("pegasus", 1024, (16, 16), 16, 96103, activation_function="relu",
                     attention_dropout=0.1, activation_dropout=0.1, max_position_embeddings=512)),
    "ul2": ("google/ul2", _later_t5(4096, 16384, 32, 16, d_kv=256, feed_forward_proj="gated-silu")),
    "mt5-large": ("google/mt5-large", _mt5(1024, 2816, 24, 16)),
    "mt5-xl": ("google/mt5-xl", _mt5(2048, 5120, 24, 32)),
    "mt5-xxl": ("google/mt5-xxl", _mt5(4096, 10240, 24, 64)),
    "byt5-small": ("google/byt5-small", _later_t5(1472, 3584, 12, 6, vocab=384, num_decoder_layers=4)),
    "byt5-base": ("google/byt5-base", _later_t5(1536, 3968, 18, 12, vocab=384, num_decoder_layers=6)),
    "byt5-large": ("google/byt5-large", _later_t5(1536, 3840, 36, 16, vocab=384, num_decoder_layers=12)),
    "electra-small-discriminator": ("google/electra-small-discriminator", _bert("electra", 256, 12, 4, 30522, embedding_size=128)),
    "electra-base-discriminator": ("google/electra-base-discriminator", _bert("electra", 768, 12, 12, 30522, embedding_size=768)),
    "electra-large-discriminator": ("google/electra-large-discriminator", _bert("electra", 1024, 24, 16, 30522, embedding_size=1024)),
    "distilroberta-base": ("distilbert/distilroberta-base", _bert("roberta", 768, 6, 12, 50265, 514, **_ROBERTA)),
    "camembert-base": ("almanach/camembert-base", _bert("camembert", 768, 12, 12, 32005, 514, **_ROBERTA)),
    "bge-m3": ("BAAI/bge-m3", _bert("xlm-roberta", 1024, 24, 16, 250002, 8194, **_ROBERTA)),
    "all-minilm-l6-v2": ("sentence-transformers/all-MiniLM-L6-v2", _bert("bert", 384, 6, 12, 30522)),
    "bge-small-en-v1.5": ("BAAI/bge-small-en-v1.5", _bert("bert", 384, 12, 12, 30522)),
    "deberta-v2-xlarge": ("microsoft/deberta-v2-xlarge", _bert("deberta-v2", 1536, 24, 24, 128100, conv_kernel_size=3, **_DEBERTA)),
    "mdeberta-v3-base": ("microsoft/mdeberta-v3-base", _bert("deberta-v2", 768, 12, 12, 251000, **_DEBERTA)),
}  # fmt: skip
"""Catalog name -> hub id and the sizes of its config; the keys of a class that are missing have the class defaults."""

SEQUENCES = {"whisper": "AutoModelForSpeechSeq2Seq", **dict.fromkeys(("bart", "mbart", "pegasus", "t5", "mt5"), "AutoModelForSeq2SeqLM")}
BARE = {"vit": "ViTModel", "deit": "DeiTModel"}


def instance(config: dict[str, Any]) -> Any:
    kind = config["model_type"]
    made = transformers.AutoConfig.for_model(kind, **{key: value for key, value in config.items() if key != "model_type"})
    with torch.device("meta"):
        if kind in BARE:
            return getattr(transformers, BARE[kind])(made, add_pooling_layer=False)
        return getattr(transformers, SEQUENCES.get(kind, "AutoModel")).from_config(made)


def line(name: str, hub_id: str, config: dict[str, Any]) -> dict[str, Any]:
    model = instance(config)
    count = sum(parameter.numel() for parameter in model.parameters())
    trained = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    head = config["vocab_size"] * config["d_model"] if config.get("tie_word_embeddings") is False else 0
    return {
        "name": name, "hub_id": hub_id, "class": type(model).__name__, "params": count + head, "trainable": trained + head,
        "config": config,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    transformers.logging.set_verbosity_error()
    lines = [{"versions": {"transformers": transformers.__version__, "torch": torch.__version__.partition("+")[0]}}]
    lines += [line(name, *row) for name, row in MODELS.items()]
    parser.parse_args().out.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
