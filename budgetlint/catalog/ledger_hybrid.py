"""The blocks of decoders most of whose layers are linear attention: Qwen3-Next and Qwen3.5 (transformers 5.24.0 modeling_qwen3_next.py,
modeling_qwen3_5.py: ``GatedDeltaNet``, and every fourth layer attention whose output a gate beside the queries multiplies)."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger_blocks import feed_forward, linear, norm
from budgetlint.catalog.module_names import K, ModuleNames, O, Q, V
from budgetlint.catalog.tensor import WeightTensor


def widths(arch: Architecture) -> tuple[int, int, int]:
    """Keys and values of a linear layer, and its value heads."""
    heads = arch.number("delta_value_heads")
    return arch.number("delta_key_heads") * arch.number("delta_key_dim"), heads * arch.number("delta_value_dim"), heads


def hybrid_block(arch: Architecture, names: ModuleNames, at: str, where: str) -> Iterator[WeightTensor]:
    full = arch.number("attention_layers")
    yield from _delta_net(arch, f"{at}.linear_attn", where, arch.layers - full)
    yield from _gated_attention(arch, names, at, where, full)
    yield from feed_forward(arch, names, at, where, arch.layers)
    for name in names.norms:
        yield from norm(arch, f"{at}.{name}", arch.hidden, where, arch.layers)


def _delta_net(arch: Architecture, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    key, value, heads = widths(arch)
    packed = 2 * key + value
    sizes = {"in_proj_qkvz": packed + value, "in_proj_ba": 2 * heads}
    apart = {"in_proj_qkv": packed, "in_proj_z": value, "in_proj_b": heads, "in_proj_a": heads}
    for name, rows in (sizes if family_of(arch.family).one_delta_input else apart).items():
        yield from linear(name, f"{at}.{name}", rows, arch.hidden, False, where, layers)
    yield from linear("delta_out", f"{at}.out_proj", arch.hidden, value, False, where, layers)
    yield WeightTensor("conv", "conv", f"{at}.conv1d", packed, arch.number("conv_kernel"), where, layers)
    for name in ("dt_bias", "A_log"):
        yield WeightTensor("decay", "vector", f"{at}.{name}", heads, 0, where, layers)
    yield WeightTensor("norm", "norm", f"{at}.norm", arch.number("delta_value_dim"), 0, where, layers)


def _gated_attention(arch: Architecture, names: ModuleNames, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    modules = names.modules
    for role, rows in ((Q, 2 * arch.q_width), (K, arch.kv_width), (V, arch.kv_width)):
        yield from linear(role, f"{at}.{modules[role]}", rows, arch.hidden, arch.qkv_bias, where, layers)
    yield from linear(O, f"{at}.{modules[O]}", arch.hidden, arch.q_width, arch.o_bias, where, layers)
    for name in ("q_norm", "k_norm"):
        yield WeightTensor("qk_norm", "norm", f"{at}.self_attn.{name}", arch.head_dim, 0, where, layers)
