"""Tensors of one layer: what autograd keeps of it, what comes and goes, attention scores, dropout masks, keys and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.memory.code import pick
from budgetlint.memory.families import layer_tape
from budgetlint.memory.labels import label
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.oom.tensor import Tensor
from budgetlint.settings.run import Setting

_WHY = ("micro_batch", "seq_len", "model")

_KIND_OF_PART = {"norm": "hidden", "attention": "attention", "mlp": "mlp", "adapter": "adapter", "dropout": "dropout", "linear": "hidden"}


def of_layers(plan: Plan) -> Iterator[Tensor]:
    kept = pick(plan).layer(plan)
    yield from _passing(plan)
    yield from _adapted(plan)
    yield from _kept(plan, kept)
    yield from _scores(plan, any(row.per_pair for row in kept))
    yield from _cache(plan)


def _kept(plan: Plan, kept: Iterable[Saved]) -> Iterator[Tensor]:
    for row in kept:
        if row.per_pair == 0:
            yield from _both(plan, row.per_token, f"{label(row.id)} of one layer", _kind(row))


def _kind(row: Saved) -> str:
    if row.id.startswith(("down_proj", "gate_proj", "up_proj", "expert", "shared")):
        return "mlp"
    return "attention" if row.id.startswith(("o_proj", "q_proj", "k_proj", "v_proj")) else _KIND_OF_PART[row.part]


def _both(plan: Plan, per_token: int, what: str, kind: str, why: tuple[str, ...] = _WHY, planned: bool = True) -> Iterator[Tensor]:
    """Made in the forward; its gradient, or itself made again, in the backward."""
    because = plan.because(*why)
    for phase in ("forward", "backward"):
        yield _per_token(plan.tokens, per_token, what, kind, phase, because, planned)


def _per_token(tokens: int, per_token: int, what: str, kind: str, phase: str, because: tuple[Setting, ...], planned: bool = True) -> Tensor:
    unit = f"{per_token:,} B"
    return Tensor(tokens * per_token, what, f"{tokens:,} tokens x {unit}", kind, phase, because, per_token, unit, planned)


def _passing(plan: Plan) -> Iterator[Tensor]:
    """What the layer's linears and its activation give: no backward needs most of it, it is freed soon, and a message quotes it as well.
    The other dtype, and linears packed in one, are those of another run."""
    found = layer_tape(plan).results
    up = found.get("up_proj") or found.get("gate_proj")
    if up is not None:
        yield from _wide(plan, up.width, "MLP activation of one layer", "mlp", (up.size, 4), up.size)
    for role, value in found.items():
        kind = _KIND_OF_RESULT.get(role)
        if kind is not None and not value.side:
            yield from _wide(plan, value.width, f"{label(f'{role}.output')} of one layer", kind, (value.size, 4), value.size)
    for roles, what, kind in _PACKED:
        if all(role in found for role in roles):
            width = sum(found[role].width for role in roles)
            yield from _wide(plan, width, f"{what} of one layer in one tensor", kind, (plan.precision.compute,), 0)
    if plan.arch.moe_intermediate and plan.arch.experts_per_token:  # a grouped matmul gives them, no linear of one role
        size, width = plan.precision.compute, plan.arch.moe_intermediate * plan.arch.experts_per_token
        yield from _wide(plan, width, "expert activation of one layer", "mlp", (size, 4), size)
    yield from _wide(plan, plan.arch.hidden, "hidden state of one layer", "hidden", (plan.precision.compute, 4), plan.precision.compute)


_KIND_OF_RESULT = {
    **dict.fromkeys(("q_proj", "k_proj", "v_proj", "qkv_proj", "q_b_proj", "kv_b_proj"), "attention"),
    **dict.fromkeys(("gate_proj", "up_proj", "gate_up_proj"), "mlp"),
}
"""What a linear gives that is no hidden state."""

_PACKED = ((("gate_proj", "up_proj"), "gate and up", "mlp"), (("q_proj", "k_proj", "v_proj"), "q, k and v", "attention"))


def _adapted(plan: Plan) -> Iterator[Tensor]:
    """What an adapter takes, in its own dtype, and what it adds to its linear (peft tuners/lora/layer.py)."""
    size = plan.precision.compute
    for linear in plan.shape.layer if plan.adapter is not None else ():
        if plan.adapted(linear):
            for width, what in ((linear.inputs, "input"), (linear.outputs, "output")):
                yield from _wide(plan, width, f"{what} of an adapter on {linear.role}", "adapter", (size, 4), size)


def _wide(plan: Plan, width: int, what: str, kind: str, sizes: tuple[int, ...], own: int) -> Iterator[Tensor]:
    """``own``: the bytes an element of this run has, 0 where it makes no such tensor."""
    for size in dict.fromkeys(sizes):
        usual = size == own
        for phase in ("forward", "backward"):
            unit = f"{width:,} x {size} B"
            yield Tensor(
                plan.tokens * width * size, f"{what}{' in fp32' if size == 4 and not usual else ''}", f"{plan.tokens:,} tokens x {unit}",
                kind, phase, plan.because(*_WHY), width * size, unit, usual, size=size,
            )  # fmt: skip


def _scores(plan: Plan, kept: bool) -> Iterator[Tensor]:
    """batch x heads x length x length; a mask has one head. Only kernels that write them make the scores."""
    arch, length, batch = plan.arch, plan.length, plan.batch or 1
    why = plan.because("attention", "micro_batch", "seq_len", "model")
    for heads, name, sizes in (
        (arch.heads, "attention scores of one layer", (plan.precision.compute, 4)),
        (1, "attention mask", (1, 2, 4)),
    ):
        for size in dict.fromkeys(sizes):
            unit = f"{batch:,} x {heads:,} heads x {{0}} x {{0}} x {size} B"
            for phase in ("forward", "backward"):
                yield Tensor(
                    batch * heads * length * length * size, name, unit.format(f"{length:,}"), "scores", phase, why, unit=unit,
                    per_pair=batch * heads * size, size=size,
                    planned=kept or plan.attention in ("eager", "math"),
                )  # fmt: skip


def _cache(plan: Plan) -> Iterator[Tensor]:
    """Keys or values of one layer while text is written (transformers cache_utils.py: one tensor each)."""
    batch = plan.rollout.batch if plan.rollout is not None else plan.eval_batch
    if not batch:
        return
    phase = "rollout" if plan.rollout is not None else "eval"
    per_token = plan.arch.kv_width * plan.precision.compute
    because = plan.because("rollout_batch", "eval_batch", "seq_len", "model")
    yield _per_token(batch * plan.length, per_token, "keys or values kept by one layer", "cache", phase, because, plan.rollout is not None)
