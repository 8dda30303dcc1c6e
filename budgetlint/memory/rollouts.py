"""Rollouts: what a run holds while it writes what it then trains on.

The trained model's own ``generate`` (engine ``hf``): transformers 5.24 ``generation/utils.py`` (``_prefill``, ``_sample``),
``cache_utils.py`` ``DynamicLayer.update`` (``torch.cat``: old and new tensor of one layer side by side). How many sequences: TRL
1.16 ``grpo_trainer.py`` ``_generate_single_turn``, ``grpo_config.py`` (``per_device_train_batch_size * steps_per_generation``);
``ds3_gather_for_generation`` in ``models/utils.py`` ``unwrap_model_for_generation``.

An engine beside it: vLLM ``v1/worker/gpu_worker.py`` ``determine_available_memory``: weights, peak activations and KV cache take
``gpu_memory_utilization`` of the device's total. First releases of V1 counted what the trainer already held into that share, later
ones count from a snapshot: the low end is the former. SGLang (``mem_fraction_static``), and vLLM as verl had it before 0.7, take a
share of what is free when they start, which lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from budgetlint.base.record import replace
from budgetlint.memory import activations, sharded
from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Phase, Range
from budgetlint.memory.need import PPM, totals
from budgetlint.memory.notes import Notes
from budgetlint.memory.plan import Plan, Recompute, RolloutPlan
from budgetlint.memory.roles import ROLLOUTS
from budgetlint.memory.saved import residual_bytes
from budgetlint.memory.term import Bucket, Part, Term, tensor
from budgetlint.settings.run import Settings

if TYPE_CHECKING:
    from budgetlint.memory.step import Step

OWN = "hf"
SAMPLING = (("output", 4), ("fp32-copy", 4), ("probabilities", 4))
"""Tensors of a vocabulary entry in one decoding step, with bytes an element (``_sample``)."""

_WHY = ("rollout_engine", "rollout_batch", "completion_len", "seq_len")


# -- from settings -------------------------------------------------------------------------------------------------------


def rollout_of(settings: Settings, notes: Notes) -> RolloutPlan | None:
    """What generates on the training devices; None where nothing does. What cannot be known is named in ``notes.missing``."""
    engine = settings.value("rollout_engine")
    if engine is None and settings.value("task") not in ROLLOUTS:
        return None
    if settings.value("rollout_on") == "other" and engine != OWN:
        notes.assume("rollouts are made on other devices: they take nothing here", "rollout_on")
        return None
    if engine is None:
        notes.missing.append("rollout_engine")
        return None
    return _own(settings, notes) if engine == OWN else _beside(str(engine), settings, notes)


def _own(settings: Settings, notes: Notes) -> RolloutPlan | None:
    batch = settings.value("rollout_batch")
    if batch is None:
        micro = settings.value("micro_batch")
        batch = None if micro is None or "rollout_batch" in settings else micro * (settings.value("grad_accum", 1) or 1)
    if batch is None:
        notes.missing.append("rollout_batch")
        return None
    notes.assume(f"rollouts: the model generates {batch:,} sequences at a time, each up to its full length", "rollout_batch")
    return RolloutPlan(OWN, batch=batch, gathers=bool(settings.value("rollout_gathers", True)))


SHARING = frozenset({"vllm", "sglang"})
"""Engines that take a share of the device; what others take is not known."""


def _beside(engine: str, settings: Settings, notes: Notes) -> RolloutPlan | None:
    if engine not in SHARING:
        notes.missing.append("rollout_engine")
        return None
    share = settings.value("rollout_memory")
    if share is None or not 0 < share < 1:
        notes.missing.append("rollout_memory")
        return None
    sleeps = bool(settings.value("rollout_sleeps", False))
    when = "while it generates, nothing while the policy trains" if sleeps else "all the time"
    notes.assume(f"{engine} takes {share:.0%} of the device {when}", "rollout_memory")
    frees = frozenset(settings.value("rollout_frees", ()) or ())
    return RolloutPlan(engine, share_ppm=round(share * PPM), sleeps=sleeps, frees=frees)


# -- the engine's share --------------------------------------------------------------------------------------------------


def share(plan: Plan) -> int:
    """Bytes that an engine beside the model takes; 0 where there is none or the device is not known."""
    return _part(plan, plan.totals[1]) if plan.totals is not None else 0


def _part(plan: Plan, total: int) -> int:
    return total * plan.rollout.share_ppm // PPM if plan.rollout is not None else 0


def unsized(plan: Plan) -> bool:
    """An engine takes a share of a device that is not known."""
    return plan.rollout is not None and plan.rollout.share_ppm > 0 and plan.totals is None


def sized(plan: Plan, phases: tuple[Phase, ...], ends: Callable[[Phase], tuple[int, int]]) -> Plan:
    """The plan on the smallest device that holds it: what the trainer needs there is the part that the engine leaves."""
    totals_of = [_smallest(plan, phase, *ends(phase)) for phase in phases]
    return replace(plan, totals=tuple(max(column) for column in zip(*totals_of, strict=True)))


def _smallest(plan: Plan, phase: Phase, low: int, high: int) -> tuple[int, int, int]:
    need = totals(Range(phase.bytes, low, high), None, plan.ranks).need
    left = PPM - (plan.rollout.share_ppm if plan.rollout is not None and _awake(plan, phase.name) else 0)
    return need.low * PPM // left, need.bytes * PPM // left, (need.high or 0) * PPM // left


def share_in(plan: Plan, phase: str) -> int:
    """The share in one phase: an engine that sleeps has it while it generates."""
    return share(plan) if _awake(plan, phase) else 0


def _awake(plan: Plan, phase: str) -> bool:
    return plan.rollout is not None and phase != "load" and (phase == "rollout" or not plan.rollout.sleeps)


def unsure_share(plan: Plan, phase: str) -> tuple[int, int]:
    """How much less and how much more the share can be: the device's total is a range."""
    if plan.totals is None or not _awake(plan, phase):
        return 0, 0
    least, best, most = (_part(plan, total) for total in plan.totals)
    return best - least, most - best


