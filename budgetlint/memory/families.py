"""The layer of each model family as a sequence of blocks: which tensors its transformers code keeps.

A family that is not listed is priced as the nearest listed one, with a named assumption and a wider range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved, attention, gated_mlp, inputs, norm, norm_output_bytes, plain_mlp
from budgetlint.memory.shape import Linear

Layer = Callable[[Plan], Iterator[Saved]]


@dataclass(frozen=True, slots=True)
class Family:
    """``layer`` yields what one layer keeps. ``spread_ppm``: how far the true bytes of activations may lie from that, in
    1/10^6 either way. ``basis`` says what the table rests on."""

    layer: Layer
    spread_ppm: int
    basis: str
    exact: bool = True


def _reading(plan: Plan, tensor: str) -> list[Linear]:
    return [linear for linear in plan.shape.layer if linear.reads == tensor]


def _qk_norm(plan: Plan) -> Iterator[Saved]:
    arch = plan.arch
    if arch.qk_norm is None:
        return
    size = plan.precision.compute
    groups = (arch.heads, arch.kv_heads) if arch.qk_norm == "head" else (1, 1)
    yield from norm(plan, arch.q_width, groups[0], size, "q norm")
    yield from norm(plan, arch.kv_width, groups[1], size, "k norm")


def llama(plan: Plan) -> Iterator[Saved]:
    """Pre-norm block with rotary attention and a gated MLP (modeling_llama.py and its copies)."""
    arch = plan.arch
    yield from norm(plan, arch.hidden, what="attention norm")
    yield from inputs(plan, arch.hidden, norm_output_bytes(plan), _reading(plan, "attention_input"))
    yield from _qk_norm(plan)
    yield from attention(plan, _reading(plan, "attention_output"))
    yield from norm(plan, arch.hidden, what="MLP norm")
    for _ in range(arch.norms_per_layer - 2):
        yield from norm(plan, arch.hidden, what="output norm")
    yield from _mlp(plan)


def _mlp(plan: Plan) -> Iterator[Saved]:
    arch, source = plan.arch, norm_output_bytes(plan)
    if arch.experts:
        yield from _mixture(plan, source)
        return
    yield from inputs(plan, arch.hidden, source, _reading(plan, "mlp_input"))
    if arch.glu:
        yield from gated_mlp(plan, arch.intermediate, _reading(plan, "mlp_product"))
    else:
        yield from plain_mlp(
            plan, arch.intermediate, _reading(plan, "mlp_product"), python_gelu=arch.activation in ("gelu_new", "gelu_fast")
        )


def _mixture(plan: Plan, source: int) -> Iterator[Saved]:
    """Each token visits k of E experts (balanced routing): the gated MLP k times, its input gathered k times, the outputs
    weighted and added; shared experts see every token."""
    arch, size = plan.arch, plan.precision.compute
    k = arch.experts_per_token or 1
    width = arch.moe_intermediate or arch.intermediate
    for row in gated_mlp(plan, width, _reading(plan, "expert_product")):
        yield Saved(row.part, f"{k} experts: {row.what}", k * row.per_token, k * row.per_pair)
    yield Saved("mlp", f"{k} gathered expert inputs and outputs", k * 2 * size * arch.hidden)
    yield Saved("mlp", "router", source * arch.hidden + 8 * (arch.experts or 0))
    if arch.shared_intermediate:
        yield from gated_mlp(plan, arch.shared_intermediate, _reading(plan, "shared_product"))


def gpt2(plan: Plan) -> Iterator[Saved]:
    """modeling_gpt2.py: LayerNorm, one packed qkv (views keep it whole), residual dropout masks, Python gelu_new."""
    arch = plan.arch
    source = norm_output_bytes(plan)
    yield from norm(plan, arch.hidden, what="attention norm")
    yield from inputs(plan, arch.hidden, source, _reading(plan, "attention_input"))
    yield from attention(plan, _reading(plan, "attention_output"))
    yield from norm(plan, arch.hidden, what="MLP norm")
    yield from inputs(plan, arch.hidden, source, _reading(plan, "mlp_input"))
    yield from plain_mlp(plan, arch.intermediate, _reading(plan, "mlp_product"), python_gelu=True)
    yield Saved("dropout", "residual dropout masks", 2 * arch.hidden)


def gpt_neox(plan: Plan) -> Iterator[Saved]:
    """modeling_gpt_neox.py: both norms read the same stream, qkv is one tensor that v's view keeps whole, two dropout masks
    (p = 0 still makes one)."""
    arch, size = plan.arch, plan.precision.compute
    source = norm_output_bytes(plan)
    rows = list(norm(plan, arch.hidden, what="attention norm"))
    yield from rows
    yield from inputs(plan, arch.hidden, source, _reading(plan, "attention_input"))
    yield from attention(plan, _reading(plan, "attention_output"))
    yield Saved("attention", "the rest of the packed qkv", 2 * size * arch.q_width)
    yield Saved("norm", "MLP norm mean and 1/std", 8 + (4 * arch.hidden if plan.precision.autocast and size == 2 else 0))
    yield from inputs(plan, arch.hidden, source, _reading(plan, "mlp_input"))
    yield from plain_mlp(plan, arch.intermediate, _reading(plan, "mlp_product"))
    yield Saved("dropout", "dropout masks", 2 * arch.hidden)


def bert(plan: Plan) -> Iterator[Saved]:
    """modeling_bert.py, post-norm: Korthikanti's 34h + 5as is this block (arXiv 2205.05198, eq. 1); flash keeps no as."""
    arch = plan.arch
    source = norm_output_bytes(plan)
    yield from norm(plan, arch.hidden, what="attention output norm")
    yield from inputs(plan, arch.hidden, source, _reading(plan, "attention_input"))
    yield from attention(plan, _reading(plan, "attention_output"))
    yield from norm(plan, arch.hidden, what="output norm")
    yield from inputs(plan, arch.hidden, source, _reading(plan, "mlp_input"))
    yield from plain_mlp(plan, arch.intermediate, _reading(plan, "mlp_product"))
    yield Saved("dropout", "hidden dropout masks", 2 * arch.hidden)


