"""From a run's settings to plans: defaults named, unknowns marked, version-dependent readings spelled out as alternatives."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from budgetlint.base.record import open_record, replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.device import Device
from budgetlint.catalog.own_layers import OWN, counted, with_own
from budgetlint.memory import evaluation, roles, rollouts
from budgetlint.memory.code import pick, with_code
from budgetlint.memory.degrees import parallel_of
from budgetlint.memory.layout import accumulates_unreduced, least, model_parallel, sharding
from budgetlint.memory.levers import by_family, fused_kernels, kernel_of, loss_of, recompute_of
from budgetlint.memory.method import adapter_of, optimizer_of, quant_of, wide_embedding
from budgetlint.memory.notes import Assumption, Notes
from budgetlint.memory.parallel import ALONE, Parallel
from budgetlint.memory.plan import HEADLESS, Accumulation, Plan, Precision, Sharding
from budgetlint.memory.recipe import beside_quantised, precision_of
from budgetlint.memory.row_length import is_a_cap, is_limit, joins
from budgetlint.memory.shape import shape_of
from budgetlint.memory.unmodelled import models_of, refuse
from budgetlint.memory.versions import DROPS_GRADIENTS_SINCE, LOADS_LAZILY_SINCE, by_version
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings, Stack


@open_record
class Planned:
    """``plans``: the best reading first, then every other that the known facts allow. ``missing``: settings without which
    one end of the estimate stays open."""

    plans: tuple[Plan, ...]
    missing: tuple[str, ...]
    assumptions: tuple[Assumption, ...]


def plan_run(settings: Settings, stack: Stack, arch: Architecture | None, device: Device | None) -> Planned:
    """Plans of one run on one device, or none when the model is not known."""
    notes = Notes()
    if arch is None:
        return Planned((), tuple(dict.fromkeys(models_of(settings))) or ("model",), ())
    stack = with_code(settings, stack)
    plans = [_plan(read, stack, arch, device, notes) for either in _adapted_or_not(settings)
             for stored in _stored(either, arch, notes) for read in readings(stored)]  # fmt: skip
    if arch.part("vision") is not None and arch.kind == "decoder":
        from budgetlint.memory.sight import views  # text models need none of it

        plans = [view for plan in plans for view in views(plan, settings, notes)]
    if arch.kind == "encoder-decoder":
        from budgetlint.memory.lengths import padded_or_not

        plans = [either for plan in plans for either in padded_or_not(plan, settings)]
    variants = [variant for plan in plans for base in least(plan, settings, stack) for variant in by_version(base, stack)]
    first = plans[0]
    if is_a_cap(settings):
        longest = f"{settings['seq_len'].value:,} tokens"
        notes.assume(f"nothing packs or pads to seq_len: the figures are for a batch whose longest sample has {longest}", "seq_len")
    notes.missing.extend(setting.name for setting in settings.values() if setting.state == "symbolic" and setting.readings)
    read = first.seq if first.shape.encoder is None else first.seq and first.source
    for name, value in (("batch", first.batch), ("seq", read)):
        if value is None:
            notes.missing.append({"batch": "micro_batch", "seq": "seq_len"}[name])
    missing = tuple(dict.fromkeys(notes.missing))
    return Planned(_unique(variants), missing, tuple(notes.assumptions))


def _adapted_or_not(settings: Settings) -> Iterator[Settings]:
    """Where a variable or the program decides whether an adapter trains: as if none did, and as if LoRA did."""
    yield settings
    adapter = settings.get("adapter")
    if adapter is not None and not adapter.known and not adapter.readings:
        yield settings.having(replace(adapter, value="lora", state="known"))


def _stored(settings: Settings, arch: Architecture, notes: Notes) -> Iterator[Settings]:
    """``auto`` is the checkpoint's own dtype. Encoders are published in fp32 (BERT, ViT, XLM-R, Whisper to large-v2) and in 16 bit (Whisper
    large-v3, ModernBERT's kin): where the row does not say, both."""
    loaded = settings.get("weights_dtype")
    if arch.kind == "decoder" or arch.checkpoint_dtype or loaded is None or "auto" not in (loaded.value, *loaded.readings):
        yield settings
        return
    notes.assume(f"in which dtype the checkpoint of {arch.name} is stored is not known: fp32, or 16 bit", "weights_dtype")
    for dtype in ("fp32", "fp16"):
        kept = tuple(dtype if one == "auto" else one for one in loaded.readings)
        yield settings.having(replace(loaded, value=dtype if loaded.value == "auto" else loaded.value, readings=kept))


