"""What a CUDA process takes beside its tensors: the context with its kernels, and the cuBLAS workspaces."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.base.units import GIB, MIB
from budgetlint.catalog.device import Device

CUBLAS_WORKSPACE = 8_519_680
"""Bytes per handle and stream: 4096 x 2048 + 16 x 8 KiB (torch's default ``:4096:2:16:8``; seen as two rows of 8,519,680 B)."""

CUBLAS_WORKSPACE_SM90 = 32 * MIB
"""The default from compute capability 9.0 on (aten/src/ATen/cuda/CUDABlas.cpp: Hopper and newer)."""

CUBLAS_WORKSPACES = 2
"""Handles with a workspace in one training process: the forward thread's and the backward thread's."""


@record
class ContextRow:
    """Context bytes from capability ``since`` (inclusive) on: smallest, likeliest, largest; ``eager``: with every kernel loaded at once,
    0 where nobody read it."""

    since: tuple[int, int]
    low: int
    best: int
    high: int
    source: str
    eager: int = 0


CONTEXT = (
    ContextRow(
        (0, 0),
        int(0.13 * GIB),
        int(0.25 * GIB),
        int(0.6 * GIB),
        "no lazy reading before Turing: a stated range; V100 with eager loading 1343 MiB (transformers perf_train_gpu_one.mdx@0016acf7)",
        eager=1343 * MIB,
    ),
    ContextRow((7, 5), int(140.9 * MIB), int(140.9 * MIB), int(0.45 * GIB), "T4: 140.9 MiB in 69 runs (fitcheck); high end stated"),
    ContextRow(
        (8, 0),
        int(0.4 * GIB),
        int(0.47 * GIB),
        int(0.92 * GIB),
        "A100: 0.47 GiB lazy, 0.92 GiB eager loading (stas00, torch 2.1.1)",
        eager=int(0.92 * GIB),
    ),
    ContextRow((8, 6), int(0.25 * GIB), int(0.4 * GIB), int(0.92 * GIB), "no reading: between T4 and A100, a stated range"),
    ContextRow((9, 0), int(0.45 * GIB), int(0.52 * GIB), int(1.0 * GIB), "H100 and B200 class: 0.52 GiB (pith-train); high end stated"),
    ContextRow((12, 0), int(0.3 * GIB), int(0.45 * GIB), int(1.0 * GIB), "no reading: between Ada and Hopper, a stated range"),
)

PROCESS = ContextRow(
    (0, 0),
    int(0.5 * GIB),
    int(1.5 * GIB),
    5 * GIB,
    "Python with torch 2.13 and transformers 5.24 (CPU): 0.4 GiB resident; the system: stated",
)

UNKNOWN = ContextRow((0, 0), int(0.13 * GIB), int(0.5 * GIB), int(1.0 * GIB), "capability unknown: the range over every card read")


def context_row(device: Device | None) -> ContextRow:
    """The row for a device; `UNKNOWN` for a bare amount of memory or a card whose capability was not seen."""
    if device is None or device.compute_capability is None:
        return UNKNOWN
    capability = device.compute_capability
    return next(row for row in reversed(CONTEXT) if row.since <= capability)


def context_bytes(device: Device | None, *, eager: bool = False) -> tuple[int, int, int]:
    """CUDA context with lazily loaded kernels, bytes ``(low, best, high)``; nothing on devices without a driver context. ``eager``: with
    all of them (torch before 1.13), as read, else from the lazy range's top to twice that."""
    if device is not None and (device.kind == "cpu" or device.vendor == "apple"):
        return 0, 0, 0
    row = context_row(device)
    if eager:
        return (row.eager, row.eager, row.eager + row.low) if row.eager else (row.high, row.high, 2 * row.high)
    return row.low, row.best, row.high


def process_bytes(device: Device | None) -> tuple[int, int, int]:
    """What the process and the system take of a memory that they share with the device, bytes ``(low, best, high)``. Metal's working set
    leaves them a quarter or a third of the machine already, and a card of its own memory does not hold them."""
    if device is None or device.vendor == "apple" or not (device.unified or device.kind == "cpu"):
        return 0, 0, 0
    return PROCESS.low, PROCESS.best, PROCESS.high


def cublas_workspace(device: Device | None) -> int:
    """Bytes of one cuBLAS workspace on the device (no CUDA: none)."""
    if device is None:
        return CUBLAS_WORKSPACE
    if device.vendor not in ("nvidia", "") or device.kind == "cpu":
        return 0
    capability = device.compute_capability
    return CUBLAS_WORKSPACE_SM90 if capability is not None and capability >= (9, 0) else CUBLAS_WORKSPACE
