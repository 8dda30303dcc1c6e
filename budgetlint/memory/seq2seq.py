"""The layers of encoder-decoders: T5, BART and their kin, Whisper (transformers 5.24.0 modeling_t5.py, modeling_bart.py,
modeling_mbart.py, modeling_pegasus.py, modeling_whisper.py).

A decoder's layer also attends to the encoder's output: its queries are the layer's own tokens, its keys and values are positions of
the source (``side`` of a `TapeTensor`). The encoder's output itself belongs to no layer.
"""

from __future__ import annotations

from budgetlint.memory.blocks import activation, dropout, linear, norm
from budgetlint.memory.tape import Tape, TapeTensor, new


def is_encoder(tape: Tape) -> bool:
    return tape.plan.side == "encoder"


def memory(tape: Tape) -> TapeTensor:
    """The encoder's output: behind a LayerNorm fp32 under autocast, behind T5's norm of the weights' dtype."""
    wide = tape.autocast and tape.arch.norm == "layernorm"
    return TapeTensor(tape.arch.hidden, 4 if wide else tape.norm_weights, side="source")


# -- attention ---------------------------------------------------------------------------------------------------------


def attention(tape: Tape, source: TapeTensor, states: TapeTensor | None = None) -> TapeTensor:
    """Attention of a layer's tokens to themselves, or to ``states`` of the encoder."""
    arch, role = tape.arch, "" if states is None else "cross_"
    given = source if states is None else states
    query = linear(tape, source, f"{role}q_proj", arch.q_width)
    key = linear(tape, given, f"{role}k_proj", arch.q_width)
    value = linear(tape, given, f"{role}v_proj", arch.q_width)
    kernel = _eager if tape.plan.attention in ("eager", "math") else _fused
    return linear(tape, kernel(tape, query, key, value), f"{role}o_proj", arch.hidden)


def _fused(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor) -> TapeTensor:
    """q, k, v, the output, the logsumexp, and the bias where there is one."""
    for kept, what in ((query, "attention.q"), (key, "attention.k"), (value, "attention.v")):
        tape.keep(tape.cast(kept, tape.compute), "attention", _named(what, key))
    out = TapeTensor(query.width, tape.compute)
    tape.keep(out, "attention", _named("attention.output", key))
    tape.keep(TapeTensor(tape.arch.heads, 4), "attention", _named("attention.statistics", key))
    bias = _bias(tape, key)
    if bias is not None:
        tape.keep(bias, "attention", _named("attention.position-bias", key))
    return out


def _bias(tape: Tape, key: TapeTensor) -> TapeTensor | None:
    """integrations/sdpa_attention.py ``create_position_bias_mask``: T5's bias made contiguous in every layer, with the padding mask one
    for each sequence; in a decoder with the causal mask, whose condition ``where`` keeps. Cross-attention's bias is zeros that the
    layers share, until a padding mask is laid over them. Elsewhere a padding mask becomes a bias of the batch."""
    heads, padded, cross = tape.arch.heads, tape.plan.padded, key.side == "source"
    if not tape.family.position_bias:
        return _mask(tape, cross)
    if cross:
        return TapeTensor(0, tape.compute, heads, side="cross") if padded else None
    size = tape.norm_weights
    if is_encoder(tape):
        return TapeTensor(0, size, heads) if padded else TapeTensor(0, size, heads, side="table")
    if tape.trains:
        tape.keep(TapeTensor(0, 1, 1, side="table"), "attention", "attention.causal-mask")
    return TapeTensor(0, size, heads, side="table")


def _mask(tape: Tape, cross: bool) -> TapeTensor | None:
    """attention.cpp ``convert_boolean_attn_mask``: s x s in each layer; a decoder's own attention is causal without a mask."""
    if not tape.plan.padded or not (cross or is_encoder(tape)):
        return None
    return TapeTensor(0, tape.compute, 1, side="cross" if cross else "")