def _unique(plans: list[Plan]) -> tuple[Plan, ...]:
    kept: list[Plan] = []
    seen: list[tuple[Any, ...]] = []
    for plan in plans:
        read = _READ(plan)
        if read not in seen:
            kept.append(plan)
            seen.append(read)
    return tuple(kept)


_READ = attrgetter(
    "precision", "accumulation", "optimizer", "optimizer_impl", "loss", "recompute", "attention", "sharding", "quant", "adapter",
    "seq", "seq_is_limit", "completion", "beside", "rollout", "padded", "vision", "parallel", "compiled",
)  # fmt: skip
"""What two readings of one run can differ in."""


def readings(settings: Settings) -> Iterator[Settings]:
    """How settings read whose value depends on an unknown framework version: all as the newest version has it, then all as
    the oldest has it. (They change together, so mixtures do not exist.) What a program decides unseen reads at both its ends."""
    unsettled = [setting for setting in settings.values() if not setting.known and setting.readings]
    yield _read_as(settings, unsettled, 0)
    if unsettled:
        yield _read_as(settings, unsettled, -1)


def _read_as(settings: Settings, unsettled: list[Setting], index: int) -> Settings:
    return settings.having(*[replace(setting, value=setting.readings[index], state="known") for setting in unsettled])


def _plan(settings: Settings, stack: Stack, arch: Architecture, device: Device | None, notes: Notes) -> Plan:
    arch = _with_own(_as_run(settings, stack, arch), settings, notes)
    adapter = adapter_of(settings, arch, notes, stack)
    refuse(settings, notes)
    shard, parallel, pipelined = _layout(settings, stack, arch, notes)
    settings = _with_default_precision(settings, arch, notes)
    precision = precision_of(settings, adapter=adapter is not None, shard=shard.kind)
    quant = quant_of(settings, notes)
    precision = beside_quantised(precision, settings, quant.compute) if quant is not None else precision
    optimizer = optimizer_of(settings, notes)
    plan = Plan(
        arch=arch,
        shape=shape_of(arch),
        precision=precision,
        optimizer=optimizer,
        optimizer_impl=settings.value("optimizer_impl", "") or optimizer.impl,
        optimizer_in_backward=bool(settings.value("optimizer_in_backward", False)),
        wide_embedding=wide_embedding(settings, optimizer, stack),
        adapter=adapter,
        quant=quant,
        sharding=shard,
        accumulation=_accumulation(settings, stack, shard, precision, pipelined=pipelined),
        model_split=model_parallel(settings)[1] if parallel is None else 1,
        parallel=parallel or ALONE,
        model_code=stack.model_code,
        eager_modules=stack.at_least("torch", LOADS_LAZILY_SINCE) is False,
        head=settings.value("model_head", ""),
        **_workload(settings, arch, notes),
        **_computation(settings, stack, arch, precision, notes),
        beside=roles.beside(settings, arch, notes, adapter=adapter is not None, size=precision.weights),
        rollout=rollouts.rollout_of(settings, notes),
        scoring=settings.value("scoring_batch"),
        device=device,
        origins=dict(settings.items()),
    )
    if not plan.compiled.scope:
        return plan
    from budgetlint.memory import compiled  # few runs are compiled

    plan = replace(plan, attention=compiled.attention(plan, plan.attention))
    compiled.note(plan, notes)
    return plan


def _accumulation(settings: Settings, stack: Stack, shard: Sharding, precision: Precision, *, pipelined: bool) -> Accumulation:
    code = pick(stack)
    left_behind = code.leaves_gradients(stack, precision.grads)
    return Accumulation(
        unreduced=accumulates_unreduced(settings, stack, shard, pipelined=pipelined),
        one_buffer=code.gradient_buffer and not left_behind,
        zeroed=stack.at_least("torch", DROPS_GRADIENTS_SINCE) is False,
        left_behind=left_behind,
    )


def _as_run(settings: Settings, stack: Stack, arch: Architecture) -> Architecture:
    """The architecture as this run's code builds it."""
    arch = pick(stack).as_built(arch)
    if arch.kind == "decoder" and settings.value("model_head") in HEADLESS:
        arch = replace(arch, tied=True)  # no table of its own at the end
    return arch


