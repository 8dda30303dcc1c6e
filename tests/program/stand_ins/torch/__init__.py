"""The little of torch that training scripts touch."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Any

from recorder import Anything, sink

__version__ = "2.9.0"
CAPABILITY = tuple(int(part) for part in os.environ.get("STAND_IN_CAPABILITY", "8.0").split("."))


class dtype:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __deepcopy__(self, memo: object) -> dtype:
        return self


float32 = float = dtype("float32")
float16 = half = dtype("float16")
bfloat16 = dtype("bfloat16")
float64 = double = dtype("float64")
int8, uint8, int32 = dtype("int8"), dtype("uint8"), dtype("int32")
int64 = long = dtype("int64")
bool_ = dtype("bool")


class device:
    def __init__(self, type: object = "cpu", index: int | None = None) -> None:
        self.type = str(type)
        self.index = index

    def __repr__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


class Tensor:
    def __init__(self, *shape: int, dtype: dtype = float32) -> None:
        self.shape, self.dtype, self.device, self.requires_grad = shape or (2, 8), dtype, device("cuda", 0), False
        self.grad = None

    @property
    def data(self) -> Tensor:
        return self

    def _same(self, *args: Any, **kwargs: Any) -> Tensor:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = __matmul__ = __getitem__ = _same
    __rmatmul__ = __pow__ = to = cuda = cpu = detach = clone = view = reshape = mean = sum = float = half = bfloat16 = contiguous = _same
    transpose = permute = t = long = squeeze = unsqueeze = normal_ = zero_ = fill_ = _same

    @sink("torch.Tensor.backward")
    def backward(self, *args: Any, **kwargs: Any) -> None:
        """Recorded only."""

    def item(self) -> Any:
        return 0.5

    def numel(self) -> int:
        total = 1
        for side in self.shape:
            total *= side
        return total

    nelement = numel

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def tolist(self) -> list[int]:
        return [1, 2, 3]

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        self.requires_grad = requires_grad
        return self

    def __len__(self) -> int:
        return self.shape[0]


def tensor(data: Any = None, **kwargs: Any) -> Tensor:
    return Tensor(len(data)) if isinstance(data, list | tuple) else Tensor()


def _made(*shape: Any, **kwargs: Any) -> Tensor:
    sides = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    return Tensor(*[side for side in sides if isinstance(side, int)])


zeros = ones = empty = randn = rand = full = _made
LongTensor = FloatTensor = tensor


def randint(low: int, high: int = 0, size: Any = (2, 8), **kwargs: Any) -> Tensor:
    return Tensor(*size)


def stack(tensors: Any, dim: int = 0) -> Tensor:
    return Tensor(len(tensors), 8)


cat = stack


@contextmanager
def no_grad(*args: Any, **kwargs: Any):
    yield


inference_mode = enable_grad = no_grad


@contextmanager
@sink("torch.autocast")
def autocast(device_type: str = "cuda", dtype: dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None):
    yield


def manual_seed(seed: int) -> None:
    """Nothing is drawn."""


def set_default_dtype(d: dtype) -> None:
    """Nothing is made."""


def set_float32_matmul_precision(precision: str) -> None:
    """Nothing is multiplied."""


@sink("torch.compile")
def compile(model: Any = None, *, fullgraph: bool = False, dynamic: Any = None, backend: Any = "inductor", mode: Any = None) -> Any:
    return model


def save(obj: Any, f: Any, **kwargs: Any) -> None:
    """Nothing is written."""


def load(f: Any, **kwargs: Any) -> dict[str, Any]:
    return {}


def is_tensor(obj: object) -> bool:
    return isinstance(obj, Tensor)


from torch import amp, backends, cuda, distributed, nn, optim, utils

version = Anything()
