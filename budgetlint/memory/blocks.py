"""The blocks that layers are made of: linears with their adapters, norms, rotary embeddings, dropout, MLPs."""

from __future__ import annotations

from budgetlint.memory.tape import Tape, TapeTensor, new


def linear(tape: Tape, source: TapeTensor, role: str, width: int) -> TapeTensor:
    """A matmul. A 4-bit base keeps nothing and gives back the dtype of its input."""
    plan, item = tape.plan, tape.linears.get(role)
    taken = tape.low(source) if plan.quant is None else source
    if plan.full if item is None else plan.trains(item):
        tape.keep(taken, "linear", f"{role}.input")
    out = TapeTensor(width, taken.size if plan.quant is not None or tape.autocast else max(taken.size, tape.weights), side=source.side)
    tape.results[role] = out
    if item is None or not plan.adapted(item):
        return out
    _adapter(tape, source, role, out)
    return new(out)


def _adapter(tape: Tape, source: TapeTensor, role: str, out: TapeTensor) -> None:
    """peft 0.21.2 tuners/lora/layer.py: ``lora_B(lora_A(dropout(x.to(lora_A.weight.dtype))))``. A fused LoRA kernel keeps the
    linear's input itself."""
    adapter = tape.plan.adapter
    assert adapter is not None
    fused = "lora" in tape.plan.kernels and adapter.dropout == 0
    taken = source if fused else dropout(tape, tape.cast(source, adapter.dtype), adapter.dropout, "adapter", f"{role}.dropout-mask")
    taken = taken if fused else tape.low(taken)
    tape.keep(taken, "linear" if taken is source else "adapter", f"{role}.lora_A-input")
    inner = tape.compute if tape.autocast else adapter.dtype
    tape.keep(TapeTensor(adapter.r, inner, side=source.side), "adapter", f"{role}.lora_A-output")
    if adapter.dora:
        # tuners/lora/dora.py: both outputs are multiplied by the magnitude; behind dropout the base runs once more on its input
        tape.keep(TapeTensor(out.width, inner if adapter.dropout else out.size, side=out.side), "adapter", f"{role}.before-magnitude")
        tape.keep(TapeTensor(out.width, inner, side=out.side), "adapter", f"{role}.lora_B-output")


def dropout(tape: Tape, value: TapeTensor, rate: float, part: str = "dropout", what: str = "dropout.mask") -> TapeTensor:
    """ATen/native/Dropout.cpp: a rate of 0 gives the tensor itself, else a mask of one byte an element."""
    if not rate:
        return value
    tape.keep(TapeTensor(value.width, 1, value.pair, None, value.side), part, what)
    return new(value)


# -- norms -------------------------------------------------------------------------------------------------------------


def norm(tape: Tape, source: TapeTensor, groups: int = 1, style: str = "", what: str = "norm") -> TapeTensor:
    """One norm over a tensor, in ``groups`` (heads). ``style``: how the code is written, by default as the family's."""
    written = style or tape.family.norm
    return STYLES[tape.arch.norm if written == "shape" else written](tape, source, groups, what)


def _rms(tape: Tape, source: TapeTensor, groups: int, what: str) -> TapeTensor:
    """``weight * (x * rsqrt).to(dtype)`` (modeling_llama.py LlamaRMSNorm)."""
    if "rms_norm" in tape.plan.kernels:
        return _fused_rms(tape, source, groups, what)
    _normed(tape, source, groups, what)
    back = TapeTensor(source.width, source.size)
    if tape.trains:
        tape.keep(back, "norm", f"{what}.normed")
    return TapeTensor(source.width, max(source.size, tape.norm_weights))


def _rms_wide(tape: Tape, source: TapeTensor, groups: int, what: str) -> TapeTensor:
    """``(weight * (x * rsqrt)).to(dtype)``: the product is fp32 (modeling_gemma.py, modeling_olmo2.py, modeling_gpt_oss.py)."""
    if "rms_norm" in tape.plan.kernels:
        return _fused_rms(tape, source, groups, what)
    normed = _normed(tape, source, groups, what)
    if tape.trains:
        tape.keep(normed, "norm", f"{what}.normed")
    return TapeTensor(source.width, source.size)


def _normed(tape: Tape, source: TapeTensor, groups: int, what: str) -> TapeTensor:
    tape.keep(tape.cast(source, 4), "norm", f"{what}.input-fp32")
    tape.keep(TapeTensor(groups, 4), "norm", f"{what}.rms")
    return TapeTensor(source.width, 4)


def _fused_rms(tape: Tape, source: TapeTensor, groups: int, what: str) -> TapeTensor:
    """liger_kernel/ops/rms_norm.py, unsloth/kernels/rms_layernorm.py: the input as it is, and 1/rms."""
    tape.keep(source, "norm", f"{what}.input")
    tape.keep(TapeTensor(groups, 4), "norm", f"{what}.rms")
    return TapeTensor(source.width, source.size)


def _layer(tape: Tape, source: TapeTensor, groups: int, what: str) -> TapeTensor:
    """torch.nn.LayerNorm: input, mean and 1/std in fp32; autocast runs it in fp32."""
    taken = tape.full(source)
    tape.keep(taken, "norm", f"{what}.input")
    tape.keep(TapeTensor(2 * groups, 4), "norm", f"{what}.statistics")
    return TapeTensor(source.width, taken.size)