def _with_own(arch: Architecture, settings: Settings, notes: Notes) -> Architecture:
    """With the layers that the program puts around the model."""
    text = settings.value(OWN)
    if not text:
        return arch
    parameters = counted(str(text), arch.hidden)
    if parameters is None:
        notes.missing.append(OWN)
        return arch
    if parameters:
        notes.assume(f"{parameters:,} parameters of the program's own layers train too; what these keep for their gradients is small", OWN)
    return with_own(arch, parameters)


def _layout(settings: Settings, stack: Stack, arch: Architecture, notes: Notes) -> tuple[Sharding, Parallel | None, bool]:
    """How data and model are split over devices, and whether FSDP works inside a pipeline."""
    shard = sharding(settings, notes)
    parallel = parallel_of(settings, stack, arch, notes)
    pipelined = parallel is not None and parallel.pipeline > 1 and shard.is_fsdp
    if pipelined and not pick(stack).reshards_in_pipeline and "reshard_after_forward" not in settings:
        shard = replace(shard, reshard=False)
    return shard, parallel, pipelined


def _workload(settings: Settings, arch: Architecture, notes: Notes) -> dict[str, Any]:
    """Fields of `Plan`: how many sequences of what length."""
    fields = _sequences(settings)
    if arch.kind in ("decoder", "encoder"):
        return fields
    from budgetlint.memory.lengths import lengths_of  # images, sound and targets

    return {**fields, **lengths_of(settings, arch, notes)}


def _sequences(settings: Settings) -> dict[str, Any]:
    return {
        "batch": _times(settings.value("micro_batch"), roles.sequences(settings)),
        "seq": settings.value("seq_len"),
        "accum": settings.value("grad_accum", 1) or 1,
        "seq_is_limit": is_limit(settings),
        "cutoff": _cuts(settings),
        "lone": roles.sequences(settings) if is_a_cap(settings) and settings.value("padding_free") else 0,
        "completion": settings.value("completion_len"),
        "eval_batch": _evaluated(settings),
    }


def _computation(settings: Settings, stack: Stack, arch: Architecture, precision: Precision, notes: Notes) -> dict[str, Any]:
    """Fields of `Plan`: how a layer and the loss are computed."""
    kernels = by_family(loss_of(settings), fused_kernels(settings), arch)
    return {
        "recompute": recompute_of(settings, stack),
        "attention": kernel_of(settings, arch, precision.compute, notes),
        **kernels,
        **evaluation.fields_of(settings, stack, arch, kernels["kernels"]),
        "repeat_kv": pick(stack).repeats_keys(settings, arch, stack),
        "expert_loop": bool(arch.experts) and pick(stack).loops_experts(stack),
        "compiled": pick(stack).compiled(settings, stack),
    }


def _evaluated(settings: Settings) -> int | None:
    if not settings.value("eval_on") or not settings.value("seq_len"):
        return None
    return _times(settings.value("eval_batch"), roles.sequences(settings))


def _times(count: int | None, factor: int) -> int | None:
    return count if count is None else count * factor


def _cuts(settings: Settings) -> bool:
    """Nobody wrote the length: a framework's default cuts samples there, a batch is as long as its longest sample, and nothing
    packs or pads up to it. A length that is written is the length that the run must be able to take, unless it is one that cuts nothing."""
    length = settings.get("seq_len")
    if length is None or joins(settings):
        return False
    return length.origin.kind is OriginKind.DEFAULT or (is_a_cap(settings) and (length.value or 0) >= CUTS_NOTHING)


CUTS_NOTHING = 32_768
"""A limit from here on is written so that nothing is cut (LLaMA-Factory ``cutoff_len: 32768`` with 48 samples a batch): no sample need
come near it."""


def _with_default_precision(settings: Settings, arch: Architecture, notes: Notes) -> Settings:
    loaded = settings.value("weights_dtype")
    if loaded == "auto":
        kept = arch.checkpoint_dtype or "bf16"
        notes.assume(f"the checkpoint of {arch.name} is stored in {kept}", "weights_dtype")
        return settings.under(Settings([replace(settings["weights_dtype"], value=kept)]))
    stated = any(name in settings for name in ("precision", "weights_dtype", "autocast", "engine_dtype"))
    if not stated:
        notes.assume("no precision is stated: bf16 with an fp32 master copy", "precision")
        return settings.filled([Setting("precision", "bf16", Origin(OriginKind.DEFAULT, note="budgetlint default"), "bf16")])
    return settings
