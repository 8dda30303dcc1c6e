"""The optimizer section of a DeepSpeed file: the class hangs on the type, ``torch_adam`` and ``adam_w_mode`` together.

Source: DeepSpeed 0.19.8 ``runtime/engine.py`` ``_configure_basic_optimizer`` and ``get_optimizer_configuration`` (``Adam`` decays
decoupled unless ``adam_w_mode`` is false, ``AdamW`` always), ``runtime/config.py`` (the type is compared in lower case).
"""

from __future__ import annotations

from budgetlint.readers.base import Raw
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.settings.run import Setting


def read_engine_optimizer(look: Lookup) -> list[Setting]:
    raw = look.raw("optimizer.type")
    return read_optimizer(raw, "deepspeed", look.misreads, _spelling(look, raw)) if raw else []


def _spelling(look: Lookup, raw: Raw) -> str:
    """The class that the engine builds, where it is not the type's usual one."""
    kind = raw.text.lower()
    coupled = kind == "adam" and _says(look, "adam_w_mode", False)
    if kind not in ("adam", "adamw"):
        return raw.text
    if _says(look, "torch_adam", True):
        return "torch.optim.Adam" if coupled else "torch.optim.AdamW"
    if coupled:
        return "cpu_adam_l2" if _on_host(look) else "torch.optim.Adam"
    return "DeepSpeedCPUAdam" if _on_host(look) else raw.text


def _on_host(look: Lookup) -> bool:
    """``zero_use_cpu_optimizer``: the optimizer states are offloaded, so the engine steps them on the CPU."""
    device = look.raw("zero_optimization.offload_optimizer.device")
    return (device is not None and device.text in ("cpu", "nvme")) or _says(look, "cpu_offload", True, "zero_optimization")


def _says(look: Lookup, key: str, value: bool, section: str = "optimizer.params") -> bool:
    raw = look.raw(f"{section}.{key}")
    return raw is not None and raw.value is value
