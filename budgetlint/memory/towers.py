"""What one block of a vision tower keeps: programs over a tape that follow its transformers code (5.24.0), and equal its traces
(`benchmarks/trace_towers.py`)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families import family_of
from budgetlint.memory.attend import attend
from budgetlint.memory.blocks import gated_mlp, linear, norm, plain_mlp
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.tape import Tape, TapeTensor, new


def block_saved(plan: Plan, *, one_call: bool) -> tuple[Saved, ...]:
    """What a block keeps; ``plan.arch`` is the tower. ``one_call``: flash attention takes all images in one call, where sdpa goes
    image by image and puts the outputs together (modeling_qwen2_vl.py VisionAttention.forward)."""
    half = family_of(plan.arch.family).tower.half_stream
    tape = Tape(replace(plan, batch=1) if half else plan)
    if tape.autocast and half:
        tape.stream = tape.compute
    _block(tape, one_call=one_call)
    return tape.saved()


def _block(tape: Tape, *, one_call: bool) -> None:
    x = tape.input()
    made = _attention(tape, norm(tape, x, what="attention-norm"), one_call=one_call)
    x = new(x, _scaled(tape, made))
    source = norm(tape, x, what="mlp-norm")
    arch = tape.arch
    made = _gated(tape, source) if arch.glu else plain(tape, source, arch.intermediate)
    _scaled(tape, made)


def _attention(tape: Tape, source: TapeTensor, *, one_call: bool) -> TapeTensor:
    width = tape.arch.q_width
    if "qkv_proj" in tape.linears:
        packed = linear(tape, source, "qkv_proj", 3 * width)
        query, key, value = new(packed.view(width)), new(packed.view(width)), packed.view(width)
        out = attend(tape, TapeTensor(width, query.size), TapeTensor(width, key.size), value)
        out = out if one_call or tape.plan.attention == "eager" else TapeTensor(width, out.size)
        return linear(tape, out, "o_proj", width)
    query, key, value = (linear(tape, source, role, width) for role in ("q_proj", "k_proj", "v_proj"))
    if tape.arch.qk_norm is not None:
        query, key = norm(tape, query, what="q-norm"), norm(tape, key, what="k-norm")
    if tape.arch.position == "rope":
        query, key = (TapeTensor(width, max(part.size, tape.stream)) for part in (query, key))
    return linear(tape, attend(tape, query, key, value), "o_proj", width)


def _scaled(tape: Tape, value: TapeTensor) -> TapeTensor:
    """A learned vector times what attention and MLP give (modeling_internvl.py)."""
    if not tape.family.tower.scales:
        return value
    if tape.trains:
        tape.keep(value, "linear", "layer-scale.input")
    return TapeTensor(value.width, max(value.size, tape.weights))


def _gated(tape: Tape, source: TapeTensor) -> TapeTensor:
    return gated_mlp(tape, source, tape.arch.intermediate)


def plain(tape: Tape, source: TapeTensor, width: int) -> TapeTensor:
    if tape.arch.activation != "quick_gelu":
        return plain_mlp(tape, source, width)
    return linear(tape, _quick_gelu(tape, linear(tape, source, "up_proj", width)), "down_proj", tape.arch.hidden)


def _quick_gelu(tape: Tape, value: TapeTensor) -> TapeTensor:
    """activations.py QuickGELUActivation: ``x * sigmoid(1.702 * x)``."""
    tape.keep(value, "mlp", "mlp.up")
    tape.keep(new(value), "mlp", "mlp.sigmoid")
    return new(value)
