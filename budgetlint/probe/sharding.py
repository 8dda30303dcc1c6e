"""FSDP2 as it is, on one rank of many that do not exist: torch's fake process group, fake tensors, and every storage followed.

FSDP gathers parameters into storages that it empties and fills again (torch 2.13 _fully_shard/_fsdp_param.py ``alloc_storage``,
``free_storage``), which no dispatcher sees: these two functions, and the two that communicate, are wrapped here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist

from budgetlint.probe.build import base_of, layers_of
from budgetlint.probe.job import Job
from budgetlint.probe.storage_tracker import StorageTracker
from budgetlint.probe.trace import BUFFERS, GRADIENTS


@contextmanager
def ranks(world: int) -> Iterator[Any]:
    """A mesh of ``world`` ranks of which this is the first; nothing is sent."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=0, world_size=world, store=FakeStore())
    try:
        yield init_device_mesh("cpu", (world,))
    finally:
        dist.destroy_process_group()


def shard(model: Any, job: Job, mesh: Any) -> None:
    """A unit for each block and one for the rest, as accelerate's transformer-based wrapping makes them; parameters are gathered, and
    gradients reduced, in the compute dtype (accelerate 1.15 utils/dataclasses.py ``set_mixed_precision``: one dtype for both)."""
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    half = job.compute == 2 and job.weights == 4
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.bfloat16) if half else MixedPrecisionPolicy()
    for layer in layers_of(model):
        fully_shard(layer, mesh=mesh, mp_policy=policy, reshard_after_forward=job.reshard)
    fully_shard(base_of(model) if job.lora is None else model, mesh=mesh, mp_policy=policy, reshard_after_forward=job.reshard)


@contextmanager
def followed(follow: StorageTracker) -> Iterator[None]:
    """What FSDP gathers and reduces is seen and called by its name."""
    from torch.distributed.fsdp._fully_shard import _fsdp_param as param
    from torch.distributed.fsdp._fully_shard import _fsdp_param_group as group

    changed = [
        (param, "alloc_storage", _sized(follow)),
        (param, "free_storage", _sized(follow)),
        (group, "alloc_storage", _sized(follow)),
        (group, "foreach_all_gather", _buffered(follow)),
        (group, "foreach_all_gather_copy_out", _buffered(follow)),
        (group, "foreach_reduce", _reduced(follow)),
    ]
    before = [(module, name, getattr(module, name)) for module, name, _ in changed]
    for module, name, wrap in changed:
        setattr(module, name, wrap(getattr(module, name)))
    try:
        yield
    finally:
        for module, name, function in before:
            setattr(module, name, function)


Wrap = Callable[[Any], Any]


def _sized(follow: StorageTracker) -> Wrap:
    def wrap(function: Any) -> Any:
        def call(tensor: torch.Tensor) -> None:
            function(tensor)
            follow.resized(tensor, BUFFERS)

        return call

    return wrap


def _buffered(follow: StorageTracker) -> Wrap:
    def wrap(function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            with follow.as_bucket(BUFFERS):
                return function(*args, **kwargs)

        return call

    return wrap


def _reduced(follow: StorageTracker) -> Wrap:
    def wrap(function: Any) -> Any:
        def call(parameters: Any, gradients: Any, *args: Any, **kwargs: Any) -> Any:
            follow.belongs(gradients, GRADIENTS)
            with follow.as_bucket(BUFFERS):
                return function(parameters, gradients, *args, **kwargs)

        return call

    return wrap
