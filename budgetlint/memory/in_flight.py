"""What is in flight while one layer runs backward: gradients of its tensors, which come and go."""

from __future__ import annotations

from budgetlint.memory import compiled
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import linear_output_bytes, residual_bytes


def mlp_backward(plan: Plan) -> int:
    """In flight while the MLP runs backward: gradients of product, activation and up, and of the residual; the product
    itself (or the adapter's copy of it) is freed first."""
    size = linear_output_bytes(plan)
    width = _flying_width(plan)
    down = [linear for linear in plan.shape.layer if linear.reads in ("mlp_product", "expert_product")]
    if compiled.knows(plan):
        return plan.tokens * (compiled.mlp_in_flight(plan) * size * width + residual_bytes(plan) * plan.stream)
    frees = any(plan.trains(linear) or plan.adapted(linear) for linear in down)
    return plan.tokens * ((2 if frees else 3) * size * width + residual_bytes(plan) * plan.stream)


def _flying_width(plan: Plan) -> int:
    """MLP width that is in flight per token. A loop over experts (transformers before 5) runs them one after the other, so a
    balanced expert sees k/E of the tokens; a grouped matmul runs all at once."""
    arch = plan.arch
    if not arch.experts:
        return arch.intermediate
    width = (arch.moe_intermediate or arch.intermediate) * (arch.experts_per_token or 1)
    return width // arch.experts if plan.expert_loop else width


def attention_backward(plan: Plan) -> int:
    """In flight while attention runs backward; `freed_by_the_mlp` of the layer's own tensors are gone by then."""
    arch, size = plan.arch, plan.precision.compute
    residual = residual_bytes(plan) * plan.stream
    if plan.attention in ("eager", "math"):
        # softmax backward: the gradients of its output and input, in fp32 or 16 bit; nothing of q, k, v exists yet
        flight = plan.length * arch.heads * (8 if size == 4 else 6)
    else:
        # csrc/flash_attn/flash_api.cpp mha_bwd: fp32 dq accumulator and row sums; grouped keys get expanded dk, dv
        grouped = 2 * size * arch.q_width if arch.kv_heads < arch.heads else 0
        flight = 4 * arch.q_width + 4 * arch.heads + grouped + size * (arch.q_width + 2 * arch.kv_width)
    return plan.tokens * (residual + flight)
