"""Who runs forward, backward and step: the script itself, DDP, FSDP2, or DeepSpeed's engine. One process for each device."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import torch
import torch.distributed as dist

from budgetlint.probe import sharding
from budgetlint.probe.job import Inexpressible, Job
from budgetlint.probe.measurement import Use
from budgetlint.probe.work import Work


def world() -> tuple[int, int, int]:
    """``(rank, local rank, ranks)`` as torchrun says them; one alone without it."""
    rank, local, ranks = (int(os.environ.get(name, default)) for name, default in (("RANK", 0), ("LOCAL_RANK", 0), ("WORLD_SIZE", 1)))
    return rank, local, ranks


def refuse_world(job: Job, ranks: int) -> None:
    """Raises `Inexpressible` where the run's devices are not those that torchrun started."""
    if job.world != ranks:
        started = "one process runs here" if ranks == 1 else f"torchrun started {ranks}"
        raise Inexpressible(
            f"the run is on {job.world} devices and {started}: torchrun --nproc_per_node {job.world} -m budgetlint probe …, "
            f"or --set devices={ranks}; --simulate needs one process"
        )


@contextlib.contextmanager
def group(work: Work, ranks: int) -> Iterator[None]:
    """The ranks that talk to each other, where there are several; DeepSpeed wants a group of one too."""
    if ranks == 1 and not work.engine:
        yield
        return
    backend = "gloo" if work.device == "cpu" else "nccl"
    if ranks == 1:
        dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    else:
        dist.init_process_group(backend)
    try:
        yield
    finally:
        dist.destroy_process_group()


def sharded(model: Any, job: Job, device: str, ranks: int) -> Any:
    """FSDP2's units, on meta, before there is memory behind the weights."""
    if job.shard == "fsdp2" and ranks > 1:
        from torch.distributed.device_mesh import init_device_mesh

        sharding.shard(model, job, init_device_mesh(device.partition(":")[0], (ranks,)))
    return model


def replicated(model: Any, job: Job, device: str, ranks: int) -> Any:
    """DDP around the model: it makes its buckets."""
    if job.shard != "ddp" or ranks == 1:
        return model
    where = None if device == "cpu" else [torch.device(device).index]
    return torch.nn.parallel.DistributedDataParallel(model, device_ids=where)


def worst(phases: dict[str, Use], ranks: int) -> dict[str, Use]:
    """Each phase's most over all ranks."""
    if ranks == 1:
        return phases
    every: list[Any] = [None] * ranks
    dist.all_gather_object(every, phases)
    return {name: _most([one[name] for one in every if name in one]) for name in phases}


def _most(uses: list[Use]) -> Use:
    pairs = {name: [value for use in uses if (value := getattr(use, name)) is not None] for name in Use.model_fields}
    return Use(**{name: max(values) for name, values in pairs.items() if values})


# -- DeepSpeed ---------------------------------------------------------------------------------------------------------------


def deepspeed_config(work: Work) -> dict[str, Any]:
    """The least of a configuration that makes ZeRO run this job."""
    half = "bf16" if work.job.compute == 2 and work.job.weights == 2 else ""
    return {
        "train_micro_batch_size_per_gpu": work.job.batch,
        "gradient_accumulation_steps": min(work.job.accum, 2),
        "zero_allow_untested_optimizer": True,
        "zero_optimization": {"stage": int(work.engine.removeprefix("zero"))},
        **({half: {"enabled": True}} if half else {}),
    }


class DeepSpeed:
    """DeepSpeed's engine in the place of model and optimizer: ``backward`` and ``step`` are its own."""

    def __init__(self, model: Any, work: Work, optimizer: Any) -> None:
        import deepspeed

        self.engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=deepspeed_config(work))

    def __call__(self, **inputs: Any) -> Any:
        return self.engine(**inputs)

    def backward(self, loss: Any) -> None:
        self.engine.backward(loss)

    def step(self) -> None:
        self.engine.step()


class Plain:
    """A loop as the trainers write it."""

    def __init__(self, model: Any, optimizer: Any) -> None:
        self.model, self.optimizer = model, optimizer

    def __call__(self, **inputs: Any) -> Any:
        return self.model(**inputs)

    def backward(self, loss: Any) -> None:
        loss.backward()

    def step(self) -> None:
        self.optimizer.step()
        self.optimizer.zero_grad()


def engine_of(model: Any, work: Work, optimizer: Any) -> Plain | DeepSpeed:
    """Raises `Inexpressible` where the run's engine is not installed."""
    if not work.engine:
        return Plain(model, optimizer)
    if find_spec("deepspeed") is None:
        raise Inexpressible(f"{work.engine} is DeepSpeed's, which is not installed here: pip install deepspeed; or shard fsdp2 to compare")
    return DeepSpeed(model, work, optimizer)
