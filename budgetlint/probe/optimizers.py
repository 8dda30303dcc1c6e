"""The run's optimizer: torch's own where it is torch's, else a stand-in with the states that the catalog lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer, state_bytes_of
from budgetlint.probe.job import Job

TORCH: dict[str, tuple[str, dict[str, Any]]] = {
    "adamw": ("AdamW", {}),
    "adamw_torch_fused": ("AdamW", {}),
    "adam": ("Adam", {}),
    "sgd": ("SGD", {}),
    "momentum": ("SGD", {"momentum": 0.9}),
    "rmsprop": ("RMSprop", {}),
    "adagrad": ("Adagrad", {}),
    "nadam": ("NAdam", {}),
    "radam": ("RAdam", {}),
}


def optimizer_of(job: Job, parameters: Iterable[torch.nn.Parameter]) -> Any:
    """Something with ``step()`` and ``zero_grad()`` over the parameters that train."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    if job.master:
        return Mastered(job, trained)
    return _plain(job, trained, job.state)


def _plain(job: Job, trained: list[torch.nn.Parameter], size: int) -> Any:
    if job.optimizer not in TORCH:
        return Catalogued(job.optimizer, trained, size)
    name, options = TORCH[job.optimizer]
    made = getattr(torch.optim, name)(trained, lr=1e-4, foreach=job.optimizer_impl == "foreach", **options)
    if job.optimizer_impl == "fused" and name in ("AdamW", "Adam"):
        _fuse(made)
    return made


def _fuse(optimizer: Any) -> None:
    """``fused=True`` refuses meta tensors only when it makes the states (torch 2.13 optim/adam.py ``_init_group``): they are made here,
    as it would, in the first step."""
    for group in optimizer.param_groups:
        group["fused"], group["foreach"] = True, False

    def first(*_: Any) -> None:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None and not optimizer.state[parameter]:
                    state = optimizer.state[parameter]
                    state["step"] = parameter.new_zeros((), dtype=torch.float32)
                    state["exp_avg"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
                    state["exp_avg_sq"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)

    optimizer.register_step_pre_hook(first)


class Catalogued:
    """A stand-in: the states of the catalog's row are made in the first step, and nothing else is."""

    def __init__(self, name: str, trained: list[torch.nn.Parameter], size: int) -> None:
        found = find_optimizer(name)
        assert isinstance(found, Optimizer)
        self.row, self.trained, self.size = found, trained, size
        self.states: list[torch.Tensor] = []

    def step(self) -> None:
        for parameter in self.trained if not self.states else ():
            count = state_bytes_of(self.row, [(*_rows(parameter), 1)], self.size)
            self.states.append(parameter.new_empty(count, dtype=torch.uint8))

    def zero_grad(self) -> None:
        for parameter in self.trained:
            parameter.grad = None


def _rows(parameter: torch.Tensor) -> tuple[int, int]:
    """As a matrix: rows and columns, 1 for a vector."""
    return (parameter.shape[0], parameter.numel() // parameter.shape[0]) if parameter.dim() > 1 else (parameter.numel(), 1)


class Mastered:
    """Mixed precision with an fp32 copy of every weight, which the step writes (DeepSpeed, Megatron): one gradient is cast at a time."""

    def __init__(self, job: Job, trained: list[torch.nn.Parameter]) -> None:
        self.trained = trained
        self.masters = [parameter.detach().float().requires_grad_() for parameter in trained]
        self.inner = _plain(job, self.masters, 4)

    def step(self) -> None:
        """Only one master has a gradient at a time, so each step is of one weight."""
        for parameter, master in zip(self.trained, self.masters, strict=True):
            if parameter.grad is not None:
                master.grad = parameter.grad.float()
                self.inner.step()
                master.grad = None

    def zero_grad(self) -> None:
        for parameter in self.trained:
            parameter.grad = None
