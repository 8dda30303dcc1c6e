"""The run's optimizer as its package has it; where that is not there, a stand-in with the states of the catalog, and a word about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch

from budgetlint.probe.job import Job
from budgetlint.probe.optimizers import TORCH, Mastered, optimizer_of

BNB, AO, HF = "bitsandbytes.optim", "torchao.optim", "transformers.optimization"

CLASSES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "adamw8bit": (BNB, "AdamW8bit", {}),
    "adamw_bnb_32bit": (BNB, "AdamW", {}),
    "adam8bit": (BNB, "Adam8bit", {}),
    "adam_bnb_32bit": (BNB, "Adam", {}),
    "paged_adamw_8bit": (BNB, "PagedAdamW8bit", {}),
    "paged_adamw_32bit": (BNB, "PagedAdamW32bit", {}),
    "paged_adam_8bit": (BNB, "PagedAdam8bit", {}),
    "paged_adam_32bit": (BNB, "PagedAdam32bit", {}),
    "lion_32bit": (BNB, "Lion", {}),
    "lion_8bit": (BNB, "Lion8bit", {}),
    "paged_lion_32bit": (BNB, "PagedLion32bit", {}),
    "paged_lion_8bit": (BNB, "PagedLion8bit", {}),
    "rmsprop_bnb": (BNB, "RMSprop", {}),
    "rmsprop_8bit": (BNB, "RMSprop8bit", {}),
    "sgd_8bit": (BNB, "SGD8bit", {"momentum": 0.9}),
    "adamw_torch_8bit": (AO, "AdamW8bit", {"block_size": 256}),
    "adamw_torch_4bit": (AO, "AdamW4bit", {}),
    "adamw_torch_fp8": (AO, "AdamWFp8", {}),
    "adafactor": (HF, "Adafactor", {"scale_parameter": False, "relative_step": False}),
}
"""Module, class and arguments, by the catalog's name (transformers 5.24 trainer_optimizer.py gives them so)."""


def real_optimizer(job: Job, parameters: Iterable[torch.nn.Parameter]) -> tuple[Any, str, str]:
    """The optimizer, its name for people, and a note where it is not the run's own."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    if job.master or job.optimizer in TORCH:
        return _torch(job, trained), job.optimizer, ""
    module, name, options = CLASSES.get(job.optimizer, ("", "", {}))
    if module and find_spec(module.partition(".")[0]) is not None:
        made = getattr(import_module(module), name)(trained, lr=1e-4, **options)
        return made, f"{module}.{name}", ""
    cure = f"; pip install {module.partition('.')[0]} for the real one" if module else ""
    note = f"{job.optimizer} is a stand-in with the states of the catalog's row, without its temporaries{cure}"
    return optimizer_of(job, trained), f"stand-in for {job.optimizer}", note


def _torch(job: Job, trained: list[torch.nn.Parameter]) -> Any:
    """``fused=True`` itself on real tensors; the simulation has to make its states by hand."""
    if job.optimizer_impl == "fused" and not job.master and TORCH[job.optimizer][0] in ("AdamW", "Adam"):
        return getattr(torch.optim, TORCH[job.optimizer][0])(trained, lr=1e-4, fused=True)
    return optimizer_of(job, trained)


def states_of(optimizer: Any) -> Iterator[torch.Tensor]:
    """Every tensor that the optimizer keeps between two steps."""
    if isinstance(optimizer, Mastered):
        yield from optimizer.masters
        yield from states_of(optimizer.inner)
        return
    kept = getattr(optimizer, "state", {})
    yield from (value for state in kept.values() for value in state.values() if isinstance(value, torch.Tensor))
    yield from getattr(optimizer, "states", ())