def _eager(tape: Tape, query: TapeTensor, key: TapeTensor, value: TapeTensor) -> TapeTensor:
    """``eager_attention_forward``: contiguous operands, the softmax in its own dtype (fp32 under autocast), dropout, the product.
    ``math`` stands for the T5 of before `levers.BIASED_SDPA_SINCE` (``softmax(scores.float()).type_as(scores)``)."""
    for kept, what in ((query, "attention.q"), (key, "attention.k"), (value, "attention.v")):
        tape.keep(tape.low(kept), "attention", _named(what, key))
    side = "cross" if key.side == "source" else ""
    scores = TapeTensor(0, tape.low(query).size, tape.arch.heads, side=side)
    old = tape.plan.attention == "math"
    soft = tape.cast(scores, 4) if old else tape.full(scores)
    tape.keep(soft, "attention", _named("attention.probabilities", key))
    soft = tape.cast(soft, scores.size) if old else soft
    dropped = dropout(tape, soft, _score_dropout(tape), "attention", _named("attention.dropout-mask", key))
    tape.keep(tape.low(dropped), "attention", _named("attention.probabilities-for-v", key))
    return TapeTensor(query.width, tape.low(query).size)


def _score_dropout(tape: Tape) -> float:
    """T5 has one rate for everything; BART's scores have their own (``attention_dropout``), in 1/1000."""
    return tape.arch.dropout if tape.family.one_dropout_rate else tape.arch.number("attention_dropout_permille") / 1000


def _named(what: str, key: TapeTensor) -> str:
    return f"cross-{what}" if key.side == "source" else what


# -- feed-forward ------------------------------------------------------------------------------------------------------


def feed_forward(tape: Tape, source: TapeTensor, rate: float) -> TapeTensor:
    """Up, activation (times a gate), dropout of ``rate``, down. T5 casts to the dtype of ``wo`` first (T5DenseActDense)."""
    arch = tape.arch
    if arch.glu:
        act = activation(tape, linear(tape, source, "gate_proj", arch.intermediate), arch.activation)
        up = linear(tape, source, "up_proj", arch.intermediate)
        tape.keep(act, "mlp", "mlp.activation")
        tape.keep(up, "mlp", "mlp.up")
        made = new(act, up)
    else:
        made = activation(tape, linear(tape, source, "up_proj", arch.intermediate), arch.activation)
    made = dropout(tape, made, rate)
    if tape.family.casts_before_down:
        made = tape.cast(made, tape.weights)
    return linear(tape, made, "down_proj", arch.hidden)


# -- layers ------------------------------------------------------------------------------------------------------------


def t5(tape: Tape) -> None:
    """modeling_t5.py T5Block: norm, block, dropout, sum; one dropout rate everywhere."""
    _norms_in_front(tape, tape.arch.dropout)


def whisper(tape: Tape) -> None:
    """modeling_whisper.py, modeling_mbart.py, modeling_pegasus.py: the activation has a dropout rate of its own."""
    _norms_in_front(tape, tape.arch.number("activation_dropout_permille") / 1000)


def _norms_in_front(tape: Tape, inner: float) -> None:
    """Norms in front of the blocks; a decoder has a third block between. ``inner``: the dropout within the MLP."""
    rate, states = tape.arch.dropout, None if is_encoder(tape) else memory(tape)
    x = tape.input()
    x = new(x, dropout(tape, attention(tape, norm(tape, x, what="attention-norm")), rate))
    if states is not None:
        x = new(x, dropout(tape, attention(tape, norm(tape, x, what="cross-attention-norm"), states), rate))
    dropout(tape, feed_forward(tape, norm(tape, x, what="mlp-norm"), inner), rate)
    _leave_out(tape, states)


def bart(tape: Tape) -> None:
    """modeling_bart.py: norms behind the sums."""
    rate, states = tape.arch.dropout, None if is_encoder(tape) else memory(tape)
    inner = tape.arch.number("activation_dropout_permille") / 1000
    x = tape.input()
    x = norm(tape, new(x, dropout(tape, attention(tape, x), rate)), what="attention-output-norm")
    if states is not None:
        x = norm(tape, new(x, dropout(tape, attention(tape, x, states), rate)), what="cross-attention-output-norm")
    norm(tape, new(x, dropout(tape, feed_forward(tape, x, inner), rate)), what="output-norm")
    _leave_out(tape, states)


def _leave_out(tape: Tape, states: TapeTensor | None) -> None:
    """The encoder's output is kept once, not by every layer."""
    if states is not None:
        tape.kept.pop(states, None)
