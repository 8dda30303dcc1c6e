"""How high the learning rate goes under DeepSpeed's own warm-up: its schedule writes the rate of each group, whatever the optimizer has.

``WarmupLR`` goes up to ``warmup_max_lr``: 0.001 where it is not given, from 0.17.2 on the optimizer's own rate. ``WarmupDecayLR`` goes
up to 0.001 in every release. Sources: DeepSpeed 0.14.0, 0.16.9, 0.17.0, 0.17.1, 0.17.2, 0.18.9, 0.19.8 ``runtime/lr_schedules.py``
``WarmupLR``, ``WarmupDecayLR``; transformers 5.24.0 ``integrations/deepspeed.py`` trainer_config_process fills in an ``"auto"`` alone.
"""

from __future__ import annotations

from budgetlint.documents import Loader
from budgetlint.readers.base import raw_at
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.resolve.engine_clipping import with_engine_clipping
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Setting, Settings, Stack, over

DEFAULT = 0.001
SINCE = "0.17.2"
"""From here on `WarmupLR` without ``warmup_max_lr`` keeps the optimizer's rate."""


def with_engine(settings: Settings, readings: tuple[Reading, ...], stack: Stack) -> Settings:
    """What the engine does by itself whatever the trainer says: it clips, and its schedule writes the rate."""
    return with_engine_rate(with_engine_clipping(settings, readings, stack), readings, stack)


def with_engine_rate(settings: Settings, readings: tuple[Reading, ...], stack: Stack) -> Settings:
    """The rate that the schedule of a DeepSpeed file goes up to; the optimizer's stays in sight."""
    engine = next((one for one in readings if one.role is Role.ENGINE and one.format == "deepspeed"), None)
    rate = _rate(engine, stack) if engine is not None else None
    mine = settings.get("learning_rate")
    if rate is None or mine is None or mine.value == rate.value or (is_own_script(settings) and "lr_scheduler" in settings):
        return settings  # a schedule that the program makes may be handed to the engine, which then takes that one
    if not rate.known:
        rate = Setting("learning_rate", None, rate.origin, f"{mine.text} or {DEFAULT}", "auto", readings=(mine.value, DEFAULT))
        if not mine.known:
            return settings
    kept = (one for name, one in settings.items() if name != "learning_rate")
    return Settings((*kept, over(rate, mine)))


def _rate(engine: Reading, stack: Stack) -> Setting | None:
    kind, given = (raw_at(engine.document, Loader.HJSON, f"scheduler.{key}") for key in ("type", "params.warmup_max_lr"))
    if kind is None or kind.text not in ("WarmupLR", "WarmupDecayLR"):
        return None
    if given is not None and given.value is not None:
        number = isinstance(given.value, (int, float)) and not isinstance(given.value, bool)
        return Setting("learning_rate", float(given.value), given.origin, given.text) if number else None
    newer = stack.at_least("deepspeed", SINCE) if kind.text == "WarmupLR" else False
    if newer:
        return None
    note = f"DeepSpeed {kind.text}.warmup_max_lr: {DEFAULT}" + ("" if newer is False else f" before {SINCE}, the optimizer's rate since")
    origin = Origin(OriginKind.DEFAULT, note=note)
    return Setting("learning_rate", DEFAULT if newer is False else None, origin, str(DEFAULT), "known" if newer is False else "auto")
