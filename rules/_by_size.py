"""The least that a model takes of which only the size in its name is known: ``some-lab/Own-34B``."""

from __future__ import annotations

import re

from budgetlint.base.expression import expression
from budgetlint.memory.layout import may_be_sharded
from budgetlint.rule import RunContext, gib

_SIZE = expression(r"(?<![A-Za-z0-9.])(\d{1,3}(?:\.\d{1,2})?)[bB](?![A-Za-z0-9])")
_PACKED = expression(r"awq|gptq|int[48]|[48]-?bits?|bnb|nf4|fp8|gguf|hqq|quant|\d+x\d+", re.IGNORECASE)
"""Stored in fewer bits, or a mixture whose name multiplies."""
BILLION = 10**9
LEAST = 0.9
"""A name rounds: Yi-34B has 34.4 billion weights, Qwen2.5-7B 7.6, Llama 2 7B 6.7."""
WEIGHTS, STATES = 2, 6
"""Bytes a weight in 16 bits; gradients and AdamW's two moments in 16 bits as well, which is the least that they take unquantised."""

ADAMW = frozenset({"adamw", "adamw_torch", "adamw_torch_fused", "adamw_hf"})


def least_by_size(run: RunContext, name: str) -> str:
    """``; by the 34B of its name …`` where that alone is more than the device gives; empty else."""
    device, sizes = run.target.device if run.target else None, _SIZE.findall(name.rpartition("/")[2])
    if device is None or len(sizes) != 1 or _PACKED.search(name):
        return ""
    quant, shard, devices = run.setting("quant"), run.setting("shard"), run.setting("devices")
    offloads = any(run.value(one) not in (None, "none") for one in ("offload_params", "offload_optimizer"))
    degrees = (run.setting(f"{one}_parallel") for one in ("tensor", "pipeline", "expert"))
    split = any(one is not None and not (one.known and one.value == 1) for one in degrees)
    is_open = any(one is not None and not one.known for one in (quant, shard, devices, run.setting("adapter"), run.setting("optimizer")))
    if (
        may_be_sharded(run.run.settings)
        or is_open
        or offloads
        or split
        or run.value("quant") not in (None, "none")
        or run.value("shard") not in (None, "none", "ddp", "zero2")
    ):
        return ""
    whole = run.value("adapter") == "none" and run.value("optimizer") in ADAMW and run.value("shard") != "zero2"
    bytes_each = WEIGHTS + (STATES if whole else 0)
    least = int(float(sizes[0]) * BILLION * LEAST) * bytes_each
    if least <= device.usable_high:
        return ""
    what = "weights, gradients and AdamW's moments" if whole else "weights"
    return f"; by the {sizes[0]}B of its name its {what} alone are {gib(least)} or more in 16 bits, whole on each device"