def always(plan: Plan) -> Iterator[Term]:
    """The share of an engine that never sleeps."""
    if plan.rollout is not None and not plan.rollout.sleeps:
        yield from _share(plan)


def _share(plan: Plan) -> Iterator[Term]:
    rollout = plan.rollout
    if rollout is None or plan.totals is None or not rollout.share_ppm:
        return
    said = f"{rollout.share_ppm / 10_000:g} % of {plan.totals[1]:,} B, {rollout.engine}'s weights and KV cache"
    why = plan.because("rollout_memory", "rollout_engine", "rollout_sleeps", "device")
    yield Term(Bucket.BUFFERS, share(plan), "rollout.engine-share", why, detail=said)


def may_be_less(plan: Plan, phase: Phase) -> int:
    """How much of a phase may not be there: what the trainer held when the engine measured, and sliding layers' older entries
    (transformers 4.56 ``DynamicSlidingWindowLayer``)."""
    taken = share_in(plan, phase.name)
    if taken:
        return min(taken, phase.buckets[Bucket.WEIGHTS])
    window, layers = plan.arch.sliding_window, plan.arch.sliding_layers
    if phase.name != "rollout" or plan.rollout is None or not window or not layers:
        return 0
    return plan.rollout.batch * max(plan.length - window, 0) * layers * entry_bytes(plan)


# -- the moments ---------------------------------------------------------------------------------------------------------


def moments(step: Step) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """An engine generates beside what the trainer keeps on the device; or the model itself does: its prompts, then its last token."""
    plan = step.plan
    assert plan.rollout is not None
    if plan.rollout.engine != OWN:
        woken = () if not plan.rollout.sleeps else tuple(_share(plan))
        yield "an engine generates", (*_kept(step), *woken)
        return
    rest = (*step.resting, *_left(step), *_gathered(plan), *_sampling(plan))
    yield "the prompts", (*rest, *_prompts(step))
    yield "the last token", (*rest, *_cache(plan, plan.length), _growing(plan))