def _layer_wide(tape: Tape, source: TapeTensor, groups: int, what: str) -> TapeTensor:
    """``F.layer_norm(x.float()).to(dtype)`` (modeling_olmo.py)."""
    tape.keep(tape.cast(source, 4), "norm", f"{what}.input-fp32")
    tape.keep(TapeTensor(2 * groups, 4), "norm", f"{what}.statistics")
    return tape.cast(TapeTensor(source.width, 4), source.size)


def _cohere(tape: Tape, source: TapeTensor, groups: int, what: str) -> TapeTensor:
    """modeling_cohere.py CohereLayerNorm subtracts the mean twice, for the variance and for the output."""
    for use in ("variance", "output"):
        tape.keep(TapeTensor(source.width, 4), "norm", f"{what}.centered-for-{use}")
    tape.keep(TapeTensor(groups, 4), "norm", f"{what}.std")
    if tape.trains:
        tape.keep(TapeTensor(source.width, 4), "norm", f"{what}.normed")
    return TapeTensor(source.width, source.size)


def _t5(tape: Tape, source: TapeTensor, groups: int, what: str) -> TapeTensor:
    """modeling_t5.py T5LayerNorm: ``pow`` of an fp32 copy, the input itself times 1/rms in fp32, cast to the weights where they are
    16 bit."""
    _normed(tape, source, groups, what)
    tape.keep(source, "norm", f"{what}.input")
    size = tape.norm_weights
    if tape.trains:
        tape.keep(TapeTensor(source.width, size), "norm", f"{what}.normed")
    return TapeTensor(source.width, size)


STYLES = {"t5": _t5, "rmsnorm": _rms, "rms-wide": _rms_wide, "layernorm": _layer, "layernorm-noaffine": _layer_wide, "cohere": _cohere}
"""`Family.norm`, or `Architecture.norm` -> how it is written."""


# -- rotary embedding, MLP ---------------------------------------------------------------------------------------------


def rotate(tape: Tape, value: TapeTensor) -> TapeTensor:
    """``x * cos + rotate_half(x) * sin``: a new tensor, and the tables need no gradient."""
    if tape.arch.position != "rope":
        return value
    if tape.family.rotates_as_given:
        return new(value)
    return TapeTensor(value.width, max(value.size, tape.stream))


def gated_mlp(
    tape: Tape, source: TapeTensor, width: int, roles: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")
) -> TapeTensor:
    """``down(act(gate(x)) * up(x))``; Phi-3 packs gate and up into one matmul."""
    packed = roles[0].replace("gate_proj", "gate_up_proj")
    if packed in tape.linears:
        both = linear(tape, source, packed, 2 * width)
        gate, up = both.view(width), both.view(width)
    else:
        gate, up = linear(tape, source, roles[0], width), linear(tape, source, roles[1], width)
    return linear(tape, gated(tape, gate, up, "shared-expert" if roles[0].startswith("shared_") else "mlp"), roles[2], source.width)


def gated(tape: Tape, gate: TapeTensor, up: TapeTensor, name: str = "mlp") -> TapeTensor:
    """``act(gate) * up``; a fused kernel (Liger, Unsloth) makes the activation again in the backward."""
    tape.keep(gate, "mlp", f"{name}.gate")
    tape.keep(up, "mlp", f"{name}.up")
    if "swiglu" not in tape.plan.kernels:
        tape.keep(new(gate), "mlp", f"{name}.activation")
    return new(gate, up)


def plain_mlp(tape: Tape, source: TapeTensor, width: int) -> TapeTensor:
    """``down(act(up(x)))``."""
    made = activation(tape, linear(tape, source, "up_proj", width), tape.arch.activation)
    return linear(tape, made, "down_proj", tape.arch.hidden)


def activation(tape: Tape, value: TapeTensor, name: str) -> TapeTensor:
    if name == "gelu_new":
        return _gelu_new(tape, value)
    if name == "gelu_fast":
        return _gelu_fast(tape, value)
    made = new(value)
    tape.keep(made if name == "relu" else value, "mlp", "mlp.activation" if name == "relu" else "mlp.up")
    return made


def _gelu_new(tape: Tape, value: TapeTensor) -> TapeTensor:
    """transformers activations.py NewGELUActivation, in Python: ``pow`` runs in fp32 under autocast, and with it the rest."""
    wide = tape.full(value)
    half = new(value)
    for kept, what in ((wide, "cubed"), (new(wide), "tanh"), (half, "half-input"), (new(wide), "one-plus-tanh")):
        tape.keep(kept, "mlp", f"gelu_new.{what}")
    return new(wide)


def _gelu_fast(tape: Tape, value: TapeTensor) -> TapeTensor:
    """activations.py FastGELUActivation: products of the input, in its own dtype."""
    tape.keep(value, "mlp", "gelu_fast.input")
    for what in ("scaled-input", "inner-factor", "tanh", "half-input", "one-plus-tanh"):
        tape.keep(new(value), "mlp", f"gelu_fast.{what}")
    return new(value)
