"""Autocast for tensors that have none: which operations take and give 16 bit, which fp32, and the cache of cast weights.

Lists: what is registered in torch 2.13 under AutocastCUDA and AutocastCPU (``torch._C._dispatch_get_registrations_for_dispatch_key``,
ATen/autocast_mode.h); the tests compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_map

_LOW = frozenset({
    "linear", "matmul", "__matmul__", "__rmatmul__", "bmm", "mm", "addmm", "addbmm", "baddbmm", "conv1d", "conv2d", "conv3d", "conv_tbc",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "prelu", "scaled_dot_product_attention", "vecdot",
})  # fmt: skip
_LOSSES = frozenset({"nll_loss", "kl_div", "l1_loss", "smooth_l1_loss", "huber_loss", "mse_loss", "binary_cross_entropy_with_logits",
                     "cosine_embedding_loss", "cdist"})  # fmt: skip


@dataclass(frozen=True)
class Lists:
    """Names of functions: those that take 16 bit, those that take fp32, those that give fp32 unless a dtype is stated."""

    low: frozenset[str]
    full: frozenset[str]
    option: frozenset[str]


CUDA = Lists(
    _LOW | {"addmv", "addr", "mv", "einsum", "chain_matmul", "multi_dot"},
    _LOSSES | {
        "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh", "tan", "pow",
        "__pow__", "square", "softplus", "layer_norm", "native_layer_norm", "group_norm", "rms_norm", "cosine_similarity", "dist", "renorm",
        "logsumexp", "norm", "vector_norm",
    },
    frozenset({"prod", "softmax", "log_softmax", "cumprod", "cumsum", "sum"}),
)  # fmt: skip
CPU = Lists(_LOW, _LOSSES | {"cross_entropy", "prod"}, frozenset())
"""``square`` computes by ``pow``. Neither list has grouped matmuls; the CPU's has no softmax, no norm and no power."""

LISTS = {"cuda": CUDA, "cpu": CPU}


@dataclass
class Autocast:
    """torch's own flag says whether it is on (model code and PEFT ask it); it casts nothing by itself on meta and fake tensors."""

    kind: str = "cuda"
    dtype: torch.dtype = torch.bfloat16
    cache: dict[int, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)
    depth: int = 0

    @property
    def on(self) -> bool:
        return torch.is_autocast_enabled(self.kind)

    @contextmanager
    def region(self, enabled: bool = True) -> Iterator[None]:
        """torch/amp/autocast_mode.py: the cache lives to the end of the outermost region."""
        before, kept = self.on, torch.get_autocast_dtype(self.kind)
        torch.set_autocast_enabled(self.kind, enabled)
        torch.set_autocast_dtype(self.kind, self.dtype)
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            torch.set_autocast_enabled(self.kind, before)
            torch.set_autocast_dtype(self.kind, kept)
            if not self.depth:
                self.cache.clear()

    def low(self, value: Any) -> Any:
        """A trainable fp32 leaf is cast once and cached, anything else at each call (autocast_mode.cpp ``cached_cast``)."""
        if not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
            return value
        if not (value.is_leaf and value.requires_grad) or value._is_view():
            return value.to(self.dtype)
        if id(value) not in self.cache:
            self.cache[id(value)] = (value.to(self.dtype), value)
        return self.cache[id(value)][0]

    def cast(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """The arguments as the operation of this name gets them."""
        lists = LISTS[self.kind]
        if name in lists.low:
            args, kwargs = tree_map(self.low, (args, kwargs))
        elif name in lists.full:
            args, kwargs = tree_map(_full, (args, kwargs))
        elif name in lists.option and args and isinstance(args[0], torch.Tensor) and args[0].is_floating_point():
            kwargs = {**kwargs, "dtype": torch.float32} if kwargs.get("dtype") is None else kwargs
        return args, kwargs


def _full(value: Any) -> Any:
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in (torch.bfloat16, torch.float16) else value