_TRACED = "fake-tensor traces of transformers 5.24.0"
_LLAMA = Family(llama, 15_000, _TRACED)
_CODE = "read from the model code of transformers 5.24.0, not traced"

FAMILIES: dict[str, Family] = {
    **dict.fromkeys(("llama", "mistral", "qwen2", "qwen3", "granite", "smollm3", "ministral"), _LLAMA),
    **dict.fromkeys(("gemma", "gemma2", "gemma3", "gemma3_text", "phi3", "olmo", "olmo2", "olmo3", "internlm2", "qwen", "baichuan", "chatglm", "cohere"), Family(llama, 120_000, _CODE, exact=False)),
    **dict.fromkeys(("mixtral", "qwen2_moe", "qwen3_moe", "deepseek_v2", "deepseek_v3", "deepseek", "gpt_oss"), Family(llama, 300_000, "balanced routing assumed", exact=False)),
    "gpt2": Family(gpt2, 60_000, _TRACED),
    **dict.fromkeys(("gpt_bigcode", "gptj", "codegen"), Family(gpt2, 250_000, "priced as GPT-2", exact=False)),
    "gpt_neox": Family(gpt_neox, 80_000, _TRACED),
    **dict.fromkeys(("phi", "falcon", "bloom", "opt", "stablelm", "starcoder2"), Family(llama, 200_000, "priced block by block from its shape", exact=False)),
    **dict.fromkeys(("bert", "roberta", "distilbert", "deberta-v2", "deberta", "modernbert", "xlm-roberta", "electra"), Family(bert, 250_000, "priced as BERT", exact=False)),
}  # fmt: skip

UNLISTED = Family(llama, 400_000, "no table for this architecture: priced from its shape alone", exact=False)


def family_of(plan: Plan) -> Family:
    return FAMILIES.get(plan.arch.family, UNLISTED)


def layer_saved(plan: Plan) -> tuple[Saved, ...]:
    """What one layer keeps between its forward and its backward, without checkpointing."""
    return tuple(family_of(plan).layer(plan))
