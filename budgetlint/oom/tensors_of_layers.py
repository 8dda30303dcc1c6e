"""Tensors of one layer: what autograd keeps of it, what comes and goes, attention scores, dropout masks, keys and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.memory.code import pick
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
    yield from _scores(plan, {row.what for row in kept if row.per_pair})
    yield from _cache(plan)


def _kept(plan: Plan, kept: Iterable[Saved]) -> Iterator[Tensor]:
    for row in kept:
        if row.per_pair == 0:
            yield from _both(plan, row.per_token, f"{row.what} of one layer", _kind(row))


def _kind(row: Saved) -> str:
    if row.what.startswith(("down_proj", "gate_proj", "up_proj", "expert", "shared")):
        return "mlp"
    return "attention" if row.what.startswith(("o_proj", "q_proj", "k_proj", "v_proj")) else _KIND_OF_PART[row.part]


def _both(plan: Plan, per_token: int, what: str, kind: str, why: tuple[str, ...] = _WHY, planned: bool = True) -> Iterator[Tensor]:
    """Made in the forward; its gradient, or itself made again, in the backward."""
    because = plan.because(*why)
    for phase in ("forward", "backward"):
        yield _per_token(plan.tokens, per_token, what, kind, phase, because, planned)


def _per_token(tokens: int, per_token: int, what: str, kind: str, phase: str, because: tuple[Setting, ...], planned: bool = True) -> Tensor:
    unit = f"{per_token:,} B"
    return Tensor(tokens * per_token, what, f"{tokens:,} tokens x {unit}", kind, phase, because, per_token, unit, planned)


def _passing(plan: Plan) -> Iterator[Tensor]:
    """Results that no backward needs: they are freed soon, and a message quotes them as well."""
    arch, size = plan.arch, plan.precision.compute
    if arch.intermediate:
        yield from _wide(plan, arch.intermediate, "MLP activation of one layer", "mlp", (size, 4))
        if any(linear.role in ("gate_up_proj", "gate_proj") for linear in plan.shape.layer):
            yield from _wide(plan, 2 * arch.intermediate, "gate and up of one layer in one tensor", "mlp", (size,), planned=_packs(plan))
    if arch.moe_intermediate and arch.experts_per_token:
        yield from _wide(plan, arch.moe_intermediate * arch.experts_per_token, "expert activation of one layer", "mlp", (size, 4))
    yield from _wide(plan, arch.hidden, "hidden state of one layer", "hidden", (size, 4))
    yield from _wide(plan, arch.q_width, "q, or the attention output, of one layer", "attention", (size, 4))
    if arch.kv_width != arch.q_width:
        yield from _wide(plan, arch.kv_width, "k or v of one layer", "attention", (size, 4))
    yield from _wide(plan, arch.q_width + 2 * arch.kv_width, "q, k and v of one layer in one tensor", "attention", (size,))


def _adapted(plan: Plan) -> Iterator[Tensor]:
    """What an adapter takes, in its own dtype, and what it adds to its linear (peft tuners/lora/layer.py)."""
    for linear in plan.shape.layer if plan.adapter is not None else ():
        if plan.adapted(linear):
            for width, what in ((linear.inputs, "input"), (linear.outputs, "output")):
                yield from _wide(plan, width, f"{what} of an adapter on {linear.role}", "adapter", (plan.precision.compute, 4))


def _packs(plan: Plan) -> bool:
    return any(linear.role == "gate_up_proj" for linear in plan.shape.layer)


def _wide(plan: Plan, width: int, what: str, kind: str, sizes: tuple[int, ...], planned: bool = True) -> Iterator[Tensor]:
    for size in dict.fromkeys(sizes):
        usual = planned and size == plan.precision.compute
        for phase in ("forward", "backward"):
            unit = f"{width:,} x {size} B"
            yield Tensor(
                plan.tokens * width * size, f"{what}{' in fp32' if size == 4 and not usual else ''}", f"{plan.tokens:,} tokens x {unit}",
                kind, phase, plan.because(*_WHY), width * size, unit, usual,
            )  # fmt: skip


def _scores(plan: Plan, kept: set[str]) -> Iterator[Tensor]:
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
                    per_pair=batch * heads * size,
                    planned=bool(kept) or plan.attention in ("eager", "math"),
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
