"""What the model code of transformers asks of its surroundings that a simulation answers itself: autocast by device type, masks of fake
tensors, FlashAttention by name. Python only, in the probe's own process.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

import torch

from budgetlint.probe.kernels import OnCuda

FLASH = "budgetlint_fused"
"""No name that has ``flash_attention`` in it: transformers would look for a package."""


def prepare(mode: OnCuda) -> str:
    """Before model code is imported. Gives the name under which FlashAttention is found: before transformers 4.53, which first asked its
    table of functions for masks too, that of the kernel which ``sdpa`` chooses."""
    _autocast(mode)
    masks = _module("transformers.masking_utils")
    if masks is None:
        return "sdpa"
    if hasattr(masks, "is_tracing"):
        masks.is_tracing = lambda _=None: False  # fake tensors count as traced, and then every mask is made
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    ALL_ATTENTION_FUNCTIONS.register(FLASH, mode.flash)
    return FLASH


def _autocast(mode: OnCuda) -> None:
    """Regions without autocast (rotary embeddings, routers): by ``maybe_autocast`` since transformers 5, by torch's own before, which
    knows no meta device."""
    autocast, generic, real = mode.autocast, _module("transformers.utils.generic"), torch.autocast

    @contextlib.contextmanager
    def region(device_type: str, *__: Any, enabled: bool = True, **___: Any) -> Iterator[None]:  # noqa: ARG001
        with autocast.region(enabled and autocast.on) if autocast.on else contextlib.nullcontext():
            yield

    if hasattr(generic, "maybe_autocast"):
        generic.maybe_autocast = region
    else:
        torch.autocast = lambda device_type, *args, **kwargs: (region if device_type == "meta" else real)(device_type, *args, **kwargs)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
