"""Who clips under DeepSpeed: the engine, by its own ``gradient_clipping``, which the Trainer fills in only where it says ``"auto"``.

Sources: transformers 4.41.0 and 5.24.0 ``integrations/deepspeed.py`` ``fill_match`` (passes over a missing key); accelerate 1.15.0
``accelerator.py`` ``clip_grad_norm_`` (under DeepSpeed it only returns the norm).
"""

from __future__ import annotations

from budgetlint.frameworks import format_of
from budgetlint.readers.deepspeed.defaults import clipping
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.settings.run import Reading, Role, Settings, Stack, over


def with_engine_clipping(settings: Settings, readings: tuple[Reading, ...], stack: Stack) -> Settings:
    """DeepSpeed's default where a Trainer's DeepSpeed file has no ``gradient_clipping``; what the trainer says stays in sight."""
    engine = next((one for one in readings if one.role is Role.ENGINE and one.format == "deepspeed"), None)
    if engine is None or "max_grad_norm" in engine.settings or engine.document.get("gradient_clipping") is not None:
        return settings
    trainer = next((format_of(one.format) for one in readings if one.role is Role.TRAINER), None)
    if trainer is None or not (trainer.arguments or trainer.makes_arguments) or trainer.own_loop or is_own_script(settings):
        return settings
    kept = (one for name, one in settings.items() if name != "max_grad_norm")
    return Settings((*kept, over(clipping(stack), settings.get("max_grad_norm"))))
