"""What a CUDA process takes beside its tensors: the context with its kernels, and the cuBLAS workspaces."""

from __future__ import annotations

from budgetlint.catalog.device import Device
from budgetlint.record import record
from budgetlint.units import GIB, MIB

CUBLAS_WORKSPACE = 8_519_680
"""Bytes per handle and stream: 4096 x 2048 + 16 x 8 KiB (torch's default ``:4096:2:16:8``; seen as two rows of 8,519,680 B)."""

CUBLAS_WORKSPACE_SM90 = 32 * MIB
"""The default from compute capability 9.0 on (aten/src/ATen/cuda/CUDABlas.cpp: Hopper and newer)."""

CUBLAS_WORKSPACES = 2
"""Handles with a workspace in one training process: the forward thread's and the backward thread's."""


@record
class ContextRow:
    """Context bytes from capability ``since`` (inclusive) on: smallest, likeliest, largest."""

    since: tuple[int, int]
    low: int
    best: int
    high: int
    source: str


CONTEXT = (
    ContextRow((0, 0), int(0.13 * GIB), int(0.25 * GIB), int(0.6 * GIB), "no reading before Turing: a stated range"),
    ContextRow((7, 5), int(140.9 * MIB), int(140.9 * MIB), int(0.45 * GIB), "T4: 140.9 MiB in 69 runs (fitcheck); high end stated"),
    ContextRow(
        (8, 0), int(0.4 * GIB), int(0.47 * GIB), int(0.92 * GIB), "A100: 0.47 GiB lazy, 0.92 GiB eager loading (stas00, torch 2.1.1)"
    ),
    ContextRow((8, 6), int(0.25 * GIB), int(0.4 * GIB), int(0.92 * GIB), "no reading: between T4 and A100, a stated range"),
    ContextRow((9, 0), int(0.45 * GIB), int(0.52 * GIB), int(1.0 * GIB), "H100 and B200 class: 0.52 GiB (pith-train); high end stated"),
    ContextRow((12, 0), int(0.3 * GIB), int(0.45 * GIB), int(1.0 * GIB), "no reading: between Ada and Hopper, a stated range"),
)

UNKNOWN = ContextRow((0, 0), int(0.13 * GIB), int(0.5 * GIB), int(1.0 * GIB), "capability unknown: the range over every card read")


def context_row(device: Device | None) -> ContextRow:
    """The row for a device; `UNKNOWN` for a bare amount of memory or a card whose capability was not seen."""
    if device is None or device.compute_capability is None:
        return UNKNOWN
    capability = device.compute_capability
    return next(row for row in reversed(CONTEXT) if row.since <= capability)


def context_bytes(device: Device | None) -> tuple[int, int, int]:
    """CUDA context with lazily loaded kernels, bytes ``(low, best, high)``; nothing on devices without a driver context."""
    if device is not None and (device.kind == "cpu" or device.vendor == "apple"):
        return 0, 0, 0
    row = context_row(device)
    return row.low, row.best, row.high


def cublas_workspace(device: Device | None) -> int:
    """Bytes of one cuBLAS workspace on the device (no CUDA: none)."""
    if device is None:
        return CUBLAS_WORKSPACE
    if device.vendor not in ("nvidia", "") or device.kind == "cpu":
        return 0
    capability = device.compute_capability
    return CUBLAS_WORKSPACE_SM90 if capability is not None and capability >= (9, 0) else CUBLAS_WORKSPACE
