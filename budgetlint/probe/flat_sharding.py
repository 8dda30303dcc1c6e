"""FSDP1 (``FullyShardedDataParallel``) as it is, on one rank of many that do not exist. Like `sharding.py` for FSDP2.

Its flat parameters are gathered into storages that it empties and fills again (torch 2.13 fsdp/_flat_param.py ``_alloc_storage``,
``_free_storage``): these are wrapped, and the function that reduces.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch

from budgetlint.probe.build import layers_of
from budgetlint.probe.job import Job
from budgetlint.probe.storage_tracker import StorageTracker
from budgetlint.probe.trace import BUFFERS, GRADIENTS


def shard_flat(model: Any, job: Job) -> Any:
    """The model in FSDP's wrapper, a unit for each block and one for the rest, as accelerate's transformer-based wrapping makes them."""
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy

    half = job.compute == 2 and job.weights == 4
    low = torch.bfloat16
    return FullyShardedDataParallel(
        model,
        auto_wrap_policy=_units(model, job),
        mixed_precision=MixedPrecision(param_dtype=low, reduce_dtype=low, buffer_dtype=low) if half else None,
        sharding_strategy=ShardingStrategy.FULL_SHARD if job.reshard else ShardingStrategy.SHARD_GRAD_OP,
        use_orig_params=True,
        device_id=torch.device("cpu"),
    )


def _units(model: Any, job: Job) -> Any:
    """With adapters, each trained linear is a unit too (peft utils/other.py ``fsdp_auto_wrap_policy``): a flat parameter has one dtype."""
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy, _or_policy, lambda_auto_wrap_policy

    blocks = ModuleWrapPolicy({type(layers_of(model)[0])})
    if job.lora is None:
        return blocks

    def trained(module: Any) -> bool:
        weight = getattr(module, "weight", None)
        return not list(module.named_children()) and weight is not None and weight.requires_grad

    return partial(_or_policy, policies=[partial(lambda_auto_wrap_policy, lambda_fn=trained), blocks])


@contextmanager
def followed_flat(follow: StorageTracker) -> Iterator[None]:
    """What FSDP gathers and reduces is seen and called by its name."""
    from torch.distributed.fsdp import _flat_param as flat
    from torch.distributed.fsdp import _runtime_utils as runtime

    alloc, free, reduce = flat._alloc_storage, flat._free_storage, runtime._reduce_grad

    def allocated(tensor: torch.Tensor, size: Any) -> None:
        alloc(tensor, size)
        follow.resized(tensor, BUFFERS)

    def freed(tensor: torch.Tensor) -> None:
        free(tensor)
        follow.resized(tensor, BUFFERS)

    def reduced(state: Any, handle: Any) -> None:
        if handle.flat_param.grad is not None:
            follow.belongs([handle.flat_param.grad], GRADIENTS)
        with follow.as_bucket(BUFFERS):
            reduce(state, handle)

    flat._alloc_storage, flat._free_storage, runtime._reduce_grad = allocated, freed, reduced
    try:
        yield
    finally:
        flat._alloc_storage, flat._free_storage, runtime._reduce_grad = alloc, free, reduce
