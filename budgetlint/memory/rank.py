"""The plan of one rank: what tensor, pipeline and expert parallelism leave of the model there, tensor by tensor.

Sources: megatron-core 0.14.0 ``tensor_parallel/layers.py`` (``ColumnParallelLinear`` splits outputs and its bias,
``RowParallelLinear`` inputs only, ``VocabParallelEmbedding`` rows), ``transformer/attention.py`` (fewer key heads than ranks are
repeated), ``models/common/embeddings/language_model_embedding.py`` (positions whole, on the first stage),
``models/common/language_module/language_module.py`` (a tied head on another stage is a copy with states of its own),
``transformer/moe/experts.py`` (experts divided by ranks).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from budgetlint.base.record import replace
from budgetlint.catalog import ledger
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.tensor import WeightTensor
from budgetlint.memory.parallel import Parallel, Stage
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved, total
from budgetlint.memory.shape import Linear, Shape, shape_of

COLUMN = frozenset(
    {"q_proj", "k_proj", "v_proj", "qkv_proj", "q_b_proj", "kv_b_proj", "gate_proj", "up_proj", "gate_up_proj"}
    | {"expert_gate_proj", "expert_up_proj", "expert_gate_up_proj", "shared_gate_proj", "shared_up_proj", "shared_gate_up_proj"}
)
"""Roles whose outputs are split; routers and the latent projections of MLA stay whole."""

ROW = frozenset({"o_proj", "down_proj", "expert_down_proj", "shared_down_proj"})
"""Roles whose inputs are split; their bias stays whole."""


def rank_plans(plan: Plan) -> tuple[Plan, ...]:
    """The run as the ranks see it that can be the worst; the plan itself where nothing but data is split."""
    parallel = plan.parallel
    if not parallel.on or plan.stage is not None:
        return _by_partition(plan)
    return tuple(_on_stage(plan, *part) for part in _parts(plan.arch, parallel))


def _by_partition(plan: Plan) -> tuple[Plan, ...]:
    """Under ZeRO-1 and 2 ranks differ by the tensors that touch their partition."""
    sharding = plan.sharding
    if not plan.runs_deepspeed or sharding.kind == "zero3" or sharding.rank is not None or sharding.states_over == 1:
        return (plan,)
    from budgetlint.memory import static, zero, zero_reduce

    ranks = zero_reduce.candidates(zero.order_of(plan, static.trainable(plan)))
    return tuple(replace(plan, sharding=replace(sharding, rank=rank)) for rank in ranks)


@lru_cache(maxsize=512)
def _parts(arch: Architecture, parallel: Parallel) -> tuple[tuple[Stage, Architecture, Shape], ...]:
    from budgetlint.memory.pipeline import stages  # most runs have one

    found = stages(arch.layers, parallel, smaller=bool(arch.experts and arch.first_dense_layers))
    return tuple((stage, rank_architecture(arch, parallel, stage), rank_shape(arch, parallel, stage)) for stage in found)


def _on_stage(plan: Plan, stage: Stage, arch: Architecture, shape: Shape) -> Plan:
    batch = plan.batch if plan.parallel.micro_size is None or plan.batch is None else min(plan.batch, plan.parallel.micro_size)
    accum = max(plan.accum, plan.parallel.micro_batches or plan.parallel.pipeline) if stage.of > 1 else plan.accum
    return replace(plan, arch=arch, shape=shape, stage=stage, batch=batch, accum=accum)


def misplaced(plan: Plan, layer: Iterable[Saved]) -> int:
    """What one layer more on a device costs where ``device_map`` places layers by their size (accelerate 1.15 utils/modeling.py
    ``infer_auto_device_map`` fills one device after the other)."""
    if plan.stage is None or plan.parallel.schedule != "naive" or plan.stage.of == 1:
        return 0
    kept = 0 if plan.recompute.on else total(layer, plan.tokens, plan.length)
    return plan.shape.layer_total * plan.precision.weights + kept


def over(count: int, ranks: int) -> int:
    return -(-count // ranks)


# -- sizes -------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def rank_architecture(arch: Architecture, parallel: Parallel, stage: Stage) -> Architecture:
    """Widths as one rank computes with them. The hidden size stays whole: it is what the ranks exchange."""
    tensor = parallel.tensor
    inner = arch.moe_intermediate or (arch.intermediate if arch.experts else None)
    return replace(
        arch,
        layers=stage.layers,
        heads=over(arch.heads, tensor),
        kv_heads=over(arch.kv_heads, tensor),
        intermediate=over(arch.intermediate, tensor),
        moe_intermediate=over(inner, parallel.expert_tensor) if inner else None,
        shared_intermediate=over(arch.shared_intermediate, tensor) if arch.shared_intermediate else arch.shared_intermediate,
        vocab=_rows(arch, parallel) if parallel.logits else arch.vocab,
        first_dense_layers=arch.first_dense_layers if stage.first else None,
    )


def _rows(arch: Architecture, parallel: Parallel) -> int:
    """Rows of a vocabulary table on one rank."""
    return over(over(arch.vocab, parallel.tensor), parallel.step) * parallel.step if parallel.tensor > 1 else arch.vocab


@lru_cache(maxsize=512)
def rank_shape(arch: Architecture, parallel: Parallel, stage: Stage) -> Shape:
    """Element counts of one rank."""
    whole = shape_of(arch)
    layer = tuple(_linear(linear, arch, parallel) for linear in whole.layer)
    small = whole.layer_small - _split_away(arch, parallel)
    dense = (arch.first_dense_layers or 0) if arch.experts and stage.first else 0
    usual = max(0, stage.layers - dense)
    rows = _rows(arch, parallel)
    embed = (_table(whole.embed, arch, rows) if parallel.embedding else whole.embed) if stage.first else 0
    copied = stage.of > 1 and arch.tied and not stage.first
    head = _table(whole.head or (whole.embed if copied else 0), arch, rows) if stage.last else 0
    final = whole.final_norm if stage.last else 0
    other = _other(arch, parallel, stage, whole)
    total = usual * (sum(linear.weights for linear in layer) + small) + embed + head + final + other
    return Shape(arch, usual, layer, small, embed, head, final, other, total, tower=whole.tower, odd=whole.odd)


def _table(elements: int, arch: Architecture, rows: int) -> int:
    return elements * rows // arch.vocab


def _linear(linear: Linear, arch: Architecture, parallel: Parallel) -> Linear:
    ranks = parallel.expert_tensor if linear.role.startswith("expert_") else parallel.tensor
    experts = over(linear.experts, parallel.expert) if linear.role.startswith("expert_") else linear.experts
    inputs, outputs = linear.inputs, linear.outputs
    if linear.role in COLUMN:
        outputs = _outputs(linear.role, outputs, arch, ranks)
    elif linear.role in ROW:
        inputs = over(inputs, ranks)
    return replace(linear, inputs=inputs, outputs=outputs, experts=experts)


def _outputs(role: str, outputs: int, arch: Architecture, ranks: int) -> int:
    """Key heads that do not suffice for all ranks are repeated."""
    keys = over(arch.kv_heads, ranks) * arch.head_dim
    if role in ("k_proj", "v_proj"):
        return keys
    if role == "qkv_proj":
        return over(arch.q_width, ranks) + 2 * keys
    return over(outputs, ranks)


def _split_away(arch: Architecture, parallel: Parallel) -> int:
    """Elements of the norms and biases of one layer that other ranks hold: biases of column-parallel linears, of experts."""
    roles = {tensor.module: tensor.role for tensor in ledger.weight_tensors(arch) if tensor.kind in ("linear", "experts")}
    usual = shape_of(arch).layers
    return sum(
        tensor.numel * tensor.per_layer - _here(tensor, roles.get(tensor.module, ""), arch, parallel)
        for tensor in ledger.weight_tensors(arch)
        if tensor.kind == "bias" and tensor.where == "layer" and tensor.layers >= usual
    )


def _here(tensor: WeightTensor, role: str, arch: Architecture, parallel: Parallel) -> int:
    expert = role.startswith("expert_")
    ranks, copies = (parallel.expert_tensor, over(tensor.per_layer, parallel.expert)) if expert else (parallel.tensor, tensor.per_layer)
    return copies * (_outputs(role, tensor.rows, arch, ranks) if role in COLUMN else tensor.numel)


def _other(arch: Architecture, parallel: Parallel, stage: Stage, whole: Shape) -> int:
    """Position tables and first dense layers lie on the first stage, biases of the head on the last. A dense layer is split like
    the others, less its norms, which are too small to tell apart."""
    positions = sum(tensor.elements for tensor in ledger.weight_tensors(arch) if tensor.role == "pos_embed")
    rest = whole.other - positions
    dense = bool(arch.experts and arch.first_dense_layers)
    count = positions if stage.first else 0
    if stage.first if dense else stage.last:
        count += over(rest, parallel.tensor) if dense else rest
    return count
