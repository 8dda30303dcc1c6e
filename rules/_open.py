"""What the rules about open verdicts share: on what one depends, where that stands, and what would settle it."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.memory.estimate import DEPENDS, NOT_MODELLED, PROGRAM, UNSEALED, Excess, Fork, Opened
from budgetlint.memory.unmodelled import MODELS, TABLE
from budgetlint.report.answer import fork_lines, short
from budgetlint.rule import Bucket, Estimate, Location, Verdict, gib

from ._fit import FIXED, bill_words


def depends(estimate: Estimate) -> str:
    """``it depends on trl: fits with 1.7 or newer (17.90 GiB), does not fit before (25.40 GiB)``; ``incomplete: model``."""
    if not estimate.forks:
        return short(estimate)
    return f"it {short(estimate)}: {'; '.join(fork_lines(estimate))}"


OVER = (Verdict.DOES_NOT_FIT, Verdict.TIGHT)
_WORDS = {Verdict.DOES_NOT_FIT: "does not fit", Verdict.TIGHT: "is too close", Verdict.UNKNOWN: "may be too large"}
SHOWN = 3
"""So many of the largest buckets are told."""


def filled(estimate: Estimate) -> str:
    """What fills the card where the run does not fit, whatever decides that: ``; what does not fit is optimizer 50.21 GiB, weights
    25.10 GiB, …``, and what keeps it from being less."""
    one = estimate.excess
    if one is None:
        over = estimate.supposes is not None and estimate.forks and estimate.forks[0].readings[0].verdict in OVER
        return f"; {bill_words(estimate)}" if over else ""
    words = _WORDS[one.verdict]
    held = ", ".join(f"{name} {gib(size)}" for name, size in _parts(one)[:SHOWN])
    if one.plainly:
        return f"; with {one.plainly} it {words}, whatever else is open, and needs at least {gib(one.need.low)}: {held}{_unshared(one)}"
    return f"; what {words} is {held}{_unshared(one)}"


def _parts(one: Excess) -> list[tuple[str, int]]:
    """The largest first; what a rollout engine takes of the card is none of the run's own buffers."""
    parts = [(bucket.value, size - one.share if bucket is Bucket.BUFFERS else size) for bucket, size in one.held]
    parts += [(f"the share of {one.engine}", one.share)] if one.share else []
    return sorted(parts, key=lambda part: -part[1])


def _unshared(one: Excess) -> str:
    """Why none of it is less on this device."""
    sums, shares = dict(one.held), one.sharding
    static = sum(sums.get(bucket, 0) for bucket in FIXED)
    if one.checkpointed is not None:
        return f"; nothing is recomputed there, and with gradient checkpointing it needs {gib(one.checkpointed)}"
    if static * 2 < one.need.bytes:
        return ""
    if shares.world == 1 and (shares.is_zero or shares.is_fsdp):
        return f", and {shares.kind} over one process divides none of it"
    if shares.world > 1 and shares.params_over == 1 and sums.get(Bucket.WEIGHTS, 0) * 2 >= one.need.bytes and not shares.offload_params:
        return f", the weights whole on each of {shares.world} devices ({shares.kind})"
    return ""


def place(estimate: Estimate) -> Location | None:
    """Where the first thing stands that is open."""
    return next((one.place for one in _open(estimate) if one.place is not None), None)


def _open(estimate: Estimate) -> tuple[Opened, ...]:
    return tuple(one for fork in estimate.forks for one in fork.settings) or estimate.opened


LINES = {
    "model": "model NAME",
    "micro_batch": "batch 1",
    "grad_accum": "batch 1 accum=1",
    "seq_len": "seq 2048",
    "packing": "seq 2048 packing=off",
    "adapter": "adapter none",
    "lora_r": "lora r=16",
    "quant": "quant none",
    "precision": "precision bf16-autocast",
    "weights_dtype": "precision bf16-autocast",
    "autocast": "precision bf16-autocast",
    "optimizer": "optimizer adamw",
    "recompute": "recompute none",
    "attention": "attention sdpa",
    "loss": "loss full",
    "kernels": "kernels none",
    "shard": "shard ddp",
    "offload_optimizer": "shard ddp",
    "offload_params": "shard ddp",
    "tensor_parallel": "parallel tp=1",
    "pipeline_parallel": "parallel pp=1",
    "context_parallel": "parallel cp=1",
    "expert_parallel": "parallel ep=1",
}
"""A statement of a budget that settles a setting; the value is an example."""
OWN_VALUES = "say it in a budget, with the run's own values: "


