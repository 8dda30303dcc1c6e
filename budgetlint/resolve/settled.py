"""What a budget says of a setting that its files leave open: a variable, a value that the program makes, a default that nobody knows.

A file decides what it states, and the budget is compared with it. Where a file states nothing that can be read, the budget's word is the
only one there is; without it a run that lacks a value could never be told one.
"""

from __future__ import annotations

from budgetlint.settings.run import Setting, Settings, over

_WITH = {
    "precision": ("autocast", "weights_dtype", "engine_dtype", "grads_dtype", "master_dtype"),
    "shard": ("offload_optimizer", "offload_params"),
    "adapter": ("lora_r", "lora_targets"),
    "quant": ("quant_double", "quant_storage", "quant_upcast", "quant_compute_dtype"),
}
"""What is said along with a setting: a recipe names every dtype, a layout that names no offloading has none. Of these the open ones go."""

_MACHINE = ("devices", "devices_per_node", "nodes")
"""What a machine has is not what the run takes of it."""


def settled(settings: Settings, claims: Settings) -> Settings:
    """The settings with the budget's word on those that are open; the open one stays in sight."""
    said = {
        name: over(claim, settings[name])
        for name, claim in claims.items()
        if claim.known and name in settings and _is_open(settings, name) and name not in _MACHINE and _may_mean(settings[name], claim)
    }
    along = {one for name in claims for one in _WITH.get(name, ()) if one not in claims and one in settings and _is_open(settings, one)}
    if not said and not along:
        return settings
    return Settings(said.get(name, setting) for name, setting in settings.items() if name not in along)


def _is_open(settings: Settings, name: str) -> bool:
    """Not what asks the framework and is answered (``auto`` of an engine's file), nor a length that somebody leaves without a limit."""
    return settings[name].state in ("symbolic", "auto") and settings[name].value is None


def _may_mean(setting: Setting, claim: Setting) -> bool:
    """What a file states, and releases only read in several ways (``fsdp: full_shard``), is none of what it cannot mean. Numbers are the
    ends of a range."""
    named = setting.state == "auto" and not setting.is_default and all(isinstance(one, str) for one in setting.readings)
    return not named or not setting.readings or claim.value in setting.readings
