"""What the layers keep for the backward: recomputation, where checkpoints lie, the attention kernel, 16-bit compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isqrt

from budgetlint.base.record import replace
from budgetlint.catalog.families import family_of
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.solve.levers.idea import Idea, Situation

CHEN = "Chen et al. 2016, arXiv 1604.06174"
KORTHIKANTI = "Korthikanti et al. 2022, arXiv 2205.05198"

EVERY = (4, 3, 2)
"""Every k-th layer is made again: the larger k, the less there is to compute."""

_ORDINAL = {4: "4th", 3: "3rd", 2: "2nd"}


def ideas(situation: Situation) -> Iterator[Idea]:
    yield from _attention(situation)
    yield from _compute(situation)
    yield from _recompute(situation)
    yield from _checkpoints(situation)


def _recompute(situation: Situation) -> Iterator[Idea]:
    kind = situation.plan.recompute.kind
    if kind not in ("none", "selective", "core"):
        return
    if kind == "none":
        yield from _selective(situation)
    if kind == "none" and _knows_every(situation):
        for count in EVERY:
            yield Idea(
                "recompute every", "activations", f"recompute every {_ORDINAL[count]} layer", 21,
                f"about {33 // count} % more compute", CHEN, {"recompute": "full", "recompute_every": count},
            )  # fmt: skip
    yield Idea(
        "recompute full", "activations", "recompute every layer (gradient checkpointing)", 23,
        "about 33 % more compute", CHEN, {"recompute": "full", **_every_layer(situation)},
    )  # fmt: skip


def _every_layer(situation: Situation) -> dict[str, int]:
    return {"recompute_every": 1} if situation.value("recompute_every", 1) != 1 else {}


def _selective(situation: Situation) -> Iterator[Idea]:
    """Not one thing: Megatron makes only the attention scores again, torchtitan and TRL all but what attention gives."""
    if situation.plan.model_code == "megatron":
        yield Idea(
            "recompute selective", "activations", "recompute the attention scores only (selective)", 20,
            "about 4 % more compute", KORTHIKANTI, {"recompute": "selective"},
        )  # fmt: skip
    elif situation.plan.model_code == "torchtitan" or situation.by_budget:
        yield Idea(
            "recompute selective", "activations", "recompute every layer but its attention (selective)", 22,
            "under 33 % more compute: attention is not made again", "torchtitan distributed/activation_checkpoint.py",
            {"recompute": "selective"},
        )  # fmt: skip


WITH_EVERY = frozenset({"trl", "alignment_handbook", "hf_training_arguments"})


def _knows_every(situation: Situation) -> bool:
    """transformers 5.23.0 training_args.py: ``activation_checkpointing_kwargs: {every_n_layers: k}``."""
    by_trainer = situation.formats & WITH_EVERY and situation.bench.context.at_least("transformers", "5.23") is True
    return situation.hugging_face and (situation.by_budget or bool(by_trainer))


def _checkpoints(situation: Situation) -> Iterator[Idea]:
    recompute, layers = situation.plan.recompute, situation.plan.shape.layers
    if recompute.kind != "full":
        return
    if recompute.every > 1:
        yield Idea(
            "recompute full", "activations", "recompute every layer, not every few", 22,
            "up to 33 % more compute", CHEN, {"recompute_every": 1},
        )  # fmt: skip
        return
    segment = isqrt(layers)
    if recompute.chunk == 1 and segment > 1:
        megatron = situation.plan.model_code == "megatron"
        yield Idea(
            "sqrt checkpoints", "activations", f"one checkpoint every {segment} of {layers} layers (the square root)", 24,
            "no more compute than a checkpoint on each layer: 33 % over none", CHEN,
            {"recompute_every": segment} if megatron else {}, None if megatron else _in_segments(segment),
        )  # fmt: skip
    if not recompute.offload:
        yield Idea(
            "offload checkpoints", "activations", "keep the checkpoints in host memory", 25,
            "time: each layer's input goes over PCIe and back, mostly hidden", "torchtune training/_activation_offloading.py",
            {"recompute_offload": True},
        )  # fmt: skip


def _in_segments(segment: int) -> Callable[[Plan], Plan]:
    def then(plan: Plan) -> Plan:
        return replace(plan, recompute=Recompute("full", chunk=segment, reentrant=plan.recompute.reentrant))

    return then


def _attention(situation: Situation) -> Iterator[Idea]:
    plan = situation.plan
    if plan.attention == "eager" and family_of(plan.arch.family).sdpa:
        yield Idea(
            "sdpa", "activations", "torch's fused attention instead of eager: no scores are kept", 12,
            "none: faster", "Dao et al. 2022, arXiv 2205.14135", {"attention": "sdpa"},
        )  # fmt: skip
    if plan.attention != "flash" and plan.precision.compute == 2 and situation.flash:
        yield Idea(
            "flash attention", "activations", "flash attention: no scores are kept", 13,
            "none: faster; needs the flash-attn package", "Dao 2023, arXiv 2307.08691", {"attention": "flash"},
        )  # fmt: skip


def _compute(situation: Situation) -> Iterator[Idea]:
    """A run in fp32 throughout."""
    plan = situation.plan
    if plan.precision.compute != 4 or not situation.bf16 or plan.sharding.is_zero:
        return
    named = situation.value("precision")
    change = {"precision": "bf16-autocast"} if named else {"autocast": "bf16"}
    yield Idea(
        "bf16 compute", "activations", "compute in bf16 (autocast over fp32 weights)", 14,
        "none in quality for nearly all models, and faster", "Kalamkar et al. 2019, arXiv 1905.12322", change,
    )  # fmt: skip
