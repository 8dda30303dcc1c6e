"""Training arguments as a run writes them: in the trainer's file, or as flags of the command that starts it."""

from __future__ import annotations

from budgetlint.documents import Mapping
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.rule import RunContext
from budgetlint.settings.run import Reading, Role, Setting

from ._common import written
from ._keys import TRAINERS

WITH_AXOLOTL = (*TRAINERS, "axolotl")
"""axolotl hands its keys to the same ``TrainingArguments``, most of them under their own names (``core/builders/base.py``)."""


def trainer_of(run: RunContext, formats: tuple[str, ...] = TRAINERS) -> Reading | None:
    """The trainer, where ``transformers.Trainer`` itself gets its keys; None for another program and for a loop of its own."""
    trainer = run.run.trainer
    return trainer if trainer is not None and trainer.format in formats and not is_own_script(trainer.settings) else None


def said(run: RunContext, *paths: str) -> Setting | None:
    """The first of these keys that the run writes; a flag beats the file."""
    for reading in reversed(run.run.readings):
        found = written(reading, *paths) if reading.role is Role.TRAINER else None
        if found is not None:
            return found
    return None


def keys_under(run: RunContext, path: str) -> dict[str, str] | None:
    """The keys of a block that the run writes, with their texts; empty where it is absent, None where it cannot be read."""
    block = said(run, path)
    if block is None:
        return {}
    if not isinstance(block.value, Mapping):
        return None
    return {entry.key.text: getattr(entry.value, "text", "") for entry in block.value.entries}


def by_name(setting: Setting) -> str:
    """The last part of the key: ``optim`` for ``training.optim``."""
    return setting.origin.key.rpartition(".")[2] or setting.name
