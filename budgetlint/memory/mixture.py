"""Mixtures of experts, balanced or not: routed rows are k times the tokens whichever expert takes them.

transformers 5.24.0 integrations/moe.py grouped_mm_experts_forward, the default: rows sorted by expert, two grouped matmuls on
stacked weights (``torch.nn.functional.grouped_mm``, which autocast leaves in the weights' dtype). The eager loop over experts
keeps the same rows in pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from budgetlint.memory.blocks import gated, gated_mlp, linear
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved, total
from budgetlint.memory.tape import Tape, TapeTensor, new

INDEX = 8
"""Bytes of an int64."""


def mixture(tape: Tape, source: TapeTensor) -> TapeTensor:
    """Router, routed experts, shared experts."""
    arch = tape.arch
    weights = ROUTERS[tape.family.router](tape, source)
    (_expert_loop if tape.plan.expert_loop else _experts)(tape, source, weights)
    width = arch.shared_intermediate or (arch.moe_intermediate or arch.intermediate) * (arch.shared_experts or 0)
    if width:
        shared = gated_mlp(tape, source, width, ("shared_gate_proj", "shared_up_proj", "shared_down_proj"))
        if "shared_gate" in tape.linears:
            tape.keep(TapeTensor(1, linear(tape, source, "shared_gate", 1).size), "mlp", "shared-expert.gate")
            tape.keep(shared, "mlp", "shared-expert.output")
    return new(source)


def folded_weights(plan: Plan) -> int:
    """Elements of expert and router matrices in one layer that an adapter changes: peft 0.21 (tuners/lora/layer.py
    ParamWrapper) makes ``W + scaling * B A`` of the whole stack, in W's dtype, and the backward needs it."""
    return sum(linear.weights for linear in plan.shape.layer if plan.adapted(linear) and _is_parameter(linear.role))


def uneven(plan: Plan, layer: Iterable[Saved]) -> int:
    """Bytes that a rank keeps more where twice as many tokens as on average come to its experts (no token is dropped:
    megatron-core 0.14.0 transformer/moe/token_dispatcher.py). Stated, not fitted."""
    if plan.parallel.expert == 1:
        return 0
    layers = 1 if plan.recompute.on else plan.shape.layers
    return layers * total((row for row in layer if row.part == "mlp"), plan.tokens, plan.length)


def _is_parameter(role: str) -> bool:
    return role == "router" or role.startswith("expert_")


def _learns(tape: Tape, role: str) -> bool:
    """The matrix gets a gradient, of its own or for an adapter folded into it."""
    item = tape.linears.get(role)
    return item is not None and (tape.plan.trains(item) or tape.plan.adapted(item))


# -- routers: what the k weights of a token cost -------------------------------------------------------------------------


def _logits(tape: Tape, source: TapeTensor) -> TapeTensor:
    if tape.plan.expert_loop:
        return linear(tape, source, "router", tape.arch.experts or 0)
    taken = tape.low(source)
    if _learns(tape, "router"):
        tape.keep(taken, "linear", "router.input")
    return TapeTensor(tape.arch.experts or 0, taken.size)


def _chosen(tape: Tape) -> int:
    count = tape.arch.experts_per_token or 1
    tape.keep(TapeTensor(count, INDEX), "mlp", "router.chosen-experts")
    return count


def _normalized(tape: Tape, weights: TapeTensor) -> None:
    """``weights /= weights.sum()`` in place keeps a copy of the weights and the sum."""
    tape.keep(TapeTensor(weights.width, weights.size), "mlp", "router.weights-before-division")
    tape.keep(TapeTensor(1, max(weights.size, 4 if tape.autocast else 0)), "mlp", "router.weights-sum")


def _softmax_router(tape: Tape, source: TapeTensor) -> TapeTensor:
    """Mixtral: fp32 probabilities, divided by their sum."""
    tape.keep(TapeTensor(_logits(tape, source).width, 4), "mlp", "router.probabilities")
    weights = TapeTensor(_chosen(tape), 4)
    _normalized(tape, weights)
    return weights


def _qwen3_router(tape: Tape, source: TapeTensor) -> TapeTensor:
    """modeling_qwen3_moe.py with norm_topk_prob, as its checkpoints have it; cast back to the logits' dtype."""
    return TapeTensor(_softmax_router(tape, source).width, tape.low(source).size)


def _qwen2_router(tape: Tape, source: TapeTensor) -> TapeTensor:
    logits = _logits(tape, source)
    tape.keep(TapeTensor(logits.width, 4), "mlp", "router.probabilities")
    return TapeTensor(_chosen(tape), logits.size)


