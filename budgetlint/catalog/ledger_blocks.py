"""The weight tensors of transformer blocks: attention (fused, grouped, latent), MLP (gated, fused), experts, norms; and the head."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.module_names import DOWN, GATE, GATE_UP, QKV, UP, K, ModuleNames, O, Q, V
from budgetlint.catalog.tensor import WeightTensor


def block(arch: Architecture, names: ModuleNames, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    """One transformer block, repeated ``layers`` times; the first ``first_dense_layers`` of a mixture are dense."""
    yield from _mla(arch, names, at, where, layers) if arch.mla else attention(arch, names, at, where, layers)
    yield from feed_forward(arch, names, at, where, layers)
    for name in _norm_names(arch, names):
        yield from norm(arch, f"{at}.{name}", arch.hidden, where, layers)


def feed_forward(arch: Architecture, names: ModuleNames, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    """The MLP, or router and experts."""
    if not arch.experts:
        yield from mlp(arch, names, at, where, layers)
    else:
        dense = arch.first_dense_layers or 0
        if dense:
            yield from mlp(arch, names, at, where, dense)
        yield from _experts(arch, names, at, where, layers - dense)


def _norm_names(arch: Architecture, names: ModuleNames) -> tuple[str, ...]:
    if arch.norms_per_layer == 1 and names.lone_norm:
        return (names.lone_norm,)
    return names.norms[: arch.norms_per_layer]


def norm(arch: Architecture, module: str, width: int, where: str, layers: int) -> Iterator[WeightTensor]:
    if arch.norm == "layernorm-noaffine":
        return
    yield WeightTensor("norm", "norm", module, width, 0, where, layers)
    if arch.norm_bias:
        yield WeightTensor("norm_bias", "bias", module, width, 0, where, layers)


def linear(role: str, module: str, rows: int, cols: int, bias: bool, where: str, layers: int, per_layer: int = 1) -> Iterator[WeightTensor]:
    kind = "experts" if role.startswith("expert_") else "linear"
    yield WeightTensor(role, kind, module, rows, cols, where, layers, per_layer)
    if bias:
        yield WeightTensor("expert_bias" if kind == "experts" else "bias", "bias", module, rows, 0, where, layers, per_layer)


def attention(arch: Architecture, names: ModuleNames, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    """q, k, v and o, or the fused qkv; the norms over queries and keys; gpt-oss attention sinks."""
    hidden, query, key = arch.hidden, arch.q_width, arch.kv_width
    modules = names.modules
    widths = {QKV: query + 2 * key} if QKV in modules else {Q: query, K: key, V: key}
    for role, rows in widths.items():
        bias = arch.qkv_bias and not (role == K and arch.number("key_without_bias"))
        yield from linear(role, f"{at}.{modules[role]}", rows, hidden, bias, where, layers)
    yield from linear(O, f"{at}.{modules[O]}", hidden, query, arch.o_bias, where, layers)
    if arch.qk_norm:
        parent = modules[O].rpartition(".")[0]
        for name, width in _qk_norms(arch):
            yield WeightTensor("qk_norm", "norm", f"{at}.{parent}.{name}", width, 0, where, layers)
    if arch.number("sinks"):
        yield WeightTensor("sinks", "vector", f"{at}.self_attn.sinks", arch.heads, 0, where, layers)


def _qk_norms(arch: Architecture) -> tuple[tuple[str, int], tuple[str, int]]:
    if arch.qk_norm == "head":
        return ("q_norm", arch.head_dim), ("k_norm", arch.head_dim)
    return ("q_norm", arch.q_width), ("k_norm", arch.kv_width)


def _mla(arch: Architecture, names: ModuleNames, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    """Multi-head latent attention (modeling_deepseek_v3.py): low-rank q and kv, a shared rotary key."""
    nope, rope, value = (arch.mla_number(key) for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    query_rank, rank, modules = arch.mla_number("q_lora_rank"), arch.mla_number("kv_lora_rank"), names.modules
    query = arch.heads * (nope + rope)
    if query_rank:
        yield from linear("q_a_proj", f"{at}.{modules['q_a_proj']}", query_rank, arch.hidden, arch.qkv_bias, where, layers)
        yield WeightTensor("norm", "norm", f"{at}.self_attn.q_a_layernorm", query_rank, 0, where, layers)
        yield from linear("q_b_proj", f"{at}.{modules['q_b_proj']}", query, query_rank, False, where, layers)
    else:
        yield from linear(Q, f"{at}.{modules[Q]}", query, arch.hidden, False, where, layers)
    yield from linear("kv_a_proj", f"{at}.{modules['kv_a_proj']}", rank + rope, arch.hidden, arch.qkv_bias, where, layers)
    yield WeightTensor("norm", "norm", f"{at}.self_attn.kv_a_layernorm", rank, 0, where, layers)
    yield from linear("kv_b_proj", f"{at}.{modules['kv_b_proj']}", arch.heads * (nope + value), rank, False, where, layers)
    yield from linear(O, f"{at}.{modules[O]}", arch.hidden, arch.heads * value, arch.o_bias, where, layers)


def mlp(arch: Architecture, names: ModuleNames, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    hidden, inner, modules = arch.hidden, arch.intermediate, names.modules
    yield from _matrices(modules, at, hidden, inner, arch.glu, arch.mlp_bias, where, layers)


def _matrices(
    modules: Mapping[str, str],
    at: str,
    hidden: int,
    inner: int,
    glu: bool,
    bias: bool,
    where: str,
    layers: int,
    prefix: str = "",
    per_layer: int = 1,
) -> Iterator[WeightTensor]:
    widths = {GATE_UP: 2 * inner} if GATE_UP in modules and glu else {GATE: inner, UP: inner} if glu else {UP: inner}
    for role, rows in widths.items():
        yield from linear(prefix + role, f"{at}.{modules[role]}", rows, hidden, bias, where, layers, per_layer)
    yield from linear(prefix + DOWN, f"{at}.{modules[DOWN]}", hidden, inner, bias, where, layers, per_layer)


def _experts(arch: Architecture, names: ModuleNames, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    """Router, routed experts, shared experts (Qwen2-MoE: one of its own width behind a gate)."""
    count, inner = arch.experts or 0, arch.moe_intermediate or arch.intermediate
    yield from linear("router", f"{at}.{names.router}", count, arch.hidden, bool(arch.number("router_bias")), where, layers)
    biased = bool(arch.number("expert_bias"))
    yield from _matrices(names.experts, at, arch.hidden, inner, arch.glu, biased, where, layers, "expert_", count)
    if arch.shared_experts:
        width = arch.shared_intermediate or inner * arch.shared_experts
        modules = {role: f"{names.shared}.{role}" for role in (GATE, UP, DOWN)}
        yield from _matrices(modules, at, arch.hidden, width, arch.glu, False, where, layers, "shared_")
    if arch.number("shared_gate"):
        yield from linear("shared_gate", f"{at}.{names.shared}_gate", 1, arch.hidden, False, where, layers)


def head(arch: Architecture, names: ModuleNames) -> Iterator[WeightTensor]:
    if not arch.tied:
        yield WeightTensor("lm_head", "linear", names.head, arch.vocab, arch.hidden, "head")
    if arch.lm_head_bias:
        yield WeightTensor("bias", "bias", names.head, arch.vocab, 0, "head")
