"""Keys of a transformers configuration that one family has (5.24.0 models/*/configuration_*.py). `Family.probe_keys` of its record names
the function."""

from __future__ import annotations

from typing import Any

from budgetlint.catalog.architecture import Architecture


def falcon(arch: Architecture) -> dict[str, Any]:
    return {
        "new_decoder_architecture": arch.norms_per_layer == 2 or arch.kv_heads not in (1, arch.heads),
        "multi_query": arch.kv_heads == 1,
        "num_kv_heads": arch.kv_heads,
        "alibi": arch.position == "alibi",
        "bias": arch.qkv_bias,
    }


def gpt_bigcode(arch: Architecture) -> dict[str, Any]:
    return {"multi_query": arch.kv_heads == 1}


def gpt_neox(arch: Architecture) -> dict[str, Any]:
    return {"use_parallel_residual": not arch.number("sequential_residual"), "attention_bias": True}


def stablelm(arch: Architecture) -> dict[str, Any]:
    return {"use_qkv_bias": arch.qkv_bias, "use_parallel_residual": bool(arch.number("parallel_block"))}


def starcoder2(arch: Architecture) -> dict[str, Any]:
    return {"use_bias": arch.qkv_bias}


def gpt_neo(arch: Architecture) -> dict[str, Any]:
    return {"attention_types": [[["global", "local"], arch.layers // 2]]}


def opt(arch: Architecture) -> dict[str, Any]:
    return {"word_embed_proj_dim": arch.number("embed_width") or arch.hidden, "do_layer_norm_before": arch.final_norm}
