"""How devices share the model: sharding, over how many ranks each part is split, model parallelism, and what stays open.

A degree or a file that nobody here can see leaves the answer open: the low end is then that of the most favorable layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from budgetlint.base.record import replace
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.memory.code import pick
from budgetlint.memory.notes import Notes
from budgetlint.memory.parallel import DEGREES, is_naive
from budgetlint.memory.plan import DTYPE_BYTES, Plan, Precision, Recompute, Sharding, Zero
from budgetlint.memory.unmodelled import may_save
from budgetlint.settings.run import SAID, OriginKind, Settings, Stack


def sharding(settings: Settings, notes: Notes) -> Sharding:
    devices = _devices(settings)
    kind = settings.value("shard")
    if kind is None:
        kind = "ddp" if (devices or 1) > 1 else "none"
        if kind == "ddp":
            notes.assume("several devices and no shard: ddp", "shard")
            if may_be_sharded(settings):
                notes.assume(
                    "no file here says how the devices share the model: the low end is that of full sharding with offload", "shard"
                )
    if devices is None and kind not in ("none", "ddp"):
        notes.missing.append("devices")
        notes.assume("the number of devices is not stated: the high end is that of one or two, the low end that of very many", "devices")
    split = max(1, (devices or 1) // _degree(settings, SPLITTING[:1] if is_naive(settings) else SPLITTING))
    if kind == "ddp" and split == 1:
        kind = "none" if devices is not None else kind
    strategy = settings.value("shard_strategy", "full")
    group, replicas = (1, 1) if strategy == "no-shard" else _group(settings, kind, strategy)
    over = _over(kind, _together(split, group, replicas), split)
    return Sharding(
        kind=kind,
        strategy=strategy,
        world=split,
        params_over=over[0],
        grads_over=over[1],
        states_over=over[2],
        reshard=bool(settings.value("reshard_after_forward", strategy not in ("grad-op", "hybrid-grad-op"))),
        offload_optimizer=settings.value("offload_optimizer", "none") != "none",
        offload_params=settings.value("offload_params", "none") != "none" and kind not in _WHOLE_PARAMETERS,
        wrap=settings.value("wrap", "layer"),
        zero=_zero(settings, kind),
        group=group,
        replicas=replicas,
        reduce_bytes=DTYPE_BYTES.get(settings.value("reduce_dtype", ""), 0),
    )


def _group(settings: Settings, kind: str, strategy: str) -> tuple[int, int]:
    """Ranks of a shard group (0: all) and how many groups hold the same. Hybrid sharding without a size has one group a machine (torch
    2.13 _init_utils.py ``_init_intra_and_inter_node_groups``); DeepSpeed's MiCS (0.18.6 zero/mics.py) states one at stage 3."""
    size, replicas = settings.value("shard_size"), settings.value("shard_replicas")
    if kind == "zero3":
        return max(0, int(size or 0)), 1
    if not strategy.startswith("hybrid"):
        return 0, 1
    if size or replicas:
        return max(0, int(size or 0)), max(1, int(replicas or 1))
    return int(settings.value("devices_per_node") or 0), 1


