"""Every wording of an out-of-memory message gives its figures."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.oom.message import OtherProcess, read_message
from budgetlint.oom.sizes import quoted


def size(text: str) -> int:
    return quoted(*text.split()).bytes


WORDINGS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "torch 2.2 on",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB. GPU 3 has a total capacity of 79.15 "
        "GiB of which 1.33 GiB is free. Process 55179 has 77.81 GiB memory in use. Of the allocated memory 70.88 GiB is"
        " allocated by PyTorch, and 4.62 GiB is reserved by PyTorch but unallocated.",
        {
            "gpu": 3,
            "capacity": size("79.15 GiB"),
            "free": size("1.33 GiB"),
            "allocated": size("70.88 GiB"),
            "unallocated": size("4.62 GiB"),
            "processes": (OtherProcess(55179, size("77.81 GiB")),),
        },
    ),
    (
        "torch 2.1, a misspelling, this process",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 98.00 MiB. GPU 0 has a total capacty of "
        "22.02 GiB of which 165.19 MiB is free. Including non-PyTorch memory, this process has 21.86 GiB memory in use."
        " Of the allocated memory 21.13 GiB is allocated by PyTorch, and 458.98 MiB is reserved by PyTorch but "
        "unallocated.",
        {"gpu": 0, "capacity": size("22.02 GiB"), "in_use": size("21.86 GiB"), "processes": ()},
    ),
    (
        "torch 1.4 to 2.0",
        "RuntimeError: CUDA out of memory. Tried to allocate 2.32 GiB (GPU 0; 23.69 GiB total capacity; 20.10 GiB "
        "already allocated; 1.10 GiB free; 21.00 GiB reserved in total by PyTorch)",
        {"gpu": 0, "capacity": size("23.69 GiB"), "allocated": size("20.10 GiB"), "unallocated": size("21.00 GiB") - size("20.10 GiB")},
    ),
    (
        "torch 1.0 to 1.3: cached is what is not allocated",
        "RuntimeError: CUDA out of memory. Tried to allocate 85.00 MiB (GPU 0; 4.00 GiB total capacity; 3.04 GiB "
        "already allocated; 9.21 MiB free; 15.31 MiB cached)",
        {"unallocated": size("15.31 MiB"), "free": size("9.21 MiB")},
    ),
    (
        "a limit and graphs",
        "CUDA out of memory. Tried to allocate 1.96 GiB. GPU 1 has a total capacity of 63.29 GiB of which 1.82 GiB is "
        "free. Including non-PyTorch memory, this process has 61.46 GiB memory in use. 40.00 GiB allowed; Of the "
        "allocated memory 22.97 GiB is allocated by PyTorch, with 2.14 GiB allocated in private pools (e.g., CUDA "
        "Graphs), and 37.00 GiB is reserved by PyTorch but unallocated.",
        {"allowed": size("40.00 GiB"), "graphs": size("2.14 GiB"), "unallocated": size("37.00 GiB")},
    ),
    (
        "ROCm",
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 896.00 MiB. GPU 0 has a total capacity of 191.98 "
        "GiB of which 0 bytes is free. Of the allocated memory 190.00 GiB is allocated by PyTorch, and 1.00 GiB is "
        "reserved by PyTorch but unallocated.",
        {"free": 0, "capacity": size("191.98 GiB")},
    ),
    (
        "Ascend",
        "RuntimeError: NPU out of memory. Tried to allocate 130.00 MiB (NPU 2; 29.50 GiB total capacity; 28.45 GiB "
        "already allocated; 28.45 GiB current active; 39.18 MiB free; 28.67 GiB reserved in total by PyTorch)",
        {"gpu": 2, "capacity": size("29.50 GiB"), "free": size("39.18 MiB")},
    ),
    (
        "Apple",
        "RuntimeError: MPS backend out of memory (MPS allocated: 17.00 GiB, other allocations: 1.00 GiB, max allowed: "
        "18.13 GiB). Tried to allocate 256.00 MiB on private pool.",
        {"allocated": size("17.00 GiB"), "allowed": size("18.13 GiB")},
    ),
    (
        "WSL prints no figure",
        "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 1 has a total capacty of 24.00 GiB of which 0 bytes is "
        "free. Including non-PyTorch memory, this process has 17179869184.00 GiB memory in use.",
        {"in_use": None, "capacity": size("24.00 GiB")},
    ),
    (
        "an empty number of the card",
        "CUDA out of memory. Tried to allocate 3.91 GiB. GPU  has a total capacity of 23.68 GiB of which 3.38 GiB is free.",
        {"gpu": None, "capacity": size("23.68 GiB")},
    ),
]


@pytest.mark.parametrize(("text", "figures"), [row[1:] for row in WORDINGS], ids=[row[0] for row in WORDINGS])
def test_wordings(text: str, figures: dict[str, Any]) -> None:
    message = read_message(text)
    assert message is not None
    assert message.requested is not None
    assert {name: getattr(message, name) for name in figures} == figures


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("CUDA out of memory. Tried to allocate 4.64 GiB.", "4.64 GiB"),
        ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate more than 1.00 EiB", None),
        ("RuntimeError: CUDA error: out of memory", None),
        ("torch.OutOfMemoryError: Allocation on device", None),
        ("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", None),
    ],
)
def test_some_quote_no_allocation(text: str, wanted: str | None) -> None:
    message = read_message(text)
    assert message is not None
    assert (message.requested.text if message.requested else None) == wanted


@pytest.mark.parametrize(
    "text", ["", "loss 0.3", "If you run out of memory, lower the batch size.", "set max_split_size_mb to avoid fragmentation"]
)
def test_other_lines_are_none(text: str) -> None:
    assert read_message(text) is None
