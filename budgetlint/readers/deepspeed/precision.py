"""``fp16``, ``bf16`` and ``torch_autocast`` of a DeepSpeed file: the dtype the engine keeps weights and gradients in.

Source: DeepSpeed 0.19.8 ``runtime/precision_config.py`` (``bfloat16`` is the old name, read where ``bf16`` is missing), ``engine.py``
``get_data_types`` (fp16 is asked first), ``config.py`` ``get_torch_autocast_dtype``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.base import to_bool, to_dtype, to_float
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Setting, over

_STATES = {"symbolic": 2, "auto": 1}


def read_engine_precision(look: Lookup) -> Iterator[Setting]:
    """``engine_dtype``; both sections are legal together while only one is on. No section at all says nothing."""
    bf16_section = "bf16" if look.has("bf16") else "bfloat16"
    yield from _engine_dtype(look.switch("fp16.enabled"), look.switch(f"{bf16_section}.enabled"))
    rows = (
        look.setting("loss_scale", to_float, "fp16.loss_scale"),
        _autocast(look),
        _kept_low(look, f"{bf16_section}.bf16_master_weights_and_grads"),
        _kept_low(look, "fp16.fp16_master_weights_and_grads"),
    )
    yield from (row for row in rows if row)
    states = look.switch(f"{bf16_section}.bf16_optimizer_states")
    if states and states.value:
        yield renamed(states, "optimizer_state", "bf16")


def _engine_dtype(fp16: Setting | None, bf16: Setting | None) -> Iterator[Setting]:
    switches = [(switch, dtype) for switch, dtype in ((fp16, "fp16"), (bf16, "bf16")) if switch]
    on = [renamed(switch, "engine_dtype", dtype) for switch, dtype in switches if switch.value]
    if on:
        yield over(on[0], on[1] if len(on) > 1 else None)
        return
    open_ended = sorted((switch for switch, _ in switches if not switch.known), key=lambda switch: -_STATES[switch.state])
    if open_ended:
        first, *rest = (renamed(switch, "engine_dtype", None) for switch in open_ended)
        yield over(first, rest[0] if rest else None)
    elif switches:
        yield renamed(switches[0][0], "engine_dtype", "fp32")


def _autocast(look: Lookup) -> Setting | None:
    switch = look.setting("autocast", to_bool, "torch_autocast.enabled")
    if switch is None or not switch.known:
        return switch
    dtype = look.setting("autocast", to_dtype, "torch_autocast.dtype") if switch.value else None
    return dtype or renamed(switch, "autocast", "bf16" if switch.value else "none")


def _kept_low(look: Lookup, key: str) -> Setting | None:
    """No fp32 master copy, gradients in 16 bit."""
    switch = look.switch(key)
    return renamed(switch, "master_dtype", "none") if switch and switch.value else None
