"""The layer of each model family: a program over a tape that follows its transformers code (5.24.0 modeling_*.py).

A family that is not listed is priced as the nearest listed one, with a named assumption and a wider range.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from budgetlint.base.record import record, replace
from budgetlint.memory.attend import attend
from budgetlint.memory.blocks import dropout, gated_mlp, linear, norm, plain_mlp, rotate
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.shape import shape_of
from budgetlint.memory.tape import Tape, Value, new

Layer = Callable[[Tape], None]


@record
class Family:
    """``layer`` runs one layer's forward on a tape. ``spread_ppm``: how far the true bytes of activations may lie from that,
    in 1/10^6 either way. ``basis`` says what the program rests on; ``exact``: it equals every trace of the family."""

    layer: Layer
    spread_ppm: int
    basis: str
    exact: bool = True


def qkv(tape: Tape, source: Value) -> tuple[Value, Value, Value]:
    """Three linears, or one whose parts are views."""
    q, kv = tape.arch.q_width, tape.arch.kv_width
    if "qkv_proj" in tape.linears:
        packed = linear(tape, source, "qkv_proj", q + 2 * kv)
        if tape.arch.family == "falcon" and tape.arch.kv_heads < tape.arch.heads:
            own = kv if tape.arch.kv_heads == 1 else q  # modeling_falcon.py _split_heads: one head, or broadcast to every head
            return packed.view(q), Value(own, packed.size), Value(own, packed.size)
        return packed.view(q), packed.view(kv), packed.view(kv)
    return linear(tape, source, "q_proj", q), linear(tape, source, "k_proj", kv), linear(tape, source, "v_proj", kv)


def attention(tape: Tape, source: Value) -> Value:
    """Projections, norms of queries and keys, rotary embedding, the kernel, and the output projection."""
    arch = tape.arch
    if arch.mla:
        return latent_attention(tape, source)
    query, key, value = qkv(tape, source)
    if arch.qk_norm is not None:
        heads = arch.qk_norm == "head"
        query = norm(tape, query, arch.heads if heads else 1, what="q norm")
        key = norm(tape, key, arch.kv_heads if heads else 1, what="k norm")
    out = attend(tape, rotate(tape, query), rotate(tape, key), value, attention_dropout(tape))
    return linear(tape, out, "o_proj", arch.hidden)


def latent_attention(tape: Tape, source: Value) -> Value:
    """Multi-head latent attention (modeling_deepseek_v3.py): low-rank q and kv, both normed, and one rotary key for all heads."""
    arch = tape.arch
    nope, rope, head = (arch.mla_number(key) for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    rank, width = arch.mla_number("q_lora_rank"), arch.heads * (nope + rope)
    if rank:
        query = linear(tape, norm(tape, linear(tape, source, "q_a_proj", rank), what="q latent norm"), "q_b_proj", width)
    else:
        query = linear(tape, source, "q_proj", width)
    rank = arch.mla_number("kv_lora_rank")
    latent = linear(tape, source, "kv_a_proj", rank + rope)
    both = linear(tape, norm(tape, latent.view(rank), what="kv latent norm"), "kv_b_proj", arch.heads * (nope + head))
    out = attend(tape, rotate(tape, query), Value(width, both.size), both.view(arch.heads * head))
    return linear(tape, out, "o_proj", arch.hidden)


def attention_dropout(tape: Tape) -> float:
    return tape.arch.dropout if tape.arch.family in DROPS_SCORES else 0.0


DROPS_SCORES = frozenset(
    {"gpt2", "gpt_bigcode", "gptj", "bert", "roberta", "gpt_neox", "bloom", "electra", "xlm-roberta", "distilbert", "vit", "deit"}
)


def mlp(tape: Tape, source: Value) -> Value:
    if tape.arch.experts:
        from budgetlint.memory.mixture import mixture

        return mixture(tape, source)
    return gated_mlp(tape, source, tape.arch.intermediate) if tape.arch.glu else plain_mlp(tape, source, tape.arch.intermediate)


# -- layers ------------------------------------------------------------------------------------------------------------


def pre_norm(tape: Tape) -> None:
    """Norm, attention, residual; norm, MLP, residual (modeling_llama.py and its copies). Gemma 2 and 3 norm each block's
    output too."""
    x, rate, four = tape.input(), tape.arch.dropout, tape.arch.norms_per_layer == 4
    made = attention(tape, norm(tape, x, what="attention norm"))
    made = norm(tape, made, what="attention output norm") if four else dropout(tape, made, rate)
    x = new(x, made)
    made = mlp(tape, norm(tape, x, what="MLP norm"))
    made = norm(tape, made, what="MLP output norm") if four else dropout(tape, made, rate)


def output_norm(tape: Tape) -> None:
    """modeling_olmo2.py: the blocks read the stream itself, their outputs are normed."""
    x = tape.input()
    x = new(x, norm(tape, attention(tape, x), what="attention output norm"))
    norm(tape, mlp(tape, x), what="MLP output norm")


def parallel(tape: Tape) -> None:
    """One norm for attention and MLP, side by side (Phi, GPT-J, Cohere, Falcon-7B)."""
    x, rate = tape.input(), tape.arch.dropout
    normed = norm(tape, x, what="norm")
    dropout(tape, attention(tape, normed), rate)
    dropout(tape, mlp(tape, normed), rate)


def falcon(tape: Tape) -> None:
    """modeling_falcon.py: 7B has one norm, 40B one each for attention and MLP; the first models run one after the other."""
    if tape.arch.norms_per_layer == 1:
        parallel(tape)
    elif 1 < tape.arch.kv_heads < tape.arch.heads:
        two_norms(tape)
    else:
        pre_norm(tape)


def gpt_neox(tape: Tape) -> None:
    """modeling_gpt_neox.py; ``use_parallel_residual`` unless the architecture says otherwise."""
    (pre_norm if tape.arch.number("sequential_residual") else two_norms)(tape)


def two_norms(tape: Tape) -> None:
    """Attention and MLP side by side, each behind a norm of the same stream."""
    x, rate = tape.input(), tape.arch.dropout
    dropout(tape, attention(tape, norm(tape, x, what="attention norm")), rate)
    dropout(tape, mlp(tape, norm(tape, x, what="MLP norm")), rate)


def post_norm(tape: Tape) -> None:
    """modeling_bert.py: the norm comes after the sum."""
    x, rate = tape.input(), tape.arch.dropout
    x = norm(tape, new(x, dropout(tape, attention(tape, x), rate)), what="attention output norm")
    norm(tape, new(x, dropout(tape, mlp(tape, x), rate)), what="output norm")


def _later(module: str, name: str) -> Layer:
    """A program of another module, read when a model of its families is priced."""

    def run(tape: Tape) -> None:
        program: Layer = getattr(import_module(f"budgetlint.memory.{module}"), name)
        program(tape)

    return run


_TRACED = "traces of transformers 5.24.0, torch 2.13.0 and peft 0.21.2 on meta tensors"


PROGRAMS: dict[Layer, tuple[str, ...]] = {
    pre_norm: (
        *("llama", "mistral", "qwen2", "qwen3", "granite", "smollm3", "gemma", "gemma2", "gemma3_text", "gemma3", "phi3", "olmo"),
        *("stablelm", "starcoder2", "gpt2", "gpt_bigcode", "opt", "bloom"),
        *("mixtral", "qwen2_moe", "qwen3_moe", "gpt_oss", "deepseek_v2", "deepseek_v3"),
        *("vit", "deit", "modernbert"),
    ),
    output_norm: ("olmo2", "olmo3"),
    parallel: ("phi", "gptj", "cohere"),
    falcon: ("falcon",),
    gpt_neox: ("gpt_neox",),
    post_norm: ("bert", "roberta", "electra", "xlm-roberta"),
    _later("seq2seq", "t5"): ("t5", "mt5"),
    _later("seq2seq", "whisper"): ("whisper", "mbart", "pegasus"),
    _later("seq2seq", "bart"): ("bart",),
    _later("encoders", "distilbert"): ("distilbert",),
    _later("encoders", "dinov2"): ("dinov2",),
    _later("encoders", "deberta"): ("deberta-v2",),
}
"""Every traced family and the program that gives its traces to the byte."""

_NOT_TRACED = "priced as the nearest traced family"

FAMILIES: dict[str, Family] = {
    **{name: Family(program, 15_000, _TRACED) for program, names in PROGRAMS.items() for name in names},
    **dict.fromkeys(
        ("ministral", "internlm2", "baichuan", "chatglm", "glm", "qwen"), Family(pre_norm, 120_000, f"{_NOT_TRACED}, Llama", exact=False)
    ),
    "codegen": Family(parallel, 150_000, f"{_NOT_TRACED}, GPT-J", exact=False),
    "deepseek": Family(pre_norm, 150_000, f"{_NOT_TRACED}, a mixture with fp32 router probabilities", exact=False),
}

FAMILIES |= dict.fromkeys(
    ("qwen3_next", "qwen3_5", "qwen3_5_moe"),
    Family(pre_norm, 300_000, "linear attention, read from its code with the kernels of flash-linear-attention, not traced", exact=False),
)

UNLISTED = Family(pre_norm, 400_000, "no table for this architecture: priced from its shape alone", exact=False)

LOOPED = Family(pre_norm, 60_000, "a loop over the experts (transformers before 5), read from its code, not traced", exact=False)


def family_of(plan: Plan) -> Family:
    """What the estimate of the activations rests on in transformers' code; a loop over experts is not traced."""
    found = FAMILIES.get(plan.arch.family, UNLISTED)
    return replace(LOOPED, layer=found.layer) if plan.expert_loop and found.exact else found


def layer_saved(plan: Plan) -> tuple[Saved, ...]:
    """What one layer keeps between its forward and its backward, without checkpointing."""
    if plan.arch.number("attention_layers"):
        from budgetlint.memory.hybrid import mixed  # few models have layers of two kinds

        return mixed(plan)
    tape = Tape(plan)
    FAMILIES.get(plan.arch.family, UNLISTED).layer(tape)
    return tape.saved()


def dense_layer_saved(plan: Plan) -> tuple[Saved, ...]:
    """The same for one of the first, dense layers of a mixture (DeepSeek); nothing where there are none."""
    if not plan.arch.first_dense_layers:
        return ()
    arch = replace(plan.arch, experts=None, first_dense_layers=None)
    return layer_saved(replace(plan, arch=arch, shape=shape_of(arch)))
