"""Attention kernels: what each keeps of q, k, v, the probabilities and the output."""

from __future__ import annotations

from budgetlint.memory.blocks import dropout
from budgetlint.memory.tape import Tape, TapeTensor


def attend(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor, rate: float = 0.0) -> TapeTensor:
    """The attention core. ``query``, ``key`` and ``value`` hold every head of a token; ``rate`` is attention dropout."""
    kernel = tape.plan.attention
    if kernel == "flash":
        return _fused(tape, query, key, value)
    if kernel == "efficient":
        return _efficient(tape, query, key, value)
    if kernel == "math":
        return _math(tape, query, rate)
    return EAGER[tape.family.eager](tape, query, key, value, rate)


def _low(tape: Tape, value: TapeTensor) -> TapeTensor:
    """Fused kernels take 16 bit: autocast casts, and so does transformers' flash integration."""
    return tape.cast(value, tape.compute)


def _every_head(tape: Tape, value: TapeTensor, width: int) -> TapeTensor:
    """repeat_kv: grouped keys or values copied to every head. One head for all is a view, until it is cast."""
    if value.width >= width or (tape.arch.kv_heads == 1 and value.size == tape.compute):
        return value
    return TapeTensor(width, value.size)


def _fused(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor) -> TapeTensor:
    """q, k, v, the output and the fp32 logsumexp (derivatives.yaml _scaled_dot_product_flash_attention)."""
    if tape.plan.repeat_kv:
        key, value = _every_head(tape, key, query.width), _every_head(tape, value, _out_width(tape, query))
    for kept, what in ((query, "attention.q"), (key, "attention.k"), (value, "attention.v")):
        tape.keep(_low(tape, kept), "attention", what)
    out = TapeTensor(_out_width(tape, query), tape.compute)
    tape.keep(out, "attention", "attention.output")
    tape.keep(TapeTensor(tape.arch.heads, 4), "attention", "attention.statistics")
    return out


def _out_width(tape: Tape, query: TapeTensor) -> int:
    return tape.arch.heads * tape.arch.mla_number("v_head_dim") if tape.arch.mla else query.width


def _efficient(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor) -> TapeTensor:
    """The same on keys and values of every head; a padding mask becomes a bias of s x s in each layer
    (attention.cpp convert_boolean_attn_mask)."""
    wide = _out_width(tape, query)
    out = _fused(tape, query, _every_head(tape, key, query.width), _every_head(tape, value, wide))
    if tape.plan.padded or tape.family.always_masked:
        tape.keep(TapeTensor(0, tape.compute, 1), "attention", "attention.padding-bias")
    return out


def _math(tape: Tape, query: TapeTensor, rate: float) -> TapeTensor:
    """aten _scaled_dot_product_attention_math: scaled fp32 copies of q and k, v of every head, fp32 probabilities. Falcon hands over its
    one key head as it is: with a single sequence the product needs no copy of it for every head."""
    one = tape.plan.batch == 1 and tape.arch.kv_heads == 1 and tape.family.always_masked
    tape.keep(TapeTensor(query.width, 4), "attention", "attention.q")
    for what in ("attention.k-every-head", "attention.v-every-head"):
        tape.keep(TapeTensor(tape.arch.kv_width if one else query.width, 4), "attention", what)
    soft = TapeTensor(0, 4, tape.arch.heads)
    tape.keep(soft, "attention", "attention.probabilities")
    tape.keep(dropout(tape, soft, rate, "attention", "attention.dropout-mask"), "attention", "attention.dropped-probabilities")
    return TapeTensor(query.width, tape.compute)


# -- eager, in Python --------------------------------------------------------------------------------------------------


