"""What runs on CUDA otherwise than on a meta tensor: attention kernels, dropout, grouped matmuls, autocast.

A function mode puts them in the place of the calls; torch itself stays as it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from budgetlint.probe.autocast import Autocast


class Attention(torch.autograd.Function):
    """Keeps what ``_scaled_dot_product_{flash,efficient}_attention`` keep (torch derivatives.yaml): q, k, v, output, logsumexp and the
    bias. In its backward, what the kernel takes inside (csrc/flash_attn/flash_api.cpp ``mha_bwd``): an fp32 accumulator of dq, row
    sums, and dk and dv of every head where keys are grouped."""

    @staticmethod
    def forward(ctx: Any, query: Any, key: Any, value: Any, bias: Any) -> Any:
        batch, heads, seq, _ = query.shape
        out = torch.empty(batch, seq, heads, value.shape[-1], dtype=query.dtype, device=query.device).transpose(1, 2)
        sums = torch.empty(batch, heads, seq, dtype=torch.float32, device=query.device)
        ctx.save_for_backward(*(tensor for tensor in (query, key, value, bias, out, sums) if tensor is not None))
        return out

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        query, key, value = ctx.saved_tensors[:3]
        inside = [torch.empty(query.shape, dtype=torch.float32, device=query.device)]
        inside.append(torch.empty(query.shape[:3], dtype=torch.float32, device=query.device))
        inside += [torch.empty_like(query) for _ in range(2 if key.shape[1] < query.shape[1] else 0)]
        return torch.empty_like(query), torch.empty_like(key), torch.empty_like(value), None


class GroupedMatmul(torch.autograd.Function):
    """``torch.nn.functional.grouped_mm``; its meta kernel knows 16-bit types only."""

    @staticmethod
    def forward(ctx: Any, rows: Any, weight: Any) -> Any:
        ctx.save_for_backward(*([rows] if weight.requires_grad else []), weight)
        ctx.shape = rows.shape
        return torch.empty(rows.shape[0], weight.shape[-1], dtype=rows.dtype, device=rows.device)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        weight, (gradient,) = ctx.saved_tensors[-1], gradients
        learned = torch.empty_like(weight) if ctx.needs_input_grad[1] else None
        return torch.empty(ctx.shape, dtype=gradient.dtype, device=gradient.device), learned


class OnCuda(TorchFunctionMode):
    """Calls as a CUDA device would run them. ``used``: the attention kernels that were chosen."""

    def __init__(self, autocast: Autocast) -> None:
        super().__init__()
        self.autocast = autocast
        self.depth = 0
        self.used: set[str] = set()
        self._table: Mapping[Any, Callable[..., Any]] = {
            F.scaled_dot_product_attention: self._attention,
            F.dropout: dropout,
            torch.dropout: dropout,
            F.cross_entropy: self._cross_entropy,
            torch.histc: _histc,
            torch.Tensor.__bool__: lambda _: True,  # "is nothing padded, is nothing packed": the questions of transformers' masks
            **dict.fromkeys(_GROUPED, grouped),
        }

    def __enter__(self) -> Any:
        self.depth += 1
        return super().__enter__()  # type: ignore[no-untyped-call]

    def __exit__(self, *error: Any) -> None:
        self.depth -= 1
        super().__exit__(*error)  # type: ignore[no-untyped-call]

    def active(self) -> Any:
        """A context in which the mode is on, once."""
        return contextlib.nullcontext() if self.depth else self

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.autocast.on:
            args, kwargs = self.autocast.cast(getattr(func, "__name__", ""), args, kwargs)
        try:
            instead = self._table.get(func)
        except TypeError:  # not hashable
            instead = None
        return func(*args, **kwargs) if instead is None else instead(*args, **kwargs)

    def _attention(self, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
                   **options: Any) -> Any:  # fmt: skip
        """The order of sdp_utils.cpp (torch 2.13): flash takes 16-bit types and no mask, memory-efficient no grouped keys."""
        if self.autocast.on:
            query, key, value = (self.autocast.low(tensor) for tensor in (query, key, value))
        kernel = sdpa_kernel(query, key, value, attn_mask)
        self.used.add(kernel)
        if kernel == "flash":
            return Attention.apply(query, key, value, None)
        if kernel == "efficient":
            return Attention.apply(query, key, value, _bias(attn_mask, query))
        return torch.ops.aten._scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, **options)[0]

    def _cross_entropy(self, input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
                       reduce: Any = None, reduction: str = "mean", **kwargs: Any) -> Any:  # fmt: skip
        """ATen/native/LossNLL.cpp ``cross_entropy_loss`` states the log-softmax's dtype, that of the logits, so autocast leaves it alone,
        and casts its result for ``nll_loss``."""
        if not self.autocast.on or input.dtype == torch.float32 or input.dim() != 2:
            return F.cross_entropy(input, target, weight, size_average, ignore_index, reduce, reduction, **kwargs)
        logarithms = torch.log_softmax(input, 1, dtype=input.dtype)
        return F.nll_loss(logarithms.float(), target, weight, ignore_index=ignore_index, reduction=reduction)

    def flash(self, _: Any, query: Any, key: Any, value: Any, *__: Any, **___: Any) -> Any:
        """transformers' flash_attention_2 (integrations/flash_attention.py) without padding: the kernel on grouped keys."""
        self.used.add("flash")
        if self.autocast.on:
            query, key, value = (self.autocast.low(tensor) for tensor in (query, key, value))
        return Attention.apply(query, key, value, None).transpose(1, 2).contiguous(), None


