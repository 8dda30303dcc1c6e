"""One out-of-memory message: the figures that each version of PyTorch, and its relatives, print.

Wordings, from c10/cuda/CUDACachingAllocator.cpp of the versions: 1.0 to 1.3 ``(GPU 0; 4.00 GiB total capacity; 3.04 GiB already
allocated; 9.21 MiB free; 15.31 MiB cached)``, where cached is what is not allocated; 1.4 to 2.0 ``...; 3.30 GiB reserved in total by
PyTorch)``; 2.1 on ``GPU 0 has a total capacty of ... of which ... is free. Process 7 has ... memory in use. Including non-PyTorch
memory, this process has ... Of the allocated memory ... is allocated by PyTorch, and ... is reserved by PyTorch but unallocated``
(``capacity`` since 2.2). ROCm says HIP, torch_npu NPU, Intel XPU.
"""

from __future__ import annotations

import re

from budgetlint.base.record import record
from budgetlint.oom.sizes import AMOUNT, Quoted, quoted

OOM = re.compile(
    r"(?:CUDA|HIP|NPU|XPU|MPS|GPU|ROCm)[^.]{0,40}out of memory|OutOfMemoryError|RuntimeError: .{0,60}out of memory"
    r"|CUDA_ERROR_OUT_OF_MEMORY|hipErrorOutOfMemory|cudaErrorMemoryAllocation|CUBLAS_STATUS_ALLOC_FAILED|Allocation on device"
    r"|Tried to allocate",
    re.IGNORECASE,
)
"""What a line of a device's out-of-memory error holds."""


@record
class OtherProcess:
    """A process on the card, with what it holds, in bytes."""

    pid: int
    bytes: int


@record
class Message:
    """What the message says; None where its wording has no such figure.

    ``requested`` is what the allocator asked for; ``unallocated`` what it holds and no tensor uses; ``in_use`` all that this process
    holds; ``allowed`` the limit of ``set_per_process_memory_fraction``.
    """

    text: str
    requested: Quoted | None = None
    gpu: int | None = None
    capacity: int | None = None
    free: int | None = None
    allocated: int | None = None
    unallocated: int | None = None
    in_use: int | None = None
    allowed: int | None = None
    graphs: int | None = None
    processes: tuple[OtherProcess, ...] = ()


_FIGURES = {
    "capacity": (rf"total capaci?ty of {AMOUNT}", rf"{AMOUNT} total capacity"),
    "free": (rf"of which {AMOUNT} is free", rf"{AMOUNT} free"),
    "allocated": (rf"[Oo]f the allocated memory {AMOUNT} is allocated", rf"{AMOUNT} already allocated", rf"MPS allocated: {AMOUNT}"),
    "unallocated": (rf"{AMOUNT} is reserved by PyTorch but unallocated", rf"{AMOUNT} cached"),
    "reserved": (rf"{AMOUNT} reserved in total",),
    "in_use": (rf"this process has {AMOUNT} memory in use",),
    "allowed": (rf"{AMOUNT} allowed", rf"max allowed: {AMOUNT}"),
    "graphs": (rf"with {AMOUNT} allocated in private pools",),
}
_REQUESTED = re.compile(rf"[Tt]ried to allocate(?: more than)? {AMOUNT}")
_BYTES = re.compile(r"[Tt]ried to allocate ([0-9]{1,25}) bytes|of size ([0-9]{1,25})(?: bytes)?\b")
_GPU = re.compile(r"(?:GPU|NPU|XPU|device)[ :]+([0-9]{1,9})\b", re.IGNORECASE)
_PROCESS = re.compile(r"[Pp]rocess ([0-9]{1,18}) has " + AMOUNT + " memory in use")

NONSENSE = 2**60
"""``17179869184.00 GiB memory in use``: the driver's answer under WSL, not a figure."""


def read_message(text: str) -> Message | None:
    """The message in a text of one or a few lines; None where it is none."""
    if not OOM.search(text):
        return None
    found = {name: _first(patterns, text) for name, patterns in _FIGURES.items()}
    reserved = found.pop("reserved")
    if reserved is not None and found["allocated"] is not None:
        found["unallocated"] = max(0, reserved - found["allocated"])
    gpu = _GPU.search(text)
    return Message(
        text=text,
        requested=_requested(text),
        gpu=int(gpu[1]) if gpu else None,
        processes=tuple(_processes(text)),
        **found,
    )


def _requested(text: str) -> Quoted | None:
    found = _REQUESTED.search(text)
    if found:
        return quoted(found[1], found[2])
    plain = _BYTES.search(text)
    return quoted(plain[1] or plain[2], "bytes") if plain else None


def _first(patterns: tuple[str, ...], text: str) -> int | None:
    for pattern in patterns:
        found = re.search(pattern, text)
        if found:
            size = quoted(found[1], found[2]).bytes
            return size if size < NONSENSE else None
    return None


def _processes(text: str) -> list[OtherProcess]:
    return [OtherProcess(int(found[1]), quoted(found[2], found[3]).bytes) for found in _PROCESS.finditer(text)]
