"""Tensors of a weight's size: the weight, its gradient, its states, its copies, packed and dequantised."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.memory.plan import Plan
from budgetlint.memory.shape import Shape, shape_of
from budgetlint.memory.static import trainable
from budgetlint.oom.tensor import Tensor, sized
from budgetlint.settings.run import Setting


@record
class Weight:
    """A matrix, with the names of all matrices of its size."""

    elements: int
    what: str
    table: bool
    """An embedding or a head, which is no part of a layer."""


def weights_of(shape: Shape) -> tuple[Weight, ...]:
    """The matrices of a model by size."""
    names: dict[int, list[str]] = {}
    for linear in shape.layer:
        names.setdefault(linear.weights, []).append(linear.role)
        if linear.experts > 1:
            names.setdefault(linear.inputs * linear.outputs, []).append(f"one expert's {linear.role.removeprefix('expert_')}")
    layers = [Weight(size, " or ".join(dict.fromkeys(found)), False) for size, found in names.items()]
    tables = {shape.head: "head", shape.embed: "embedding"}
    both = "embedding, or the head" if shape.head == shape.embed else "embedding"
    tables[shape.embed] = both
    return (*layers, *(Weight(size, what, True) for size, what in tables.items() if size))


def of_weights(plan: Plan) -> Iterator[Tensor]:
    for weight in weights_of(plan.shape):
        yield from _loaded(plan, weight)
        yield from _trained(plan, weight)
        yield from _quantised(plan, weight)
    yield from _of_the_adapter(plan)
    for beside in plan.beside:
        why = plan.because(f"{beside.role}_model", "model")
        for weight in weights_of(shape_of(beside.arch)):
            yield _of(weight, beside.size, f"{beside.role} model: weight of {weight.what}", "weight", "load", why)


def _of(weight: Weight, size: int, what: str, kind: str, phase: str, why: tuple[Setting, ...], *, planned: bool = True) -> Tensor:
    return Tensor(weight.elements * size, what, f"{weight.elements:,} weights x {size} B", kind, phase, why, planned=planned, size=size)


def _loaded(plan: Plan, weight: Weight) -> Iterator[Tensor]:
    why = plan.because("model", "weights_dtype", "precision", "quant")
    for size in (2, 4):
        usual = size == plan.precision.weights or (plan.quant is not None and size == 2)
        name = f"weight of {weight.what} in {'fp32' if size == 4 else '16 bit'}"
        yield _of(weight, size, name, "weight", "load", why, planned=usual)
    if plan.precision.autocast and plan.precision.weights == 4:
        for phase in ("forward", "backward"):
            yield _of(weight, 2, f"autocast copy of {weight.what}", "weight", phase, plan.because("autocast", "precision"))


def _trained(plan: Plan, weight: Weight) -> Iterator[Tensor]:
    """Where only an adapter trains, a tensor of the base's size says that more trains than the config says."""
    trains = plan.full or _saved_table(plan, weight)
    sizes = dict.fromkeys((plan.precision.grads, plan.precision.compute, 4, 2))
    because = plan.because("adapter", "precision", "weights_dtype", "grads_dtype", "model")
    for size in sizes:
        usual = trains and size in (plan.precision.grads, plan.precision.compute)
        yield _of(weight, size, f"gradient of {weight.what}", "gradient", "backward", because, planned=usual)
    yield from _states(plan, weight, trains)
    if trains and plan.sharding.kind == "ddp" and weight.elements * plan.precision.grads > DDP_BUCKET:
        why = plan.because("shard", "devices", "model")
        for phase in ("load", "backward"):
            yield _of(weight, plan.precision.grads, f"DDP bucket of {weight.what} alone", "bucket", phase, why)


DDP_BUCKET = 25 * 2**20
"""``bucket_cap_mb`` of torch.nn.parallel.DistributedDataParallel: a larger parameter has a bucket of its own."""


def _saved_table(plan: Plan, weight: Weight) -> bool:
    return weight.table and plan.adapter is not None and bool(plan.adapter.saved_modules)


def _of_the_adapter(plan: Plan) -> Iterator[Tensor]:
    """The factors of LoRA, their gradients and their states."""
    adapter = plan.adapter
    if adapter is None:
        return
    why = plan.because("lora_r", "lora_targets", "adapter")
    for rows, columns, _ in trainable(plan).tensors:
        weight = Weight(rows * columns, f"an adapter factor of {rows:,} x {columns:,}", False)
        for kind, phase, name in (("weight", "load", "weight"), ("gradient", "backward", "gradient"), ("state", "step", "optimizer state")):
            yield _of(weight, adapter.dtype, f"{name} of {weight.what}", kind, phase, why)


_STATE_SIZES = {1: "8-bit", 2: "16-bit", 4: "fp32"}


def _states(plan: Plan, weight: Weight, trains: bool) -> Iterator[Tensor]:
    """States lie per tensor unless the engine flattens them (`tensors_of_shards`); foreach makes lists of temporaries of their sizes."""
    usual = plan.optimizer.name
    because = plan.because("optimizer", "optimizer_state", "precision", "model")
    whole = trains and plan.sharding.kind in ("none", "ddp")
    eight = "8bit" in usual or "8-bit" in usual
    size_of = 1 if eight and not (weight.table and plan.wide_embedding) else 4 if plan.precision.master else plan.precision.state
    for size, word in _STATE_SIZES.items():
        planned = whole and size == size_of
        yield _of(
            weight, size, f"{word} {usual} state of {weight.what}, or a temporary of the update", "state", "step", because, planned=planned
        )
    if trains and plan.sharding.kind == "fsdp2":
        part = -(-weight.elements // plan.sharding.states_over)
        yield Tensor(
            part * plan.precision.state, f"{usual} state of this rank's part of {weight.what}",
            f"{sized(weight.elements, plan.precision.state)} / {plan.sharding.states_over} ranks", "state", "step", because,
        )  # fmt: skip


def _quantised(plan: Plan, weight: Weight) -> Iterator[Tensor]:
    quant = plan.quant
    if quant is None or weight.table:
        return
    why = plan.because("quant", "model")
    for phase in ("forward", "backward"):
        yield _of(weight, quant.compute, f"{weight.what}, dequantised", "dequantised", phase, why)
    packed = weight.elements // 2 if quant.bytes_num / quant.bytes_den < 0.9 else weight.elements
    yield Tensor(packed, f"packed weight of {weight.what} ({quant.kind})", f"{weight.elements:,} weights", "quantised", "load", why)
