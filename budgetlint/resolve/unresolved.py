"""Settings that somebody states and nobody can know: a key that is not there, a variable, a place to fill in, null from outside. None of
them is a default.

The planner reads a few settings of which it knows that they are open, and forks those of few values (`axes.UNWRITTEN`). Of the others,
those of few values are read in every way here, and what can be any number or list leaves the run without a verdict.
"""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import replace
from budgetlint.memory.estimate import Estimate, Opened, Verdict
from budgetlint.readers.base import ENDS, names
from budgetlint.resolve.axes import UNWRITTEN
from budgetlint.settings.run import OriginKind, Setting, Settings
from budgetlint.settings.vocabulary import SETTINGS

STATED = (OriginKind.READ, OriginKind.OUTSIDE)

HARMLESS = names(
    """trust_remote_code tf32 loss_scale learning_rate weight_decay adam_beta1 adam_beta2 adam_epsilon max_grad_norm lr_scheduler
    warmup_steps warmup_ratio max_steps num_epochs global_batch lora_alpha lora_rslora save_strategy nodes devices_per_node
    eval_accumulation_steps prediction_loss_only use_cache state_dict_type"""
)
"""What no term of a bill asks for; of machines and devices, the number of processes does."""

PLANNED = names(
    """model task micro_batch seq_len adapter lora_r freeze shard devices completion_len
    tensor_parallel pipeline_parallel context_parallel expert_parallel"""
)
"""Where the planner itself knows that they are open."""

LIGER = ("rms_norm", "rope", "swiglu", "linear_cross_entropy")
"""What Liger's one switch turns on."""

_ENDS: dict[str, tuple[Any, ...]] = {
    "optimizer": ENDS["optimizer"],
    "loss": ENDS["loss"],
    "precision": ("bf16-pure", "bf16", "fp32"),
    "weights_dtype": ("bf16", "fp32"),
    "grad_accum": (1, 2),
    "lora_dropout": (0.0, 0.1),
    "kernels": (LIGER, ()),
}
"""The least and the most memory: all in 16 bit, and all in 32; one micro batch a step, and gradients that wait for another; the masks of a
dropout, or none; Liger's kernels, or none."""


def is_open(setting: Setting) -> bool:
    """Of a run that is stated, whatever is not known; of a file or a flag, what something else fills in (``${X}``), not what asks the
    framework (``auto``)."""
    return not setting.known and (setting.origin.kind in STATED or (setting.state == "symbolic" and not setting.is_default))


def with_readings(settings: Settings) -> Settings:
    """The settings with the values that each open one can have, where those are few."""
    found = {
        one.name: replace(one, state="symbolic", readings=values) for one in settings.values() if is_open(one) and (values := _values(one))
    }
    return Settings({**settings, **found}.values()) if found else settings


def _values(setting: Setting) -> tuple[Any, ...]:
    name = setting.name
    if setting.readings or name in HARMLESS or name in PLANNED or name in UNWRITTEN:
        return ()
    spec = SETTINGS[name]
    return _ENDS.get(name) or ((True, False) if spec.kind == "bool" else spec.choices)


def without_verdict(answer: Estimate, settings: Settings) -> Estimate:
    """No verdict where an open setting can be anything. Without a model nothing else matters."""
    if answer.params is None:
        return answer
    anything = [one for one in settings.values() if is_open(one) and not one.readings and not _is_asked_elsewhere(one, settings)]
    lacking = [one for one in anything if one.name not in answer.missing]
    if not lacking:
        return answer
    places = tuple(Opened(one.name, one.origin.location, one.text) for one in lacking if one.origin.location)
    missing = (*answer.missing, *(one.name for one in lacking))
    return replace(answer, verdict=Verdict.UNKNOWN, missing=missing, opened=(*answer.opened, *places))


def _is_asked_elsewhere(setting: Setting, settings: Settings) -> bool:
    if setting.name == "eval_batch" and not settings.value("eval_on"):
        return "eval_on" in settings and settings["eval_on"].known
    return setting.name in HARMLESS or setting.name in PLANNED or setting.name in UNWRITTEN
