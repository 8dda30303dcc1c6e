"""The keys of a config.json that every family may write (transformers 5.24.0 models/*/configuration_*.py)."""

from __future__ import annotations

from collections.abc import Mapping

KEYS: Mapping[str, tuple[str, ...]] = {
    "hidden": ("hidden_size", "n_embd", "n_embed", "d_model", "dim"),
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"),
    "head_dim": ("head_dim", "d_kv", "kv_channels"),
    "intermediate": ("intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "d_ff", "hidden_dim", "encoder_ffn_dim"),
    "vocab": ("vocab_size", "padded_vocab_size"),
    "max_positions": ("max_position_embeddings", "n_positions", "seq_length", "max_target_positions"),
    "experts": ("num_experts", "num_local_experts", "n_routed_experts"),
    "experts_per_token": ("num_experts_per_tok", "moe_top_k"),
    "moe_intermediate": ("moe_intermediate_size",),
    "shared_experts": ("n_shared_experts",),
    "shared_intermediate": ("shared_expert_intermediate_size",),
    "first_dense_layers": ("first_k_dense_replace",),
}
"""Architecture field -> the keys that say it, in the order they are looked up."""
