"""Where a measurement happens, and how much is there: a CUDA device by torch's own counters, or this process on the CPU by its storages."""

from __future__ import annotations

import contextlib
import platform
from typing import Any, Protocol

import torch

from budgetlint.base.units import gib
from budgetlint.probe.imitate import imitate
from budgetlint.probe.job import Inexpressible
from budgetlint.probe.measurement import Card, Use
from budgetlint.probe.storage_tracker import StorageTracker
from budgetlint.probe.work import Work

FULL = 0.9
"""Share of the card that others may hold before it is called full, whatever the run needs."""


class Machine(Protocol):
    """``begin`` and ``end`` stand around a phase; ``end`` gives the most of it."""

    device: str
    card: Card

    def __enter__(self) -> Any: ...
    def __exit__(self, *_: object) -> None: ...
    def begin(self) -> None: ...
    def end(self) -> Use: ...


def machine_for(work: Work, local_rank: int = 0) -> Machine:
    """Raises `Inexpressible` with what to do where there is no such machine, or no room on it."""
    return Cpu(work) if work.device == "cpu" else Cuda(work, local_rank)


class Cuda:
    """One CUDA device. ``cuda`` is `torch.cuda`, or what stands for it in a test."""

    def __init__(self, work: Work, index: int = 0, cuda: Any = torch.cuda) -> None:
        if not cuda.is_available():
            raise Inexpressible(
                f"torch {torch.__version__} sees no CUDA device here: `budgetlint probe --simulate` needs none; on a machine with a GPU "
                "install torch for CUDA and look at nvidia-smi"
            )
        self.cuda, self.device = cuda, f"cuda:{index}"
        cuda.set_device(index)
        free, total = cuda.mem_get_info()
        major, minor = cuda.get_device_capability()
        self.card = Card(name=cuda.get_device_name(), kind="cuda", total=total, free=free, capability=f"{major}.{minor}", driver=driver())
        refuse_full(self.card, work.least)
        if work.limit is not None:
            imitate(cuda, work.limit, work.imitated, total)

    def __enter__(self) -> Cuda:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def begin(self) -> None:
        self.cuda.synchronize()
        self.cuda.reset_peak_memory_stats()

    def end(self) -> Use:
        self.cuda.synchronize()
        free, total = self.cuda.mem_get_info()
        return Use(allocated=self.cuda.max_memory_allocated(), reserved=self.cuda.max_memory_reserved(), device=total - free)


def refuse_full(card: Card, least: int) -> None:
    """Raises `Inexpressible` where other processes hold the card."""
    if card.free < least or card.free < card.total * (1 - FULL):
        held = gib(card.total - card.free)
        needs = f", and the weights alone need {gib(least)}" if least else ""
        raise Inexpressible(
            f"{card.name} is full: {gib(card.free)} of {gib(card.total)} are free{needs}. nvidia-smi shows which processes hold the "
            f"{held}: end them, or choose another card with CUDA_VISIBLE_DEVICES"
        )


def driver() -> str:
    """The driver's version by NVML (package nvidia-ml-py); empty where that is not installed."""
    with contextlib.suppress(Exception):
        import pynvml

        pynvml.nvmlInit()
        found = pynvml.nvmlSystemGetDriverVersion()
        return found.decode() if isinstance(found, bytes) else str(found)
    return ""


class Cpu:
    """This process: storages on the CPU, as the dispatcher sees them. No allocator, so nothing is reserved."""

    def __init__(self, work: Work) -> None:
        self.device = "cpu"
        self.card = Card(name=f"CPU ({platform.machine()})", kind="cpu")
        self.mode = Counting(work.limit)

    def __enter__(self) -> Cpu:
        self.mode.__enter__()
        return self

    def __exit__(self, *kind: Any) -> None:
        self.mode.__exit__(*kind)

    def begin(self) -> None:
        self.mode.most = self.mode.live

    def end(self) -> Use:
        return Use(allocated=self.mode.most)


class Counting(StorageTracker):
    """Live bytes now and at most, in blocks of 512 B as CUDA's allocator has them; more than ``capacity`` is out of memory."""

    def __init__(self, capacity: int | None = None) -> None:
        super().__init__("cpu")
        self.capacity, self.live, self.most = capacity, 0, 0
        self.mark("load")

    def _event(self, event: int) -> None:
        size = self.trace.size(abs(event) - 1)
        self.live += size if event > 0 else -size
        self.most = max(self.most, self.live)
        if event > 0 and self.capacity is not None and self.live > self.capacity:
            raise torch.OutOfMemoryError(f"{gib(size)} more than {gib(self.capacity)}")
