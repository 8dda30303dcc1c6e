"""Programs of layers: each runs one layer's forward over a tape and follows transformers code (5.24.0 modeling_*.py).

The record of a family (`budgetlint.catalog.families`) names its program, here or in another module of this package.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from budgetlint.base.record import replace
from budgetlint.catalog.families import family_of
from budgetlint.catalog.family import Basis
from budgetlint.memory.attend import attend
from budgetlint.memory.blocks import dropout, linear, norm, rotate
from budgetlint.memory.feed_forward import mlp
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.shape import shape_of
from budgetlint.memory.tape import Tape, TapeTensor, new

Layer = Callable[[Tape], None]


def qkv(tape: Tape, source: TapeTensor) -> tuple[TapeTensor, TapeTensor, TapeTensor]:
    """Three linears, or one whose parts are views."""
    q, kv = tape.arch.q_width, tape.arch.kv_width
    if "qkv_proj" in tape.linears:
        packed = linear(tape, source, "qkv_proj", q + 2 * kv)
        if tape.family.packed_heads and tape.arch.kv_heads < tape.arch.heads:
            own = kv if tape.arch.kv_heads == 1 else q  # modeling_falcon.py _split_heads: one head, or broadcast to every head
            return packed.view(q), TapeTensor(own, packed.size), TapeTensor(own, packed.size)
        return packed.view(q), packed.view(kv), packed.view(kv)
    return linear(tape, source, "q_proj", q), linear(tape, source, "k_proj", kv), linear(tape, source, "v_proj", kv)


def attention(tape: Tape, source: TapeTensor) -> TapeTensor:
    """Projections, norms of queries and keys, rotary embedding, the kernel, and the output projection."""
    arch = tape.arch
    if arch.mla:
        return latent_attention(tape, source)
    query, key, value = qkv(tape, source)
    if arch.qk_norm is not None:
        heads = arch.qk_norm == "head"
        query = norm(tape, query, arch.heads if heads else 1, what="q-norm")
        key = norm(tape, key, arch.kv_heads if heads else 1, what="k-norm")
    out = attend(tape, rotate(tape, query), rotate(tape, key), value, attention_dropout(tape))
    return linear(tape, out, "o_proj", arch.hidden)


def latent_attention(tape: Tape, source: TapeTensor) -> TapeTensor:
    """Multi-head latent attention (modeling_deepseek_v3.py): low-rank q and kv, both normed, and one rotary key for all heads."""
    arch = tape.arch
    nope, rope, head = (arch.mla_number(key) for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    rank, width = arch.mla_number("q_lora_rank"), arch.heads * (nope + rope)
    if rank:
        query = linear(tape, norm(tape, linear(tape, source, "q_a_proj", rank), what="q-latent-norm"), "q_b_proj", width)
    else:
        query = linear(tape, source, "q_proj", width)
    rank = arch.mla_number("kv_lora_rank")
    latent = linear(tape, source, "kv_a_proj", rank + rope)
    both = linear(tape, norm(tape, latent.view(rank), what="kv-latent-norm"), "kv_b_proj", arch.heads * (nope + head))
    out = attend(tape, rotate(tape, query), TapeTensor(width, both.size), both.view(arch.heads * head))
    return linear(tape, out, "o_proj", arch.hidden)


def attention_dropout(tape: Tape) -> float:
    return tape.arch.dropout if tape.family.drops_scores else 0.0


# -- layers ------------------------------------------------------------------------------------------------------------


def pre_norm(tape: Tape) -> None:
    """Norm, attention, residual; norm, MLP, residual (modeling_llama.py and its copies). Gemma 2 and 3 norm each block's
    output too."""
    x, rate, four = tape.input(), tape.arch.dropout, tape.arch.norms_per_layer == 4
    made = attention(tape, norm(tape, x, what="attention-norm"))
    made = norm(tape, made, what="attention-output-norm") if four else dropout(tape, made, rate)
    x = new(x, made)
    made = mlp(tape, norm(tape, x, what="mlp-norm"))
    made = norm(tape, made, what="mlp-output-norm") if four else dropout(tape, made, rate)


def output_norm(tape: Tape) -> None:
    """modeling_olmo2.py: the blocks read the stream itself, their outputs are normed."""
    x = tape.input()
    x = new(x, norm(tape, attention(tape, x), what="attention-output-norm"))
    norm(tape, mlp(tape, x), what="mlp-output-norm")


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
    dropout(tape, attention(tape, norm(tape, x, what="attention-norm")), rate)
    dropout(tape, mlp(tape, norm(tape, x, what="mlp-norm")), rate)


def post_norm(tape: Tape) -> None:
    """modeling_bert.py: the norm comes after the sum."""
    x, rate = tape.input(), tape.arch.dropout
    x = norm(tape, new(x, dropout(tape, attention(tape, x), rate)), what="attention-output-norm")
    norm(tape, new(x, dropout(tape, mlp(tape, x), rate)), what="output-norm")


# -- the program of a plan ---------------------------------------------------------------------------------------------

LOOPED = Basis(60_000, "a loop over the experts (transformers before 5), read from its code, not traced", exact=False)


def basis_of(plan: Plan) -> Basis:
    """What the estimate of the activations rests on in transformers' code; a loop over experts is not traced."""
    found = family_of(plan.arch.family).basis
    return LOOPED if plan.expert_loop and found.exact else found


def program(named: str) -> Layer:
    """``module.function`` of this package, as `Family.layer` names it."""
    module, _, name = named.partition(".")
    found: Layer = getattr(import_module(f"budgetlint.memory.{module}"), name)
    return found


def layer_saved(plan: Plan) -> tuple[Saved, ...]:
    """What one layer keeps between its forward and its backward, without checkpointing."""
    if plan.arch.number("attention_layers"):
        from budgetlint.memory.hybrid import mixed  # few models have layers of two kinds

        return mixed(plan)
    return layer_tape(plan).saved()


def layer_tape(plan: Plan) -> Tape:
    """One layer's forward on a tape: also what it makes and does not keep (`oom/tensors_of_layers.py`)."""
    tape = Tape(plan)
    program(tape.family.layer)(tape)
    return tape


def dense_layer_saved(plan: Plan) -> tuple[Saved, ...]:
    """The same for one of the first, dense layers of a mixture (DeepSeek); nothing where there are none."""
    if not plan.arch.first_dense_layers:
        return ()
    arch = replace(plan.arch, experts=None, first_dense_layers=None)
    return layer_saved(replace(plan, arch=arch, shape=shape_of(arch)))
