"""From a catalog architecture to the configuration object of transformers: no hub, no file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.hf_defaults import KEYS
from budgetlint.probe.job import Inexpressible

CLASSES = {"gemma3": "gemma3_text"}
"""Families that are called otherwise than the ``model_type`` of their language model."""

_MLA = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
_SIZES = ("hidden", "layers", "heads", "kv_heads", "intermediate", "vocab", "max_positions", "experts", "experts_per_token",
          "moe_intermediate", "shared_experts", "shared_intermediate", "first_dense_layers")  # fmt: skip
_DROPOUT = ("resid_pdrop", "embd_pdrop", "hidden_dropout", "residual_dropout", "embedding_dropout", "hidden_dropout_prob", "dropout",
            "attn_pdrop", "attention_dropout", "attention_probs_dropout_prob", "classifier_dropout")  # fmt: skip
"""Every probability that a config has; the catalog keeps one for all."""


def config_of(arch: Architecture, layers: int | None = None) -> Any:
    """The transformers configuration with these sizes; ``layers`` for a shallower model. Raises `Inexpressible`."""
    import transformers

    kind = CLASSES.get(arch.family, arch.family)
    if kind not in transformers.CONFIG_MAPPING:
        raise Inexpressible(f"transformers {transformers.__version__} has no model code of its own for '{arch.family}'")
    empty = transformers.CONFIG_MAPPING[kind]()
    arch = arch if layers is None else replace(arch, layers=layers)
    values = dict(_values(arch, empty))
    config = transformers.CONFIG_MAPPING[kind](**values)
    config.use_cache = False
    return config


def _values(arch: Architecture, empty: Any) -> Any:
    for field in _SIZES:
        name, value = _name(empty, field), getattr(arch, field)
        if name and value is not None:
            yield name, value
    if arch.heads * arch.head_dim != arch.hidden and not arch.mla:
        yield "head_dim", arch.head_dim
    yield "tie_word_embeddings", arch.tied
    if arch.mla:
        yield from ((key, arch.mla_number(key) or None) for key in _MLA)
    yield from ((key, value) for key, value in _flags(arch).items() if hasattr(empty, key))
    yield from ((key, arch.dropout) for key in _DROPOUT if getattr(empty, key, None) is not None and arch.dropout != _base(arch))
    if arch.sliding_window is None and hasattr(empty, "sliding_window") and arch.family in ("mistral", "starcoder2", "phi3"):
        yield "sliding_window", None


def _base(arch: Architecture) -> float:
    """What the family's config class has already: nothing is to be said then."""
    from budgetlint.catalog.hf_defaults import SHAPE

    return float(SHAPE.get(arch.family, {}).get("dropout", 0.0))


def _name(empty: Any, field: str) -> str:
    """The class's own key of a field of `Architecture`; empty where it has none."""
    mapped = getattr(type(empty), "attribute_map", {})
    known = {mapped.get(key, key) for key in KEYS[field] if hasattr(empty, key)}
    return next((mapped.get(key, key) for key in KEYS[field] if mapped.get(key, key) in known), "")


def _flags(arch: Architecture) -> dict[str, Any]:
    """Keys that are no size."""
    padding = {"pad_token_id": None} if arch.vocab and arch.family != "opt" else {}
    return {
        "attention_bias": arch.qkv_bias,
        "qkv_bias": arch.qkv_bias,
        "use_qkv_bias": arch.qkv_bias,
        "mlp_bias": arch.mlp_bias,
        "hidden_act": arch.activation,
        "type_vocab_size": arch.number("type_vocab", 2),
        **_of_family(arch),
        **padding,
    }


def _of_family(arch: Architecture) -> dict[str, Any]:
    return _FAMILY[arch.family](arch) if arch.family in _FAMILY else {}


_FAMILY: dict[str, Any] = {
    "falcon": lambda arch: {
        "new_decoder_architecture": arch.norms_per_layer == 2 or arch.kv_heads not in (1, arch.heads),
        "multi_query": arch.kv_heads == 1,
        "num_kv_heads": arch.kv_heads,
        "alibi": arch.position == "alibi",
        "bias": arch.qkv_bias,
    },
    "gpt_bigcode": lambda arch: {"multi_query": arch.kv_heads == 1},
    "gpt_neox": lambda arch: {"use_parallel_residual": not arch.number("sequential_residual"), "attention_bias": True},
    "stablelm": lambda arch: {"use_qkv_bias": arch.qkv_bias, "use_parallel_residual": bool(arch.number("parallel_block"))},
    "starcoder2": lambda arch: {"use_bias": arch.qkv_bias},
    "gpt_neo": lambda arch: {"attention_types": [[["global", "local"], arch.layers // 2]]},
    "opt": lambda arch: {
        "word_embed_proj_dim": arch.number("embed_width") or arch.hidden,
        "do_layer_norm_before": arch.final_norm,
    },
}
