"""Liger kernels and TRL's loss type.

Sources: transformers 5.24.0 ``integrations/liger.py`` (``use_liger_kernel``, ``liger_kernel_config``), TRL
``sft_config.py``.
"""

from __future__ import annotations

from budgetlint.documents import Mapping
from budgetlint.readers.derived import liger_kernels
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Setting

_LIGER = {
    "rms_norm": "rms_norm",
    "rope": "rope",
    "swiglu": "swiglu",
    "cross_entropy": "cross_entropy",
    "fused_linear_cross_entropy": "linear_cross_entropy",
}
"""Liger's arguments by the kernels that they switch; which are on by themselves, its patch says."""
_NLL = ("nll", "dft")


def read_kernels(look: Lookup) -> list[Setting]:
    """Fused kernels; off is an empty list, so that an explicit false is not taken for silence."""
    switch = look.switch("use_liger_kernel", "use_liger")
    if switch is None:
        return []
    return [renamed(switch, "kernels", _kernels(look) if switch.value else ())]


def _kernels(look: Lookup) -> tuple[str, ...]:
    config = look.raw("liger_kernel_config")
    inner = look.under("liger_kernel_config") if config and isinstance(config.node, Mapping) else None
    chosen = []
    for key, kernel in _LIGER.items():
        written = inner.switch(key) if inner else None
        if written.value if written else kernel in liger_kernels():
            chosen.append(kernel)
    return tuple(chosen)


def read_loss(look: Lookup) -> list[Setting]:
    """SFT's ``loss_type``. What ``nll`` costs hangs on the TRL version (`hf_settle`); losses of other trainers say nothing here."""
    raw = look.raw("loss_type")
    if raw is None or raw.text not in (*_NLL, "chunked_nll"):
        return []
    if raw.text in _NLL:
        return [Setting("loss", None, raw.origin, raw.text, "auto", readings=("chunked", "full"))]
    return [Setting("loss", "chunked", raw.origin, raw.text)]
