"""Modules, parameters and what scripts build of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recorder import sink

from torch import Tensor, float32


class Parameter(Tensor):
    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        super().__init__(*(data.shape if data is not None else (2, 2)))
        self.requires_grad = requires_grad


class Module:
    __stand_in__ = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        object.__setattr__(self, "_modules", {})
        object.__setattr__(self, "_parameters", {})
        object.__setattr__(self, "training", True)

    def __setattr__(self, name: str, value: Any) -> None:
        table = "_modules" if isinstance(value, Module) else "_parameters" if isinstance(value, Parameter) else ""
        if table:
            getattr(self, table)[name] = value
        object.__setattr__(self, name, value)

    def register_module(self, name: str, module: Module) -> None:
        setattr(self, name, module)

    add_module = register_module

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        object.__setattr__(self, name, tensor)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        yield from list(self._modules.items())

    def children(self) -> Iterator[Module]:
        yield from list(self._modules.values())

    def named_modules(self, memo: Any = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        yield prefix, self
        for name, module in list(self._modules.items()):
            yield from module.named_modules(prefix=f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator[Module]:
        for _, module in self.named_modules():
            yield module

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        for path, module in self.named_modules(prefix=prefix):
            for name, parameter in list(module._parameters.items()):
                yield f"{path}.{name}" if path else name, parameter

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        for _, parameter in self.named_parameters():
            yield parameter

    def get_submodule(self, target: str) -> Module:
        found = self
        for part in target.split(".") if target else ():
            found = getattr(found, part)
        return found

    @sink("torch.nn.Module.requires_grad_")
    def requires_grad_(self, requires_grad: bool = True) -> Module:
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    def apply(self, fn: Any) -> Module:
        for module in list(self.modules()):
            fn(module)
        return self

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return dict(self.named_parameters())

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> None:
        """Nothing is read."""

    @sink("torch.nn.Module.train")
    def train(self, mode: bool = True) -> Module:
        object.__setattr__(self, "training", mode)
        return self

    @sink("torch.nn.Module.eval")
    def eval(self) -> Module:
        object.__setattr__(self, "training", False)
        return self

    @sink("torch.nn.Module.to")
    def to(self, *args: Any, **kwargs: Any) -> Module:
        return self

    @sink("torch.nn.Module.half")
    def half(self) -> Module:
        return self

    @sink("torch.nn.Module.bfloat16")
    def bfloat16(self) -> Module:
        return self

    @sink("torch.nn.Module.float")
    def float(self) -> Module:
        return self

    @sink("torch.nn.Module.cuda")
    def cuda(self, device: Any = None) -> Module:
        return self

    def cpu(self) -> Module:
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """There are no gradients."""

    def register_forward_hook(self, hook: Any, **kwargs: Any) -> None:
        """Never called."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return Tensor()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)


class Linear(Module):
    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(Tensor(out_features, in_features))
        self.bias = Parameter(Tensor(out_features)) if bias else None


class Embedding(Module):
    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter(Tensor(num_embeddings, embedding_dim))


class LayerNorm(Module):
    def __init__(self, normalized_shape: Any, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__()
        self.weight = Parameter(Tensor(normalized_shape if isinstance(normalized_shape, int) else 4))


class Plain(Module):
    """A module without parameters."""


ReLU = GELU = SiLU = Dropout = Identity = Softmax = CrossEntropyLoss = MSELoss = Flatten = Plain
RMSNorm = LayerNorm


class Sequential(Module):
    def __init__(self, *modules: Module) -> None:
        super().__init__()
        for at, module in enumerate(modules):
            setattr(self, str(at), module)


class ModuleList(Module):
    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        for at, module in enumerate(modules):
            setattr(self, str(at), module)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def __getitem__(self, at: Any) -> Any:
        return list(self._modules.values())[at]


class TransformerEncoderLayer(Module):
    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, **kwargs: Any) -> None:
        super().__init__()
        self.linear1 = Linear(d_model, dim_feedforward)
        self.linear2 = Linear(dim_feedforward, d_model)


class TransformerEncoder(Module):
    def __init__(self, encoder_layer: Module, num_layers: int, **kwargs: Any) -> None:
        super().__init__()
        self.layers = ModuleList([encoder_layer] * num_layers)


class DataParallel(Module):
    @sink("torch.nn.DataParallel")
    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module


from torch.nn import functional, init, parallel, utils

__all__ = ["DataParallel", "Embedding", "Linear", "Module", "Parameter", "float32", "functional", "init", "parallel", "utils"]