def _operand(tape: Tape, value: TapeTensor, width: int, what: str) -> None:
    """torch.matmul copies a four-dimensional operand whose heads are not contiguous; with a single sequence there is
    nothing to copy, and one key head for all stays a view until it is cast."""
    low = tape.low(value)
    if tape.plan.batch == 1 and (value.width == width or (tape.arch.kv_heads == 1 and (low is value or tape.family.always_masked))):
        tape.keep(low, "attention", what)
    else:
        tape.keep(TapeTensor(width, low.size), "attention", what)


def _operands(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor) -> None:
    _operand(tape, query, query.width, "attention.q")
    _operand(tape, key, query.width, "attention.k-every-head")
    _operand(tape, value, _out_width(tape, query), "attention.v-every-head")


def _result(tape: Tape, query: TapeTensor) -> TapeTensor:
    return TapeTensor(_out_width(tape, query), tape.low(query).size)


def eager(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor, rate: float) -> TapeTensor:
    """modeling_llama.py eager_attention_forward: the softmax in fp32, cast back to q's dtype."""
    _operands(tape, query, key, value)
    _weights(tape, TapeTensor(0, 4, tape.arch.heads), query.size, rate)
    return _result(tape, query)


def _weights(tape: Tape, soft: TapeTensor, size: int, rate: float) -> None:
    """The probabilities, cast and dropped, on their way to the product with v."""
    tape.keep(soft, "attention", "attention.probabilities")
    used = tape.low(dropout(tape, tape.cast(soft, size), rate, "attention", "attention.dropout-mask"))
    tape.keep(used, "attention", "attention.probabilities-for-v")


def _scores(tape: Tape, query: TapeTensor) -> TapeTensor:
    return TapeTensor(0, tape.low(query).size, tape.arch.heads)


def eager_own_dtype(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor, rate: float) -> TapeTensor:
    """modeling_gpt2.py, modeling_bert.py: the softmax in the scores' dtype (fp32 under autocast), cast to v's dtype."""
    _operands(tape, query, key, value)
    _weights(tape, tape.full(_scores(tape, query)), value.size, rate)
    return _result(tape, query)


def eager_capped(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor, rate: float) -> TapeTensor:
    """modeling_gemma2.py: the tanh of the soft cap beside the softmax."""
    tape.keep(_scores(tape, query), "attention", "attention.soft-cap-tanh")
    return eager(tape, query, key, value, rate)


def eager_falcon(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor, _: float) -> TapeTensor:
    """modeling_falcon.py: the softmax in the dtype of the norm's output; no dropout."""
    _operands(tape, query, key, value)
    size = 4 if tape.autocast else query.size
    _weights(tape, TapeTensor(0, size, tape.arch.heads), size, 0.0)
    return _result(tape, query)


def eager_wide(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor, rate: float) -> TapeTensor:
    """modeling_gptj.py: q and k in fp32 for their product."""
    _operands(tape, tape.cast(query, 4), tape.cast(key, 4), value)
    _weights(tape, TapeTensor(0, 4, tape.arch.heads), value.size, rate)
    return _result(tape, value)


def eager_sinks(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor, _: float) -> TapeTensor:
    """modeling_gpt_oss.py: one more column for the sinks, the position of each row's maximum, the softmax in its own dtype."""
    _operands(tape, query, key, value)
    heads = tape.arch.heads
    size = max(tape.low(query).size, tape.stream) if tape.autocast else query.size
    tape.keep(TapeTensor(heads, 8), "attention", "attention.largest-score-position")
    soft = TapeTensor(heads, size, heads)
    tape.keep(soft, "attention", "attention.probabilities-and-sinks")
    if size != tape.low(value).size:
        tape.keep(TapeTensor(0, tape.low(value).size, heads), "attention", "attention.probabilities-for-v")
    return _result(tape, query)


EAGER = {
    "fp32": eager,
    "own dtype": eager_own_dtype,
    "capped": eager_capped,
    "falcon": eager_falcon,
    "wide": eager_wide,
    "sinks": eager_sinks,
}
"""`Family.eager` -> its attention in Python."""