def _together(world: int, group: int, replicas: int) -> int:
    """Ranks that hold one copy together."""
    return min(world, group) if group else max(1, world // replicas)


def _devices(settings: Settings) -> int | None:
    """As stated, or the product of all degrees."""
    stated: int | None = settings.value("devices")
    replicas = settings.value("data_parallel")
    return stated or (replicas * _degree(settings, DEGREES[:3]) if replicas else None)


def accumulates_unreduced(settings: Settings, stack: Stack, shard: Sharding, *, pipelined: bool = False) -> bool:
    """FSDP under ``no_sync``: some trainers reduce in the last micro batch only, others in each.
    accelerate has it for FSDP2 since 1.11 (accelerator.py ``no_sync``): before, two micro batches of gpt-oss-20b took 21 GiB where
    the whole gradients alone are 39 (axolotl examples/gpt-oss/README.md). A pipeline reduces after the last micro batch (torch 2.9
    distributed/pipelining/stage.py ``backward_maybe_with_nosync``)."""
    if pipelined and shard.grads_over > 1:
        return True
    if not shard.is_fsdp or shard.grads_over == 1 or (settings.value("grad_accum", 1) or 1) == 1:
        return False
    if shard.kind == "fsdp2" and stack.at_least("accelerate", "1.11") is False:
        return False
    return pick(stack).accumulates_unreduced(settings, stack)


MOST_RANKS = 1024
"""What an unknown degree (``--tensor-model-parallel-size $TP``) may be where the number of devices is not known either."""


SPLITTING = ("tensor_parallel", "pipeline_parallel")
"""Degrees that take ranks from data parallelism. Ranks of one sequence or of one set of experts hold different shards: torchtitan
distributed/parallel_dims.py (fsdp mesh = dp_shard x cp), verl ulysses (FSDP over all ranks), megatron-core (optimizer over dp x cp)."""


def _degree(settings: Settings, names: tuple[str, ...]) -> int:
    return prod(int(settings.value(name, 1) or 1) for name in names)


def model_parallel(settings: Settings) -> tuple[int, int]:
    """Over how many ranks the model is split: by the degrees that are known, and at most where one is not."""
    known = _degree(settings, DEGREES)
    if all(settings[name].known for name in DEGREES if name in settings):
        return known, known
    return known, max(known, int(settings.value("devices") or MOST_RANKS))


def with_world(plan: Plan, world: int) -> Plan:
    """The same run on ``world`` data-parallel ranks."""
    over = _over(plan.sharding.kind, _together(world, plan.sharding.group, plan.sharding.replicas), world)
    return replace(plan, sharding=replace(plan.sharding, world=world, params_over=over[0], grads_over=over[1], states_over=over[2]))


def _over(kind: str, group: int, world: int) -> tuple[int, int, int]:
    """Over how many ranks parameters, gradients and states are split, of ``world``, where ``group`` of them hold one copy."""
    return {
        "zero1": (1, 1, world),
        "zero2": (1, world, world),
        "zero3": (group, group, group),
        "fsdp": (group, group, group),
        "fsdp2": (group, group, group),
    }.get(kind, (1, 1, 1))


def _zero(settings: Settings, kind: str) -> Zero:
    base = Zero(overlap=kind == "zero3")
    names = {
        "reduce_bucket": "zero_bucket", "allgather_bucket": "zero_allgather_bucket", "overlap": "zero_overlap",
        "contiguous": "zero_contiguous", "secondary": "zero_secondary",
        "prefetch": "zero_prefetch", "persist": "zero_persistence", "max_live": "zero_max_live", "sub_group": "zero_sub_group",
    }  # fmt: skip
    changes: dict[str, Any] = {name: value for name, key in names.items() if (value := settings.value(key)) is not None}
    if changes.get("max_live", base.max_reuse) < base.max_reuse:  # no setting says the distance: configs that lower one lower both
        changes["max_reuse"] = changes["max_live"]
    return replace(base, **changes)


# -- what the files leave open -------------------------------------------------------------------------------------------


def _shard_is_unknown(settings: Settings) -> bool:
    """The file that would say it is not here (``--deepspeed $DS``, a config outside the repository)."""
    shard = settings.get("shard")
    return shard is not None and not shard.known and not (shard.readings and set(shard.readings) <= _VERSIONS_OF_FSDP)


_VERSIONS_OF_FSDP = frozenset({"fsdp", "fsdp2"})
"""Only the version is not known: both share over the ranks that there are."""


def may_be_sharded(settings: Settings) -> bool:
    """A config trains on the budget's devices, and no launch command was seen: a launcher's config may shard it."""
    if _shard_is_unknown(settings):
        return True
    counts = [settings[name].origin.kind for name in ("devices", "devices_per_node") if name in settings]
    by_budget = bool(counts) and all(kind is OriginKind.BUDGET for kind in counts)
    model = settings.get("model")
    return by_budget and "shard" not in settings and model is not None and model.origin.kind not in SAID


def _is_unknown_optimizer(plan: Plan, settings: Settings) -> bool:
    """The catalog has no row of that name: AdamW stands in its place."""
    named = settings.value("optimizer")
    return bool(named) and named != plan.optimizer.name and not isinstance(find_optimizer(str(named)), Optimizer)


_WHOLE_PARAMETERS = ("zero1", "zero2")
"""DeepSpeed offloads parameters at stage 3 only (0.18.2 and 0.19.8 ``runtime/zero/config.py`` offload_param: "Valid only with stage 3")."""
_LEAST = Zero(0, 0, max_live=0)


def _as_the_engine_has_it(precision: Precision) -> Precision:
    """DeepSpeed's own 16 bit takes the place of autocast over fp32 weights (recipe.py): no copies, a 16-bit residual stream."""
    size = precision.compute
    return replace(precision, weights=size, grads=size, autocast=False) if precision.autocast else precision


def least(plan: Plan, settings: Settings, stack: Stack) -> Iterator[Plan]:
    """The plan, and the least it can be where the files leave open what decides: ZeRO-3 with everything offloaded where nobody says
    how the devices share the model, no state at all where nobody says what is frozen, an accelerate that reduces in each micro batch."""
    yield plan
    unknown, frozen = _shard_is_unknown(settings), "freeze" in settings and not settings["freeze"].known
    world = plan.sharding.world if plan.sharding.world > 1 else MOST_RANKS
    lowest = plan
    if (plan.sharding.kind == "ddp" or unknown) and may_be_sharded(settings):
        over = Sharding("zero3", "full", world, world, world, world, offload_optimizer=True, offload_params=True, zero=_LEAST)
        lowest = replace(lowest, sharding=over, precision=_as_the_engine_has_it(plan.precision))
    stateless = find_optimizer("lomo")
    if frozen and plan.full and isinstance(stateless, Optimizer):
        # frozen layers below the first that trains keep nothing for a backward: about what checkpoints keep
        lowest = replace(lowest, optimizer=stateless, precision=replace(plan.precision, master=0), recompute=Recompute("full"))
    if _is_unknown_optimizer(plan, settings) and isinstance(stateless, Optimizer):
        lowest = replace(lowest, optimizer=stateless, precision=replace(plan.precision, master=0))
    if may_save(settings):
        lowest = replace(
            lowest, batch=1, seq=1, sharding=Sharding("zero3", "full", world, world, world, world, True, True, True, zero=_LEAST)
        )
    if plan.accumulation.unreduced and plan.sharding.kind == "fsdp2" and stack.at_least("accelerate", "1.11") is None:
        lowest = replace(lowest, accumulation=replace(plan.accumulation, unreduced=False))
    if lowest is not plan:
        yield lowest
