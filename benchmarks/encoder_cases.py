"""The cases that `trace_encoders.py` runs: small configs of encoders, encoder-decoders and vision models, times precision, attention
and adapter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

RANK = 5


@dataclass(frozen=True)
class Shape:
    """``kind``: text, vision, seq2seq or speech."""

    family: str
    kind: str
    config: dict[str, Any]
    stacks: tuple[str, ...] = ("encoder",)


_TEXT = {"hidden_size": 96, "num_attention_heads": 6, "intermediate_size": 136, "num_hidden_layers": 3, "vocab_size": 64, "num_labels": 2}
_VISION = {**{key: value for key, value in _TEXT.items() if key != "vocab_size"}, "patch_size": 2}
_T5 = {"d_model": 96, "num_heads": 6, "d_kv": 16, "d_ff": 136, "num_layers": 3, "vocab_size": 64}
_BART = {
    "d_model": 96, "encoder_layers": 3, "decoder_layers": 3, "encoder_attention_heads": 6, "decoder_attention_heads": 6,
    "encoder_ffn_dim": 136, "decoder_ffn_dim": 136, "vocab_size": 64,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1,
}  # fmt: skip
_BOTH = ("encoder", "decoder")

SHAPES = {
    "vit": Shape("vit", "vision", _VISION),
    "vit-dropout": Shape("vit", "vision", {**_VISION, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}),
    "deit": Shape("deit", "vision", _VISION),
    "dinov2": Shape("dinov2", "vision", {**{key: _VISION[key] for key in _VISION if key != "intermediate_size"}, "mlp_ratio": 2}),
    "dinov2-swiglu": Shape(
        "dinov2", "vision", {**{key: _VISION[key] for key in _VISION if key != "intermediate_size"}, "mlp_ratio": 2, "use_swiglu_ffn": True}
    ),
    "electra": Shape("electra", "text", _TEXT),
    "xlm-roberta": Shape("xlm-roberta", "text", _TEXT),
    "distilbert": Shape(
        "distilbert", "text", {"dim": 96, "n_heads": 6, "hidden_dim": 136, "n_layers": 3, "vocab_size": 64, "num_labels": 2}
    ),
    "deberta-v3": Shape(
        "deberta-v2",
        "text",
        {
            **_TEXT,
            "relative_attention": True,
            "position_buckets": 12,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_biased_input": False,
            "type_vocab_size": 0,
        },
    ),
    "modernbert": Shape("modernbert", "text", {**_TEXT, "local_attention": 16, "pad_token_id": 0}),
    "modernbert-global": Shape("modernbert", "text", {**_TEXT, "global_attn_every_n_layers": 1, "pad_token_id": 0}),
    "t5": Shape("t5", "seq2seq", _T5, _BOTH),
    "t5-gated": Shape("t5", "seq2seq", {**_T5, "feed_forward_proj": "gated-gelu"}, _BOTH),
    "mt5": Shape("mt5", "seq2seq", {**_T5, "feed_forward_proj": "gated-gelu"}, _BOTH),
    "bart": Shape("bart", "seq2seq", _BART, _BOTH),
    "mbart": Shape("mbart", "seq2seq", _BART, _BOTH),
    "pegasus": Shape("pegasus", "seq2seq", _BART, _BOTH),
    "whisper": Shape("whisper", "speech", {**_BART, "num_mel_bins": 8}, _BOTH),
}


@dataclass(frozen=True)
class Case:
    shape: str
    stack: str
    weights: str = "bf16"
    autocast: bool = False
    attention: str = "sdpa"
    padded: bool = False
    lora: dict[str, Any] = field(default_factory=dict)
    batch: int | None = None

    @property
    def name(self) -> str:
        flags = " ".join(flag for flag, on in (("autocast", self.autocast), ("padded", self.padded), ("alone", self.batch)) if on)
        return f"{self.shape} {self.stack} {self.weights} {self.attention} {flags} {self.lora or ''}".strip()

    def row(self) -> dict[str, Any]:
        return {
            "family": SHAPES[self.shape].family, "shape": self.shape, "stack": self.stack, "weights": self.weights,
            "autocast": self.autocast, "attention": self.attention, "padded": self.padded, "batch": self.batch, "lora": self.lora or None,
        }  # fmt: skip


_ALL = {"r": RANK, "target_modules": "all-linear", "dtype": "fp32"}
RECIPES: tuple[dict[str, Any], ...] = (
    {"weights": "bf16"},
    {"weights": "fp32", "autocast": True},
    {"weights": "fp32"},
    {"weights": "bf16", "lora": _ALL, "autocast": True},
    {"weights": "fp32", "lora": {**_ALL, "lora_dropout": 0.05}, "autocast": True},
    {"weights": "bf16", "lora": {**_ALL, "dtype": "bf16"}},
)
NO_SDPA = frozenset({"deberta-v3"})


KIN = frozenset(
    {"vit-dropout", "deit", "dinov2-swiglu", "electra", "xlm-roberta", "modernbert-global", "t5-gated", "mt5", "mbart", "pegasus"}
)
"""Shapes close to another that is traced in every recipe: the default attention, and eager once."""


def cases() -> Iterator[Case]:
    for name, shape in SHAPES.items():
        for stack in shape.stacks:
            yield from _of_stack(name, stack, shape.kind in ("text", "seq2seq"))


def _of_stack(name: str, stack: str, padded: bool) -> Iterator[Case]:
    default = "eager" if name in NO_SDPA else "sdpa"
    masked = default == "eager"  # DeBERTa makes a mask where none is given, by a value that meta tensors do not have
    yield from (Case(name, stack, attention=default, padded=masked, **recipe) for recipe in RECIPES)
    if default == "sdpa":
        yield from (Case(name, stack, attention="eager", **recipe) for recipe in (RECIPES[:1] if name in KIN else RECIPES))
    if default == "sdpa" and name not in KIN:
        yield from (Case(name, stack, attention="eager", batch=1, **recipe) for recipe in RECIPES[:3])
    if padded and not masked:
        yield from (Case(name, stack, attention=default, padded=True, **recipe) for recipe in (RECIPES[:1] if name in KIN else RECIPES[:3]))
