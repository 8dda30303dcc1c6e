"""What a whole run writes and does: its files, the flags of the command that starts it, the calls of its script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.documents import Mapping
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.rules_api.context import RunContext
from budgetlint.rules_api.toolbox.documents import TRAINERS, written_in
from budgetlint.settings.run import Reading, Role, Setting

if TYPE_CHECKING:
    from budgetlint.catalog.optimizer import Optimizer


def written_by(run: RunContext, *paths: str) -> Setting | None:
    """What does the run write? The first of these training arguments that a file, a flag or the script's call gives, and is not null; a
    flag beats the file. Engine and launcher files are not asked: ``written_in(run.reading("deepspeed"), …)`` does.

    Example: ``written_by(run, "eval_strategy", "evaluation_strategy")``. What holds in the end, defaults included: ``run.setting(NAME)``.
    """
    for reading in reversed(run.run.readings):
        found = written_in(reading, *paths) if reading.role is Role.TRAINER else None
        if found is not None:
            return found
    return None


def keys_under(run: RunContext, path: str) -> dict[str, str] | None:
    """The keys of a block that the run writes, with their texts; empty where it is absent, None where it cannot be read.

    Example: ``"min_lr" in (keys_under(run, "lr_scheduler_kwargs") or {})``.
    """
    block = written_by(run, path)
    if block is None:
        return {}
    if not isinstance(block.value, Mapping):
        return None
    return {entry.key.text: getattr(entry.value, "text", "") for entry in block.value.entries}


def trainer_of(run: RunContext, formats: tuple[str, ...] = TRAINERS) -> Reading | None:
    """The trainer's document, where it is of these formats and ``transformers.Trainer`` itself gets its keys; None for another program and
    for a loop of its own.

    Example: ``if trainer_of(run, TRL_FORMATS) is None: return``.
    """
    trainer = run.run.trainer
    return trainer if trainer is not None and trainer.format in formats and not is_own_script(trainer.settings) else None


def optimizer_of(setting: Setting | None) -> Optimizer | None:
    """The catalog's optimizer behind a setting (its value is a canonical name); the newest reading of an unsettled default.

    Example: ``optimizer_of(run.setting("optimizer"))`` with its ``states``, ``library`` and ``adam_like``.
    """
    from budgetlint.catalog.optimizer import Optimizer
    from budgetlint.catalog.optimizers import find_optimizer

    if setting is None or not (setting.known or setting.readings):
        return None
    found = find_optimizer(str(setting.value if setting.known else setting.readings[0]))
    return found if isinstance(found, Optimizer) else None


def full_tuning(run: RunContext) -> bool:
    """Does the model itself train? No adapter, as far as the files say.

    Example: ``if not full_tuning(run): return``.
    """
    return run.value("adapter", "lora" if "lora_r" in run.run.settings else "none") == "none" and _known(run, "adapter")


def unsharded(run: RunContext) -> bool | None:
    """Is it certain that neither DeepSpeed nor FSDP keeps its own fp32 copy? None where a launcher that is not here decides.

    axolotl and LLaMA-Factory name DeepSpeed and FSDP in the file itself; other trainers often get them from ``accelerate launch``.

    Example: ``if unsharded(run) is not True: return``.
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