def _kept(step: Step) -> tuple[Part, ...]:
    frees = step.plan.rollout.frees if step.plan.rollout else frozenset()
    away = {bucket for name, bucket in (("params", Bucket.WEIGHTS), ("optimizer", Bucket.OPTIMIZER)) if name in frees}
    return tuple(term for term in step.resting if term.bucket not in away)


def _left(step: Step) -> tuple[Part, ...]:
    """Gradients of earlier micro batches, where the step generates more than once."""
    plan = step.plan
    whole = plan.rollout is None or plan.rollout.batch >= (plan.batch or 1) * plan.accum
    return () if whole else step.gradients.carried


def _gathered(plan: Plan) -> Iterator[Term]:
    if plan.sharding.kind == "zero3" and plan.rollout is not None and plan.rollout.gathers:
        count, size = plan.shape.total, plan.precision.weights
        if plan.sharding.params_over > 1 or plan.sharding.offload_params:
            why = plan.because("rollout_gathers", "shard")
            yield tensor(Bucket.BUFFERS, "gathered.to-generate", why, (("parameter", count),), size)
        return
    yield from sharded.parameters(plan, layers=1)


def _sampling(plan: Plan) -> Iterator[Term]:
    shape = (("batch", plan.rollout.batch if plan.rollout else 0), ("vocab", plan.arch.vocab))
    for name, size in SAMPLING:
        yield tensor(Bucket.LOGITS, f"sampling.{name}", plan.because("rollout_batch", "model"), shape, size)


def _prompts(step: Step) -> Iterator[Part]:
    """The prompts run through the layers, one layer in flight, and fill the cache."""
    plan = step.plan
    batch = plan.rollout.batch if plan.rollout else 0
    prompt = max(plan.length - (plan.completion or 0), 1)
    ahead = replace(plan, batch=batch, seq=prompt, completion=None, recompute=Recompute())
    yield activations.passing_layer(ahead, pick(ahead).layer(ahead), _WHY)
    yield from _cache(plan, prompt)


def _cache(plan: Plan, length: int) -> Iterator[Term]:
    batch, why = plan.rollout.batch if plan.rollout else 0, plan.because(*_WHY, "model")
    for name, (width, size) in (("keys", _keys(plan)), ("values", _values(plan))):
        shape = (("layer", plan.shape.layers), ("batch", batch), ("seq", length), ("width", width))
        yield tensor(Bucket.ACTIVATIONS, f"kv-cache.{name}", why, shape, size)


def _growing(plan: Plan) -> Term:
    """``torch.cat`` writes one layer's keys anew for each token."""
    batch, (width, size) = plan.rollout.batch if plan.rollout else 0, _keys(plan)
    shape = (("batch", batch), ("seq", plan.length), ("width", width))
    return tensor(Bucket.ACTIVATIONS, "kv-cache.one-layer-copied", plan.because(*_WHY), shape, size)


def entry_bytes(plan: Plan) -> int:
    """Keys and values of one token in one layer."""
    return sum(width * size for width, size in (_keys(plan), _values(plan)))


def _values(plan: Plan) -> tuple[int, int]:
    """Width and bytes an element. Latent attention caches whole heads (modeling_deepseek_v3.py)."""
    arch = plan.arch
    return arch.heads * arch.mla_number("v_head_dim") if arch.mla else arch.kv_width, plan.precision.compute


def _keys(plan: Plan) -> tuple[int, int]:
    """The same. Rotary embeddings give keys the residual stream's dtype (modeling_llama.py ``apply_rotary_pos_emb``: cos and sin have
    it)."""
    arch, compute = plan.arch, plan.precision.compute
    size = max(compute, residual_bytes(plan)) if arch.position == "rope" else compute
    return arch.q_width if arch.mla else arch.kv_width, size
