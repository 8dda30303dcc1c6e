"""The static state: weights, gradients, optimizer. Fixed by parameters, dtypes and how they are split; no batch in it."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record, replace
from budgetlint.catalog import ledger
from budgetlint.catalog.optimizers import each_state_bytes
from budgetlint.memory.code import pick
from budgetlint.memory.plan import Plan
from budgetlint.memory.shape import DENSE, Linear
from budgetlint.memory.term import Bucket, Term, of_size, tensor
from budgetlint.settings.run import Setting


@record
class Trainable:
    """What trains: tensors as ``(rows, columns, how many)``; ``columns`` 1 for a vector."""

    elements: int
    tensors: tuple[tuple[int, int, int], ...]
    largest: int
    embedding: int


def trainable(plan: Plan) -> Trainable:
    tensors = tuple(_adapter_tensors(plan) if plan.adapter else _model_tensors(plan))
    elements = sum(rows * columns * count for rows, columns, count in tensors)
    largest = max((rows * columns for rows, columns, _ in tensors), default=0)
    return Trainable(elements, tensors, largest, 0 if plan.adapter else plan.shape.embed)


def _model_tensors(plan: Plan) -> Iterator[tuple[int, int, int]]:
    shape, arch = plan.shape, plan.arch
    linears = [(linear, layers) for linear, layers in _linears(plan) if not linear.frozen]
    for linear, layers in linears:
        yield linear.outputs, linear.inputs, linear.experts * layers
    width = max(arch.hidden, 1)  # a pair of towers has no one width
    tables = [-(-count // width) for count in (shape.embed, shape.head) if count]
    yield from ((rows, width, 1) for rows in tables)
    counted = sum(linear.weights * layers for linear, layers in linears) + width * sum(tables)
    rest = shape.total - counted - shape.frozen
    if plan.vision is not None:
        from budgetlint.memory import vision

        yield from vision.trained(plan)
        rest -= vision.elements(shape.arch)
    if rest > 0:
        yield width, 1, rest // width
        if rest % width:
            yield rest % width, 1, 1


def _linears(plan: Plan) -> Iterator[tuple[Linear, int]]:
    """Every linear of the layers and in how many it stands."""
    if plan.shape.arch.number("attention_layers"):  # layers of two kinds
        for item in ledger.linears(plan.shape.arch):
            if item.where == "layer":
                split = plan.parallel.expert if plan.stage is not None and item.role.startswith("expert_") else 1
                yield Linear(item.role, item.inputs, item.outputs, "", -(-item.per_layer // split)), item.layers
        return
    for stack in plan.shape.stacks:
        yield from ((linear, stack.layers) for linear in stack.layer)


def _adapter_tensors(plan: Plan) -> Iterator[tuple[int, int, int]]:
    adapter = plan.adapter
    assert adapter is not None
    for inputs, outputs, count in _adapted(plan):
        yield adapter.r, inputs, count
        yield outputs, adapter.r, count
        if adapter.dora:
            yield outputs, 1, count
    for inputs, outputs, count in plan.vision.adapted if plan.vision is not None else ():
        yield adapter.r, inputs, count
        yield outputs, adapter.r, count
    if "lm_head" in adapter.targets:
        yield adapter.r, plan.arch.hidden, 1
        yield plan.arch.vocab, adapter.r, 1
    if adapter.saved_modules:
        yield adapter.saved_modules // plan.arch.hidden, plan.arch.hidden, 1


def _adapted(plan: Plan) -> Iterator[tuple[int, int, int]]:
    """Inputs, outputs and number of each adapted linear. The first, dense layers of a mixture share its attention and have an
    MLP of their own."""
    dense = (plan.arch.first_dense_layers or 0) if plan.arch.experts else 0
    for linear, layers in _linears(plan):
        if plan.adapted(linear):
            everywhere = not linear.role.startswith(("expert_", "shared_", "router"))
            yield linear.inputs, linear.outputs, linear.experts * (layers + (dense if everywhere else 0))
    targets = plan.adapter.targets if plan.adapter is not None else frozenset()
    for item in ledger.linears(plan.arch) if dense else ():
        if item.role in DENSE and item.role in targets:
            yield item.inputs, item.outputs, dense


# -- weights -----------------------------------------------------------------------------------------------------------


def weights(plan: Plan, train: Trainable) -> Iterator[Term]:
    over = plan.sharding.params_over
    if plan.sharding.offload_params:
        return
    if plan.quant is not None:
        yield from _quantised(plan, over)
    else:
        why = plan.because("model", "weights_dtype", "precision", "shard")
        yield _shared(plan, tensor(Bucket.WEIGHTS, "weights.base", why, (("parameter", plan.shape.total),), plan.precision.weights), over)
    if plan.adapter is not None:
        yield from _adapters(plan, train, over)


def _adapters(plan: Plan, train: Trainable, over: int) -> Iterator[Term]:
    """The factors, and the tables that train in full beside them."""
    adapter = plan.adapter
    assert adapter is not None
    saved = min(adapter.saved_modules, train.elements) if adapter.saved_dtype else 0
    why = plan.because("lora_r", "lora_targets", "adapter_dtype", "adapter")
    factors = tensor(Bucket.WEIGHTS, "weights.adapter", why, (("parameter", train.elements - saved),), adapter.dtype, ranks=over)
    yield factors
    if saved:
        rest = split(adapter.bytes_of(train.elements), over) - factors.bytes
        shape = (("parameter", saved),)
        yield of_size(Term(Bucket.WEIGHTS, rest, "weights.saved-tables", why, shape, adapter.saved_dtype, ranks=over))


def _quantised(plan: Plan, over: int) -> Iterator[Term]:
    quant, shape = plan.quant, plan.shape
    assert quant is not None
    packed = plan.all_quantised
    if plan.vision is not None and quant.kind in ("nf4", "fp4", "int8"):
        from budgetlint.memory import vision

        packed += vision.linear_elements(shape.arch)
    rest = shape.total - packed
    size = 4 if quant.upcast == "all" else plan.precision.weights
    index = quant.per_input * sum(stack.layers * linear.inputs * linear.experts for stack in shape.stacks for linear in stack.layer)
    why = plan.because("quant", "quant_double", "model", "shard")
    whole = split(packed * quant.bytes_num // quant.bytes_den + index, over)
    weights = tensor(Bucket.WEIGHTS, f"weights.{quant.kind}", why, (("weight", packed),), quant.bytes_num, quant.bytes_den, over)
    yield weights
    if index:
        yield Term(Bucket.WEIGHTS, whole - weights.bytes, "weights.group-index", why)
    beside = plan.because("quant", "quant_upcast", "model", "shard")
    yield tensor(Bucket.WEIGHTS, "weights.unquantised", beside, (("parameter", rest),), size, ranks=over)


# -- gradients ---------------------------------------------------------------------------------------------------------


def gradient_bytes(plan: Plan, elements: int) -> int:
    """Stored gradients of ``elements`` trainable parameters on one device; none where they wait on the host for its optimizer: DeepSpeed
    0.19.6 stage3.py ``grad_partitions_flat_buffer``, stage_1_and_2.py ``async_accumulate_grad_in_cpu_via_gpu``; torch 2.13 FSDP
    ``CPUOffload`` and ``CPUOffloadPolicy`` ("gradients are offloaded as well"). Megatron's buffer stays on the device
    (megatron-core 0.14.0 optimizer/cpu_offloading/hybrid_optimizer.py copies from it)."""
    sharding = plan.sharding
    on_host = sharding.offload_params if sharding.is_fsdp else sharding.offload_optimizer and sharding.is_zero
    if not plan.optimizer.keeps_gradients or (on_host and not plan.accumulation.one_buffer):
        return 0
    size = plan.adapter.bytes_of(elements) if plan.adapter is not None else elements * plan.precision.grads
    return share(plan, size, plan.sharding.grads_over)


def gradients(plan: Plan, train: Trainable) -> Term:
    why = plan.because("precision", "weights_dtype", "lora_r", "grads_dtype", "shard")
    return stored_gradients(plan, train.elements, "gradients.stored", why)


def stored_gradients(plan: Plan, count: int, slug: str, why: tuple[Setting, ...]) -> Term:
    """Gradients of so many elements as the optimizer takes them."""
    size = plan.adapter.dtype if plan.adapter is not None else plan.precision.grads
    made = gradient_bytes(plan, count)
    return of_size(Term(Bucket.GRADIENTS, made, slug, why, (("gradient", count),), size, ranks=plan.sharding.grads_over))


# -- optimizer ---------------------------------------------------------------------------------------------------------


def optimizer(plan: Plan, train: Trainable) -> Iterator[Term]:
    """The fp32 master copy (booked here: the step is its only writer) and the states."""
    precision, sharding = plan.precision, plan.sharding
    if sharding.offload_optimizer:
        return
    over = sharding.states_over
    if (precision.master and plan.adapter is None) or plan.runs_deepspeed:
        why = plan.because("precision", "engine_dtype", "shard")
        size = precision.master or master_size(plan)
        yield _shared(plan, tensor(Bucket.OPTIMIZER, "weights.master", why, (("parameter", train.elements),), size), over)
    yield from _states(plan, train, over)


def master_size(plan: Plan) -> int:
    """Bytes of an element of DeepSpeed's master copy, which it makes of whatever trains, and of the states: fp32, or what a run that is
    16 bit throughout asks for (``bf16_master_weights_and_grads``)."""
    return plan.precision.master or (plan.precision.state if plan.full else 4)


def _states(plan: Plan, train: Trainable, over: int) -> Iterator[Term]:
    """One term a state; what a rank has of all of them is rounded up together."""
    optimizer, why = plan.optimizer, plan.because("optimizer", "optimizer_state", "lora_r", "precision", "shard")
    name = "adam" if optimizer.adam_like else optimizer.name
    before = whole = 0
    for state, size in zip(optimizer.states, each_state_of(plan, train), strict=True):
        before, whole = share(plan, whole, over), whole + size
        mine, each = share(plan, whole, over) - before, size // max(train.elements, 1)
        said = f"{train.elements:,} parameters, {size / max(train.elements, 1):.3f} B each"
        term = Term(Bucket.OPTIMIZER, mine, f"{name}.{state.name}", why, (("parameter", train.elements),), each, ranks=over, detail=said)
        if size:
            yield of_size(term)


def states_of(plan: Plan, train: Trainable) -> int:
    """Bytes of optimizer state over all ranks."""
    return sum(each_state_of(plan, train))


def each_state_of(plan: Plan, train: Trainable) -> tuple[int, ...]:
    """The same by state."""
    adapter, tensors, optimizer = plan.adapter, train.tensors, plan.optimizer
    size = adapter.dtype if adapter is not None else plan.precision.state
    if plan.runs_deepspeed:  # the states are those of the master copy
        size = master_size(plan)
    elif adapter is not None and adapter.saved_modules and adapter.saved_dtype:  # the tables are the last tensor
        tables = each_state_bytes(optimizer, tensors[-1:], adapter.saved_dtype)
        return _sums(each_state_bytes(optimizer, tensors[:-1], size), tables)
    return _sums(each_state_bytes(optimizer, tensors, size), _wide_states(plan, train, size))


def _sums(some: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([one + other for one, other in zip(some, more, strict=True)]) if more else some


def _wide_states(plan: Plan, train: Trainable, size: int) -> tuple[int, ...]:
    """What an embedding's 32-bit states take above the 8-bit ones of the optimizer's row."""
    if not plan.wide_embedding or not train.embedding:
        return ()
    table = (train.embedding // plan.arch.hidden, plan.arch.hidden, 1)
    return tuple([4 * train.embedding - low for low in each_state_bytes(plan.optimizer, (table,), size)])


def step_temporaries(plan: Plan, train: Trainable) -> Iterator[Term]:
    """What the step allocates and frees: a list the size of the states (foreach), two tensors (for-loop), none (fused)."""
    precision, sharding, over = plan.precision, plan.sharding, plan.sharding.states_over
    if sharding.offload_optimizer or not train.elements:
        return
    if precision.master and precision.grads < 4 and plan.adapter is None and sharding.is_zero:
        group = min(sharding.zero.sub_group, -(-train.elements // over)) if sharding.kind == "zero3" else -(-train.elements // over)
        yield tensor(Bucket.BUFFERS, "step.fp32-gradients", plan.because("shard", "zero_sub_group"), (("gradient", group),), 4)
    if precision.master and precision.grads < 4 and plan.full and pick(plan).casts_gradients and not sharding.is_zero:
        yield tensor(Bucket.BUFFERS, "step.fp32-gradients", plan.because("precision", "grads_dtype"), (("gradient", train.elements),), 4)
    size = 4 if precision.master else (plan.adapter.dtype if plan.adapter is not None else precision.state)
    implementation = plan.optimizer.impl or plan.optimizer_impl
    if implementation == "foreach" and plan.optimizer.step_temp:
        count = int(train.elements * plan.optimizer.step_temp)
        why = plan.because("optimizer_impl", "optimizer", "shard")
        yield tensor(Bucket.BUFFERS, "step.foreach-temporaries", why, (("element", count),), size, ranks=over)
    elif implementation == "for-loop":
        shape = (("temporary", 2), ("element", train.largest))
        yield tensor(Bucket.BUFFERS, "step.for-loop-temporaries", plan.because("optimizer_impl"), shape, size)


def _shared(plan: Plan, whole: Term, over: int) -> Term:
    """A term of all parameters, or all that train, as one rank has it: without a shape where experts are split over other ranks than
    the rest."""
    part = of_size(replace(whole, bytes=share(plan, whole.bytes, over), ranks=over))
    return part if part.shape else replace(part, detail=f"{whole.arithmetic} / {over} ranks, experts over fewer")


def share(plan: Plan, count: int, over: int) -> int:
    """Bytes on each rank of what lies over all parameters of this rank. Experts have fewer replicas, so fewer ranks to split over:
    megatron-core 0.14.0 parallel_state.py, expert data parallelism; torchtitan 0.2.2 distributed/parallel_dims.py."""
    parallel = plan.parallel
    ranks = max(1, over * parallel.tensor // (parallel.expert * parallel.expert_tensor))
    if ranks == over or over == 1 or not plan.full:
        return split(count, over)
    experts = count * plan.expert_elements // plan.shape.total
    return split(count - experts, over) + split(experts, ranks)


def split(count: int, over: int) -> int:
    """Bytes on each of ``over`` ranks; the last rank is padded, so rounded up."""
    return -(-count // over)
