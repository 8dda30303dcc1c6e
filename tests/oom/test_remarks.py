"""What the figures of a message say beside the tensor."""

from __future__ import annotations

import pytest

HEAD = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB. "
CARD = "GPU 0 has a total capacity of 79.15 GiB of which 1.33 GiB is free. "
HELD = "Of the allocated memory {} GiB is allocated by PyTorch, and {} GiB is reserved by PyTorch but unallocated."

CASES = [
    ("fragmentation", HEAD + CARD + HELD.format("62.00", "14.00"), ["fragmentation", "expandable_segments:True"], []),
    ("hardly any is unallocated", HEAD + CARD + HELD.format("76.00", "0.40"), [], ["fragmentation"]),
    (
        "another process, beside this one",
        HEAD + CARD + "Process 7 has 30.00 GiB memory in use. Including non-PyTorch memory, this process has 46.00 GiB memory in use. "
        + HELD.format("45.00", "0.30"),
        ["other processes hold memory of this card: process 7 30.00 GiB"],
        [],
    ),
    (
        "itself under another number",
        HEAD + CARD + "Process 7 has 77.80 GiB memory in use. " + HELD.format("76.00", "0.40"),
        [], ["other processes"],
    ),
    (
        "an old wording",
        "RuntimeError: CUDA out of memory. Tried to allocate 4.64 GiB (GPU 0; 79.15 GiB total capacity; 40.00 GiB already allocated; "
        "1.33 GiB free; 41.00 GiB reserved in total by PyTorch)",
        ["used by something else"],
        ["fragmentation"],
    ),
    ("a smaller card", HEAD + "GPU 0 has a total capacity of 39.39 GiB of which 1.33 GiB is free. ", ["smaller card"], []),
    ("a larger card", HEAD + "GPU 0 has a total capacity of 139.72 GiB of which 1.33 GiB is free. ", ["larger card"], []),
    ("the same card", HEAD + CARD + HELD.format("72.00", "0.40"), [], ["card of the log"]),
    ("larger than the card", HEAD.replace("4.64", "272.00") + CARD, ["larger than the card"], ["fragmentation"]),
    ("more than the config needs", HEAD + CARD.replace("79.15", "190.00") + HELD.format("180.00", "0.10"), ["config does not say"], []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told", "silent"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_remarks(ask, sft, text: str, told: list[str], silent: list[str]) -> None:
    said = " | ".join(ask(sft, text).remarks)
    assert [word for word in told if word not in said] == []
    assert [word for word in silent if word in said] == []
