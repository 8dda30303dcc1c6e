"""What the rules about open verdicts share: on what one depends, where that stands, and what would settle it."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.memory.estimate import DEPENDS, NOT_MODELLED, PROGRAM, UNSEALED, Fork, Opened
from budgetlint.memory.unmodelled import MODELS, TABLE
from budgetlint.report.answer import fork_lines, short
from budgetlint.rule import Estimate, Location


def depends(estimate: Estimate) -> str:
    """``it depends on trl: fits with 1.7 or newer (17.90 GiB), does not fit before (25.40 GiB)``; ``incomplete: model``."""
    if not estimate.forks:
        return short(estimate)
    return f"it {short(estimate)}: {'; '.join(fork_lines(estimate))}"


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


def _lacking(estimate: Estimate) -> str:
    """Of a model that is named and not known, its shape is what lacks: the files or the line that give it. Of one that a variable or the
    program decides, which it is: who gives it is not known here."""
    written = next((one.text for one in estimate.opened if one.name == "model" and one.text), "")
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
