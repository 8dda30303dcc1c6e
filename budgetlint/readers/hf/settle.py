"""Written values of Hugging Face configs whose meaning the framework version decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from budgetlint.base.record import replace
from budgetlint.readers.hf.program_task import RLOO, RLOO_SINCE
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings, Stack


def settle(settings: Settings, stack: Stack) -> Settings:
    """The settings with every ``auto`` that the stack decides made known; the rest keep both readings."""
    decided = [_settled(setting, stack) for setting in settings.values()]
    return Settings(decided)


def settle_trl(settings: Settings, stack: Stack) -> Settings:
    """TRL forces reentrant checkpointing for PEFT under ZeRO-3, whatever is written, from 0.28.0 (sft_trainer.py)."""
    decided = settle(settings, stack)
    forced = decided.value("adapter") == "lora" and decided.value("shard") == "zero3" and stack.at_least("trl", "0.28.0")
    if not forced or decided.value("recompute") == "none":
        return decided
    origin = Origin(OriginKind.DERIVED, note="TRL forces use_reentrant for PEFT under ZeRO-3")
    return decided.under(Settings((Setting("recompute_reentrant", True, origin, "true"),)))


def _settled(setting: Setting, stack: Stack) -> Setting:
    """One of its own readings: what another library decides by its release (Unsloth's loss) stays open."""
    decide = _DECIDERS.get(setting.name)
    if decide is None or setting.state != "auto" or not setting.readings:
        return setting
    value = decide(stack)
    return setting if value not in setting.readings else replace(setting, value=value, state="known", readings=())


def _loss(stack: Stack) -> Any:
    """TRL: ``nll`` materialises full logits up to 1.14, from 1.15.0 it runs the chunked fused head (sft_config.py ``loss_type``)."""
    newer = stack.at_least("trl", "1.15.0")
    return None if newer is None else "chunked" if newer else "full"


def _shard(stack: Stack) -> Any:
    """transformers: ``fsdp_config.version`` is 2 by default from 5.10.0 (training_args.py ``_process_fsdp_args``)."""
    newer = stack.at_least("transformers", "5.10.0")
    return None if newer is None else "fsdp2" if newer else "fsdp"


def _task(stack: Stack) -> Any:
    newer = stack.at_least("trl", RLOO_SINCE)
    return None if newer is None else RLOO[0 if newer else 1]


_DECIDERS: dict[str, Callable[[Stack], Any]] = {"loss": _loss, "shard": _shard, "task": _task}