class OnCpu(OnCuda):
    """Calls as the CPU runs them, for the comparison with real execution: only what a meta tensor would do otherwise."""

    def __init__(self, autocast: Autocast) -> None:
        super().__init__(autocast)
        self._table = {
            F.scaled_dot_product_attention: self._attention,
            torch.Tensor.__bool__: lambda _: True,
            torch.histc: _histc,
            **dict.fromkeys(_GROUPED, grouped),
        }

    def _attention(self, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
                   **options: Any) -> Any:  # fmt: skip
        """ATen/native/transformers/attention.cpp ``_fused_sdp_choice_cpp``: flash without dropout, with as many key as query heads
        (aten transformers/sdp_utils_cpp.cpp); grouped keys take the math path."""
        if options.pop("enable_gqa", False) or dropout_p or attn_mask is not None:
            raise NotImplementedError("the CPU's math path: compare with attention='eager'")
        return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout_p, is_causal, **options)[0]


def sdpa_kernel(query: Any, key: Any, value: Any, mask: Any) -> str:
    """flash, efficient or math."""
    half, even = query.dtype != torch.float32, query.shape[-1] == value.shape[-1] <= 256
    if half and even and mask is None:
        return "flash"
    return "efficient" if query.shape[1] == key.shape[1] else "math"


def _bias(mask: Any, query: Any) -> Any:
    """ATen/native/transformers/attention.cpp ``convert_boolean_attn_mask``: a mask of bools becomes one of numbers, per call."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.empty(mask.shape, dtype=query.dtype, device=query.device)


def dropout(input: Any, p: float = 0.5, training: bool = True, *_: Any, **__: Any) -> Any:
    """ATen/native/Dropout.cpp: nothing for p = 0; the fused CUDA kernel keeps a mask of bools."""
    return torch.ops.aten.native_dropout(input, p, True)[0] if training and p > 0 else input


def _histc(input: Any, bins: int = 100, *_: Any, **__: Any) -> Any:
    return torch.empty(bins, dtype=torch.int32, device=input.device)


def grouped(rows: Any, weight: Any, *_: Any, **__: Any) -> Any:
    return GroupedMatmul.apply(rows, weight)


_GROUPED = [function for name in ("_grouped_mm",) if (function := getattr(torch, name, None))]
_GROUPED += [function for name in ("grouped_mm",) if (function := getattr(F, name, None))]