def unknown_model(estimate: Estimate) -> str | None:
    """The model as it is named, where nothing else lacks than what it is."""
    named = _written(estimate)
    return named if estimate.missing == ("model",) and not estimate.forks and named and _is_name(named) else None


def _written(estimate: Estimate) -> str:
    return next((one.text for one in estimate.opened if one.name == "model" and one.text), "")


def _lacking(estimate: Estimate) -> str:
    """Of a model that is named and not known, its shape is what lacks: the files or the line that give it. Of one that a variable or the
    program decides, which it is: who gives it is not known here."""
    written = _written(estimate)
    if any(one.name == PROGRAM for one in estimate.opened):
        return "the program stops there before it trains: change that first"
    if UNSEALED in estimate.missing:
        return "read what changed, bring the budget to it, then seal it again: budgetlint check --fix --unsafe-fixes"
    if estimate.missing != ("model",) or not written:
        return said(estimate.missing)
    if not _is_name(written):
        return f"how it comes about is not followed here: say in a budget which it is: {LINES['model']}"
    return f"its shape is not known here: put the checkpoint's config.json at that path, or say in a budget what it is: {CUSTOM}"


def said(names: Iterable[str]) -> str:
    """The lines to paste, and what no line of a budget says."""
    names = tuple(dict.fromkeys(name for name in names if name != DEVICE))
    lines = _longest(LINES[name] for name in names if name in LINES)
    others = [name for name in names if name not in LINES]
    parts = (
        OWN_VALUES + "; ".join(lines) if lines else "",
        f"state {' and '.join(others)} where the run's settings stand" if others else "",
    )
    return "; ".join(part for part in parts if part)


def _longest(lines: Iterable[str]) -> list[str]:
    """Each line once, and none that another one begins with: ``batch 1`` beside ``batch 1 accum=1``."""
    told = list(dict.fromkeys(lines))
    return [one for one in told if not any(other.startswith(f"{one} ") for other in told)]


DEVICE = "device"

CUSTOM = "config FILE; model NAME, or config FILE; model custom hidden=… layers=… heads=… intermediate=… vocab=…"


def _is_name(text: str) -> bool:
    """A name or a path, not a variable, nor what a flag without a value is."""
    return text.lower() not in ("true", "false") and not any(mark in text for mark in "$({<")


def no_model(estimate: Estimate) -> str | None:
    """What the model is, where it is one of a kind that is not modelled."""
    return next((TABLE[name].what for name in estimate.missing if name in MODELS), None) if estimate.reason == NOT_MODELLED else None


def cure(estimate: Estimate) -> str:
    """What to state."""
    if (model := no_model(estimate)) is not None:
        return f"no line of a budget describes {model}, and none is modelled here: nothing to state"
    if estimate.reason == NOT_MODELLED:
        probed = "" if "jax" in estimate.missing else "measure it (budgetlint probe), or "
        return f"{probed}state what was measured: measured peak=…"
    if estimate.supposes is not None:
        others = _settles(estimate.forks[0]) if estimate.forks else said(name for name in estimate.missing if name != "model")
        return "; ".join(filter(None, (estimate.supposes.cure, others)))
    return _settles(estimate.forks[0]) if estimate.reason == DEPENDS else _lacking(estimate)


def _settles(fork: Fork) -> str:
    """What to state of a fork; of a supposed model it is said what settles it."""
    packages = [one.name for one, value in zip(fork.settings, fork.readings[0].values, strict=True) if value.startswith((">=", "<"))]
    if packages:
        return f"pin the version (requirements.txt), or state it: stack {' '.join(f'{name}@…' for name in packages)}"
    return said(one.name for one in fork.settings if one.name != "model")
