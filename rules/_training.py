"""Small questions that several rules ask about a run or a document."""

from __future__ import annotations

from budgetlint.catalog.device import Device
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.context import RunContext
from budgetlint.run import Role, Setting

HUGGING_FACE = ("hf_training_arguments", "trl", "alignment_handbook", "open_instruct")
"""Formats whose precision and optimizer keys are those of ``transformers.TrainingArguments``, read by one file of keys."""

TRL = ("trl", "alignment_handbook")
SHARDED = ("zero1", "zero2", "zero3", "fsdp", "fsdp2")


def stated(setting: Setting | None) -> bool:
    """Known, and somebody wrote it."""
    return setting is not None and setting.known and not setting.is_default


def as_written(setting: Setting) -> str:
    """``bf16: true``: the key and its text, for messages; the statement's word in a budget."""
    key = setting.origin.key.rpartition(".")[2] or setting.name
    return f"{key}: {setting.text or setting.value}"


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


def full_tuning(run: RunContext) -> bool:
    """The model itself trains: no adapter, as far as the files say."""
    return run.value("adapter", "lora" if "lora_r" in run.run.settings else "none") == "none" and _known(run, "adapter")


def unsharded(run: RunContext) -> bool | None:
    """Is it certain that neither DeepSpeed nor FSDP keeps its own fp32 copy? None where a launcher that is not here decides.

    axolotl and LLaMA-Factory name DeepSpeed and FSDP in the file itself; other trainers often get them from
    ``accelerate launch``.
    """
    shard = run.setting("shard")
    if shard is not None or "engine_dtype" in run.run.settings:
        return _plain(shard) if "engine_dtype" not in run.run.settings else False
    trainer = run.run.trainer
    whole = trainer is None or trainer.format in ("axolotl", "llamafactory") or run.value("devices") == 1
    return True if whole or any(reading.role is Role.LAUNCHER for reading in run.run.readings) else None


def _plain(shard: Setting | None) -> bool | None:
    return shard.value in ("none", "ddp") if shard is not None and shard.known else None


def _known(run: RunContext, name: str) -> bool:
    setting = run.setting(name)
    return setting is None or setting.known


def number(value: float) -> str:
    """``2e-05`` and ``100``, never ``1e+02``."""
    return f"{value:g}"
