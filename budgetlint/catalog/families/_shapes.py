"""What the architectures of several families have in common (transformers 5.24.0 models/*/configuration_*.py and modeling_*.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LAYERNORM_SHAPE: Mapping[str, Any] = {"norm": "layernorm", "norm_bias": True}
BIASED_SHAPE: Mapping[str, Any] = {"qkv_bias": True, "o_bias": True, "mlp_bias": True}
GELU_SHAPE: Mapping[str, Any] = {**LAYERNORM_SHAPE, **BIASED_SHAPE, "glu": False}
ENCODER_SHAPE: Mapping[str, Any] = {
    **GELU_SHAPE,
    "kind": "encoder",
    "activation": "gelu",
    "position": "learned",
    "final_norm": False,
    "dropout": 0.1,
    "tied": True,
}
BART_SHAPE: Mapping[str, Any] = {
    **GELU_SHAPE,
    "kind": "encoder-decoder",
    "activation": "gelu",
    "position": "learned",
    "dropout": 0.1,
    "tied": True,
    "extra": {"position_offset": 2},
}
GPTJ_SHAPE: Mapping[str, Any] = {
    **LAYERNORM_SHAPE,
    "glu": False,
    "activation": "gelu_new",
    "mlp_bias": True,
    "lm_head_bias": True,
    "norms_per_layer": 1,
    "extra": {"parallel_block": 1},
}
GEMMA_SHAPE: Mapping[str, Any] = {"activation": "gelu_pytorch_tanh", "tied": True}
