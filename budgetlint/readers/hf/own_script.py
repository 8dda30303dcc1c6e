"""Training arguments that a script of its own reads: its flags, a file that it opens, a section of its own making (``training``).

What is written there means what ``TrainingArguments`` calls so. What is not written is in the script's code: nothing is taken
for a framework default, and the estimate spans what the code can do.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.readers.base import ENDS, default, unsettled
from budgetlint.settings.run import RESERVED, OriginKind, Setting, Settings

RESERVATION = RESERVED

_OWN_NAMES = frozenset(("lora_targets", "lora_modules_to_save"))
"""Module names of the script's own model code (MLX: ``attention.wq``)."""
_OWN_WORDS = frozenset(("dtype",))
"""Keys that mean the weights to one script, the computation to another (Flax examples ``run_*_flax.py``, distil-whisper
``run_distillation.py``: ``dtype=getattr(jnp, …)`` is of the computation, ``params`` are fp32)."""


def reserved(settings: Settings) -> Settings:
    """The settings that a script of its own is trusted with, each with the reservation in its origin: what is written, and nothing that
    a parser it may not have would conclude."""
    kept = (one for one in settings.values() if one.name not in _OWN_NAMES and one.origin.key not in _OWN_WORDS and not one.is_default)
    told = Settings(replace(setting, origin=replace(setting.origin, note=RESERVATION)) for setting in kept)
    return Settings(_unless_switched(setting, told) for setting in told.values())


def _unless_switched(setting: Setting, told: Settings) -> Setting:
    """A rank says how an adapter would be, not that there is one: the script has a switch of its own (``--use_peft_lora``)."""
    rank = told.get("lora_r")
    if setting.name != "adapter" or not setting.known or rank is None or setting.origin.key != rank.origin.key:
        return setting
    return replace(setting, value=None, state="auto", readings=("lora", "none"))


def is_own_script(settings: Settings) -> bool:
    found = [one.origin for one in settings.values() if one.origin.note == RESERVATION]
    return any(origin.kind in (OriginKind.FILE, OriginKind.FLAG) for origin in found)


def own_script_defaults(settings: Settings) -> Iterator[Setting]:
    """Both ends for what is not written, the leaner reading first. Quantised weights never train without an adapter."""
    if settings.value("adapter") == "none":
        yield default("quant", "none", "full training")
    yield from (unsettled(name, readings, f"{RESERVATION}: its code decides") for name, readings in ENDS.items())
