"""Optimizers, each of them a sink."""

from __future__ import annotations

from typing import Any

from recorder import bound, keep, write


class Optimizer:
    __stand_in__ = True

    def __init__(self, params: Any, defaults: Any = None) -> None:
        self.param_groups = [{"params": [], "lr": 1e-3}]

    def step(self, closure: Any = None) -> None:
        """Nothing is updated."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """There are no gradients."""

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state_dict: Any) -> None:
        """Nothing is read."""


def optimizer(name: str, first: tuple[str, ...] = ("lr",)) -> type[Optimizer]:
    """A class whose positional parameters after ``params`` are ``first``."""

    def __init__(self: Optimizer, *args: Any, **kwargs: Any) -> None:
        named = dict(zip(("params", *first), args, strict=False))
        number = write(name, {**named, **kwargs})
        Optimizer.__init__(self, None)
        keep(self, number)

    made = type(name.rpartition(".")[2], (Optimizer,), {"__init__": __init__})
    made.__module__ = name.rpartition(".")[0]
    return made


AdamW = optimizer("torch.optim.AdamW", ("lr", "betas", "eps", "weight_decay"))
Adam = optimizer("torch.optim.Adam", ("lr", "betas", "eps", "weight_decay"))
SGD = optimizer("torch.optim.SGD", ("lr", "momentum", "dampening", "weight_decay"))
Adagrad = optimizer("torch.optim.Adagrad", ("lr", "lr_decay", "weight_decay"))
RMSprop = optimizer("torch.optim.RMSprop", ("lr", "alpha", "eps", "weight_decay"))
Adafactor = optimizer("torch.optim.Adafactor")

from torch.optim import lr_scheduler

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "bound", "lr_scheduler"]
