"""From a catalog architecture to the configuration object of transformers: no hub, no file."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.hf_defaults import KEYS
from budgetlint.probe.job import Inexpressible

_MLA = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
_SIZES = ("hidden", "layers", "heads", "kv_heads", "intermediate", "vocab", "max_positions", "experts", "experts_per_token",
          "moe_intermediate", "shared_experts", "shared_intermediate", "first_dense_layers")  # fmt: skip
_DROPOUT = ("resid_pdrop", "embd_pdrop", "hidden_dropout", "residual_dropout", "embedding_dropout", "hidden_dropout_prob", "dropout",
            "attn_pdrop", "attention_dropout", "attention_probs_dropout_prob", "classifier_dropout")  # fmt: skip
"""Every probability that a config has; the catalog keeps one for all."""


def config_of(arch: Architecture, layers: int | None = None) -> Any:
    """The transformers configuration with these sizes; ``layers`` for a shallower model. Raises `Inexpressible`."""
    import transformers

    kind = family_of(arch.family).model_type or arch.family
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
    if arch.sliding_window is None and hasattr(empty, "sliding_window") and family_of(arch.family).probe_no_window:
        yield "sliding_window", None


def _base(arch: Architecture) -> float:
    """What the family's config class has already: nothing is to be said then."""
    family = family_of(arch.family)
    return float(family.config.shape.get("dropout", 0.0)) if family.said("config") else 0.0


def _name(empty: Any, field: str) -> str:
    """The class's own key of a field of `Architecture`; empty where it has none."""
    mapped = getattr(type(empty), "attribute_map", {})
    known = {mapped.get(key, key) for key in KEYS[field] if hasattr(empty, key)}
    return next((mapped.get(key, key) for key in KEYS[field] if mapped.get(key, key) in known), "")


def _flags(arch: Architecture) -> dict[str, Any]:
    """Keys that are no size."""
    padding = {"pad_token_id": None} if arch.vocab and not family_of(arch.family).probe_no_padding else {}
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
    """Keys of the family's own: of the function that its record names."""
    keys = family_of(arch.family).probe_keys
    if not keys:
        return {}
    module, _, name = keys.partition(".")
    found: dict[str, Any] = getattr(import_module(f"budgetlint.probe.{module}"), name)(arch)
    return found