def _deepseek_v2_router(tape: Tape, source: TapeTensor) -> TapeTensor:
    """The router multiplies fp32 copies of its input and weight."""
    logits = _logits(tape, tape.cast(source, 4))
    tape.keep(TapeTensor(logits.width, 4), "mlp", "router.probabilities")
    return TapeTensor(_chosen(tape), 4)


def _deepseek_v3_router(tape: Tape, source: TapeTensor) -> TapeTensor:
    """Sigmoid scores in fp32, divided by the sum of the chosen ones (norm_topk_prob)."""
    logits = _logits(tape, tape.cast(source, 4))
    tape.keep(new(logits), "mlp", "router.scores")
    weights = TapeTensor(_chosen(tape), logits.size)
    _normalized(tape, weights)
    return weights


def _gpt_oss_router(tape: Tape, source: TapeTensor) -> TapeTensor:
    """The softmax runs over the chosen logits only, in their dtype."""
    logits = _logits(tape, source)
    weights = TapeTensor(_chosen(tape), logits.size)
    tape.keep(weights, "mlp", "router.weights")
    return new(weights)


ROUTERS: dict[str, Callable[[Tape, TapeTensor], TapeTensor]] = {
    "softmax": _softmax_router,
    "softmax undivided": _qwen2_router,
    "softmax cast back": _qwen3_router,
    "softmax of fp32": _deepseek_v2_router,
    "sigmoid": _deepseek_v3_router,
    "softmax of the chosen": _gpt_oss_router,
}
"""`Family.router` -> what it keeps."""


# -- experts -----------------------------------------------------------------------------------------------------------


def _experts(tape: Tape, source: TapeTensor, weights: TapeTensor) -> None:
    arch = tape.arch
    count, width = weights.width, arch.moe_intermediate or arch.intermediate
    for what in ("experts.row-order", "experts.row-tokens", "experts.order-back"):
        tape.keep(TapeTensor(count, INDEX), "mlp", what)
    _grouped_input(
        tape, TapeTensor(count * source.width, source.size), ("expert_gate_proj", "expert_gate_up_proj"), "experts.gathered-inputs"
    )
    both = TapeTensor(2 * count * width, tape.weights)
    made = PRODUCTS[tape.family.expert_product](tape, both.view(count * width), both.view(count * width))
    _grouped_input(tape, made, ("expert_down_proj",), "experts.products")
    tape.keep(TapeTensor(count * source.width, tape.weights), "mlp", "experts.outputs")
    tape.keep(new(weights), "mlp", "experts.row-weights")


def _expert_loop(tape: Tape, source: TapeTensor, weights: TapeTensor) -> None:
    """transformers before 5 (4.48 modeling_mixtral.py): a module for each expert, run on its rows one after the other. Together
    they keep what one row keeps, k times a token."""
    row, one = TapeTensor(source.width, source.size), Tape(tape.plan)
    width = tape.arch.moe_intermediate or tape.arch.intermediate
    made = gated_mlp(one, row, width, ("expert_gate_proj", "expert_up_proj", "expert_down_proj"))
    one.keep(made, "mlp", "mlp.output")
    one.keep(TapeTensor(1, source.size), "mlp", "mlp.row-weight")
    one.keep(TapeTensor(2, INDEX), "mlp", "mlp.row-position")
    for value, saved in one.kept.items():
        count = weights.width * value.width
        tape.kept[TapeTensor(count, value.size)] = Saved(saved.part, f"experts.{saved.id}", count * value.size, size=value.size)


def _grouped_input(tape: Tape, rows: TapeTensor, roles: tuple[str, ...], name: str) -> None:
    if any(_learns(tape, role) for role in roles):
        tape.keep(tape.cast(rows, tape.weights), "mlp", name)


def _clamped(tape: Tape, gate: TapeTensor, up: TapeTensor) -> TapeTensor:
    """modeling_gpt_oss.py _apply_gate: ``(clamp(up) + 1) * clamp(gate) * sigmoid(alpha * clamp(gate))``; the biases of the
    experts are gathered by expert."""
    if tape.trains:
        tape.keep(TapeTensor(tape.arch.experts_per_token or 1, INDEX), "mlp", "experts.of-the-rows")
    tape.keep(gate, "mlp", "experts.gate-and-up")
    for what in ("clamped-gate", "sigmoid", "up-plus-one", "gated"):
        tape.keep(new(gate), "mlp", f"experts.{what}")
    return new(up)


PRODUCTS: dict[str, Callable[[Tape, TapeTensor, TapeTensor], TapeTensor]] = {
    "gated": partial(gated, name="experts"),
    "clamped": _clamped,
}
"""`Family.expert_product` -> what the activation of an expert keeps."""
