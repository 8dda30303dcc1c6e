"""``"auto"`` in a DeepSpeed file under a Hugging Face trainer: who fills it, and with what.

Source: transformers 5.24.0 ``integrations/deepspeed.py`` ``HfTrainerDeepSpeedConfig``: ``trainer_config_process`` takes batch,
accumulation, clipping, learning rate, betas, eps, decay, fp16 and bf16 from TrainingArguments; ``trainer_config_finalize`` fills the
three bucket sizes from ``hidden_size``. accelerate 1.15.0 ``accelerator.py`` ``_prepare_deepspeed`` has the same three formulas.
"""

from __future__ import annotations

from collections.abc import Callable

from budgetlint.base.record import replace
from budgetlint.readers.base import names
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings, over

_ENGINE = {"none": "fp32", "bf16": "bf16", "fp16": "fp16"}
_PROCESS = "transformers integrations/deepspeed.py trainer_config_process"
_SOURCE = "transformers integrations/deepspeed.py trainer_config_finalize"


def _reduce_bucket(hidden: int) -> int:
    """``hidden_size * hidden_size``"""
    return hidden * hidden


def _prefetch(hidden: int) -> int:
    """``int(0.9 * hidden_size * hidden_size)``, evaluated as transformers writes it."""
    return int(0.9 * hidden * hidden)


def _persistence(hidden: int) -> int:
    """``10 * hidden_size``"""
    return 10 * hidden


_FROM_HIDDEN: dict[str, tuple[Callable[[int], int], bool, str]] = {
    "zero_bucket": (_reduce_bucket, False, "hidden_size * hidden_size"),
    "zero_prefetch": (_prefetch, True, "0.9 * hidden_size * hidden_size"),
    "zero_persistence": (_persistence, True, "10 * hidden_size"),
}
"""Formula, whether it holds under ZeRO-3 only, and how to say it."""

_SHARED = names(
    """micro_batch grad_accum global_batch max_grad_norm optimizer optimizer_impl learning_rate weight_decay adam_beta1 adam_beta2
    adam_epsilon loss_scale autocast tensor_parallel context_parallel"""
)


def fill_auto(settings: Settings, hidden: int | None) -> Settings:
    """The settings with each ``auto`` bucket size that follows from the model's hidden size made known.

    ``hidden``: the model's ``hidden_size`` (the largest of several, or the text model's); None leaves everything as it is.
    """
    if hidden is None:
        return settings
    zero3 = settings.value("shard") == "zero3"
    return Settings(_filled(setting, hidden, zero3) for setting in settings.values())


def fill_engine_dtype(settings: Settings) -> Settings:
    """``engine_dtype`` from the trainer's ``autocast`` where the engine says ``auto`` or nothing.

    transformers fills ``"auto"`` from ``bf16`` and ``fp16``; accelerate 1.15.0 ``DeepSpeedPlugin.set_mixed_precision`` adds a missing
    section. Call it after the trainer's defaults and before the engine's.
    """
    mine, autocast = settings.get("engine_dtype"), settings.get("autocast")
    if autocast is None or (mine is not None and mine.state != "auto"):
        return settings
    switches = (mine, *mine.overrode) if mine else (autocast,)
    switch = next((one for one in switches if one.origin.key.startswith(str(autocast.value))), switches[0])
    origin = replace(switch.origin, kind=OriginKind.DERIVED, note=f"the trainer's mixed precision ({_PROCESS})")
    dtype = replace(autocast, name="engine_dtype", value=_ENGINE.get(autocast.value), origin=origin, overrode=())
    dtype = replace(dtype, readings=tuple(_ENGINE[reading] for reading in autocast.readings if reading in _ENGINE))
    return Settings((*settings.values(), over(dtype, mine)))


def _filled(setting: Setting, hidden: int, zero3: bool) -> Setting:
    formula, only_zero3, words = _FROM_HIDDEN.get(setting.name, (None, False, ""))
    if formula is None or setting.state != "auto" or (only_zero3 and not zero3):
        return setting
    origin = Origin(OriginKind.DERIVED, setting.origin.source, setting.origin.span, setting.origin.key, f"{words} ({_SOURCE})")
    return replace(setting, value=formula(hidden), state="known", origin=origin)


def engine_over_trainer(trainer: Settings, engine: Settings) -> Settings:
    """A trainer's settings with its DeepSpeed configuration's laid over them, as ``fill_match`` does.

    A literal of the engine wins (the trainer refuses a different one, except for the optimizer, where the engine's simply
    counts); ``auto`` takes the trainer's value, or stays for `fill_auto` or the trainer's default.
    """
    merged = dict(trainer.items())
    for name, setting in engine.items():
        mine = merged.get(name)
        if mine is not None and setting.state == "auto":
            merged[name] = over(mine, setting)
        elif setting.state != "auto" or name not in _SHARED:
            merged[name] = over(setting, mine)
    return Settings(merged.values())
