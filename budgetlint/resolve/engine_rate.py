"""What DeepSpeed's engine does by itself: its schedule writes the rate of each group, whatever the optimizer has.

``WarmupLR`` goes up to ``warmup_max_lr``: 0.001 where it is not given, from 0.17.2 on the optimizer's own rate. ``WarmupDecayLR`` goes
up to 0.001 in every release. Sources: DeepSpeed 0.14.0, 0.16.9, 0.17.0, 0.17.1, 0.17.2, 0.18.9, 0.19.8 ``runtime/lr_schedules.py``
``WarmupLR``, ``WarmupDecayLR``; transformers 5.24.0 ``integrations/deepspeed.py`` trainer_config_process fills in an ``"auto"`` alone.
"""

from __future__ import annotations

from budgetlint.documents import Loader
from budgetlint.frameworks import format_of
from budgetlint.readers.base import raw_at
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.resolve.engine_clipping import with_engine_clipping
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Setting, Settings, Stack, over

DEFAULT = 0.001
SINCE = "0.17.2"
"""From here on `WarmupLR` without ``warmup_max_lr`` keeps the optimizer's rate."""


def with_engine(settings: Settings, readings: tuple[Reading, ...], stack: Stack) -> Settings:
    """What the engine does by itself: it clips, its schedule writes the rate, and offloaded states step on the CPU."""
    return _on_the_host(with_engine_rate(with_engine_clipping(settings, readings, stack), readings, stack), readings)


def _on_the_host(settings: Settings, readings: tuple[Reading, ...]) -> Settings:
    """No kernel of the trainer's optimizer runs where its states are offloaded: accelerate puts a CPU class of DeepSpeed in its place
    (0.28.0 to 1.15.0 ``accelerator.py`` ``_prepare_deepspeed``: unless ``zero_force_ds_cpu_optimizer`` is false), or the file has one."""
    engine = next((one for one in readings if one.role is Role.ENGINE and one.format == "deepspeed"), None)
    if engine is None or engine.settings.value("offload_optimizer") not in ("cpu", "nvme") or "optimizer_impl" not in settings:
        return settings
    trainer = next((format_of(one.format) for one in readings if one.role is Role.TRAINER), None)
    forced = raw_at(engine.document, Loader.HJSON, "zero_force_ds_cpu_optimizer")
    if trainer is None or not trainer.arguments or (forced is not None and forced.value is not True):
        return settings
    return Settings(one for name, one in settings.items() if name != "optimizer_impl")


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
