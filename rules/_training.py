"""Small questions that several rules ask about a run or a document."""

from __future__ import annotations

from budgetlint.catalog.device import Device
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Origin, OriginKind, Role, Setting

from ._common import HUGGING_FACE, PYTHON

TRAINERS = (*HUGGING_FACE, "llamafactory", "axolotl", *PYTHON)
"""Formats whose run ends in ``transformers.Trainer``: its rules about precision, optimizers and DeepSpeed hold."""


def stated(setting: Setting | None) -> bool:
    """Known, and somebody wrote it."""
    return setting is not None and setting.known and not setting.is_default


def as_written(setting: Setting) -> str:
    """For messages: ``bf16: true`` as a config has it, ``precision fp16-pure`` and ``compute=bf16`` as a budget has it."""
    origin = setting.origin
    head, dot, last = origin.key.rpartition(".")
    word = last or setting.name
    if origin.kind is OriginKind.BUDGET:
        return f"{word}={setting.text}" if dot and head else f"{word} {setting.text}"
    return f"{word}: {_source_text(origin) or setting.shown}"


def _source_text(origin: Origin) -> str:
    """What really stands there, on one line; a setting's own text may explain more than the file says."""
    if origin.source is None or origin.span is None:
        return ""
    text = origin.source.text[origin.span.start : origin.span.end]
    return text if "\n" not in text else ""


def device_of(run: RunContext) -> Device | None:
    """The catalog row of the target's device; None for a device given by its size."""
    spec = run.target.device if run.target else None
    return spec.device if spec else None


def optimizer_of(setting: Setting | None) -> Optimizer | None:
    """The catalog's optimizer behind a setting (its value is a canonical name); the newest reading of an unsettled default."""
    from budgetlint.catalog.optimizers import find_optimizer

    if setting is None or not (setting.known or setting.readings):
        return None
    found = find_optimizer(str(setting.value if setting.known else setting.readings[0]))
    return found if isinstance(found, Optimizer) else None


def plain_adam(name: str) -> bool:
    """AdamW and its 8-bit, paged and fused kin; other optimizers have rates of their own."""
    return name.removeprefix("paged_").startswith(("adamw", "fused_adam", "cpu_adam", "optimi_adamw"))


def full_tuning(run: RunContext) -> bool:
    """The model itself trains: no adapter, as far as the files say."""
    return run.value("adapter", "lora" if "lora_r" in run.run.settings else "none") == "none" and _known(run, "adapter")


def unsharded(run: RunContext) -> bool | None:
    """Is it certain that neither DeepSpeed nor FSDP keeps its own fp32 copy? None where a launcher that is not here decides.

    axolotl and LLaMA-Factory name DeepSpeed and FSDP in the file itself; other trainers often get them from
    ``accelerate launch``.
    """
    shard, trainer = run.setting("shard"), run.run.trainer
    if "engine_dtype" in run.run.settings or _names_engine(run):
        return False
    if shard is not None:
        return shard.value in ("none", "ddp") if shard.known else None
    whole = trainer is None or trainer.format in ("axolotl", "llamafactory") or run.value("devices") == 1
    return True if whole or any(reading.role is Role.LAUNCHER for reading in run.run.readings) else None


def _names_engine(run: RunContext) -> bool:
    """A DeepSpeed file is named, whether or not it could be found."""
    return any(reference.role is Role.ENGINE for reading in run.run.readings for reference in reading.references)


def _known(run: RunContext, name: str) -> bool:
    setting = run.setting(name)
    return setting is None or setting.known


def number(value: float) -> str:
    """``2e-05`` and ``100``, never ``1e+02``."""
    return f"{value:g}"
