"""Stand-ins for what a meta tensor would do otherwise than CUDA: attention kernels, dropout, grouped matmuls, autocast."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, ClassVar

import torch
import transformers.utils.generic
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from budgetlint.probe.kernels import Attention, dropout, grouped

used: set[str] = set()
forced: list[str] = []


def attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, **options: Any
) -> Any:
    """The order of sdp_utils.cpp (torch 2.13): flash takes 16-bit types and no mask, memory-efficient no grouped keys."""
    if Autocast.on:
        query, key, value = (Autocast.on[-1].low(t) for t in (query, key, value))
    half, wide = query.dtype != torch.float32, query.shape[-1] == value.shape[-1]
    if forced == ["math"]:
        pass
    elif half and wide and attn_mask is None:
        used.add("flash")
        return Attention.apply(query, key, value, None)
    elif query.shape[1] == key.shape[1]:
        used.add("efficient")
        if attn_mask is not None and attn_mask.dtype == torch.bool:  # attention.cpp convert_boolean_attn_mask
            attn_mask = torch.empty(attn_mask.shape, dtype=query.dtype, device=query.device)
        return Attention.apply(query, key, value, attn_mask)
    used.add("math")
    if dropout_p:
        raise NotImplementedError("the math kernel drops probabilities by another path on CUDA")
    return torch.ops.aten._scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, **options)[0]


def flash_attention(_: Any, query: Any, key: Any, value: Any, *__: Any, **___: Any) -> Any:
    """transformers' flash_attention_2 (integrations/flash_attention.py), no padding: the kernel on grouped keys."""
    used.add("flash")
    if Autocast.on:
        query, key, value = (Autocast.on[-1].low(t) for t in (query, key, value))
    return Attention.apply(query, key, value, None).transpose(1, 2).contiguous(), None


class Autocast(TorchFunctionMode):
    """CUDA's autocast lists (ATen/autocast_mode.h 2.13): a trainable fp32 leaf is cast once, everything else per call."""

    LOW = frozenset({"linear", "matmul", "__matmul__", "__rmatmul__", "bmm", "mm", "addmm", "addbmm", "baddbmm", "mv", "einsum"})
    FULL = frozenset({"pow", "__pow__", "square", "rsqrt", "reciprocal", "exp", "log", "softplus", "layer_norm", "rms_norm", "logsumexp"})
    OPTION = frozenset({"softmax", "log_softmax", "sum", "cumsum", "prod", "cumprod"})
    on: ClassVar[list[Autocast]] = []

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[int, Any] = {}

    def low(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
            return value
        if not (value.is_leaf and value.requires_grad):
            return value.to(torch.bfloat16)
        return self.cache.setdefault(id(value), value.to(torch.bfloat16))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, name = kwargs or {}, getattr(func, "__name__", "")
        if not self.on:
            return func(*args, **kwargs)
        if name in self.LOW:
            args, kwargs = tree_map(self.low, (args, kwargs))
        elif name in self.FULL:
            args, kwargs = tree_map(_full, (args, kwargs))
        elif name in self.OPTION and args[0].is_floating_point() and kwargs.get("dtype") is None:
            kwargs = {**kwargs, "dtype": torch.float32}
        return func(*args, **kwargs)


def _full(value: Any) -> Any:
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in (torch.bfloat16, torch.float16) else value


@contextlib.contextmanager
def maybe_autocast(_: str, enabled: bool = True, **__: Any) -> Iterator[None]:
    kept, Autocast.on = Autocast.on, Autocast.on if enabled else []
    try:
        yield
    finally:
        Autocast.on = kept


real_autocast = torch.autocast


def autocast(device_type: str, *args: Any, **kwargs: Any) -> Any:
    return maybe_autocast(device_type, *args, **kwargs) if device_type == "meta" else real_autocast(device_type, *args, **kwargs)


def stand_in(padded: bool) -> None:
    from transformers import masking_utils
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    torch.nn.functional.scaled_dot_product_attention = attention
    torch.nn.functional.dropout = dropout
    torch.nn.functional.grouped_mm = grouped
    torch.histc = lambda t, bins, **_: torch.empty(bins, dtype=torch.int32, device=t.device)
    real = torch.is_autocast_enabled
    torch.is_autocast_enabled = lambda *kind: bool(Autocast.on) or real(*kind)
    torch.get_autocast_dtype = lambda *_: torch.bfloat16
    transformers.utils.generic.maybe_autocast = maybe_autocast
    torch.autocast = autocast
    masking_utils.find_packed_sequence_indices = lambda _: None
    masking_utils.fast_all = lambda _: not padded
    masking_utils._ignore_bidirectional_mask_sdpa = lambda *_, **__: not padded
    ALL_ATTENTION_FUNCTIONS.register("stand_in", flash_attention)
