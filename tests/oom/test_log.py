"""Finding the message in a log: the first, of one rank among many, or the host's killer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetlint.oom.log import KEPT, find

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB. GPU 0 has a total capacity of 79.15 GiB."


def test_the_first_message_and_its_traceback() -> None:
    found = find(["loss 1", "Traceback (most recent call last):", '  File "a.py", line 1, in train', "    x.float()", OOM, "after", OOM])
    assert found is not None
    assert (found.at, found.ranks, found.read) == (5, 1, 7)
    assert found.lines[0].startswith("Traceback")
    assert found.lines[-1] == OOM


def test_one_that_quotes_an_allocation_comes_before_one_that_does_not() -> None:
    found = find(["RuntimeError: CUDA error: out of memory", OOM])
    assert found is not None
    assert found.at == 2


@pytest.mark.parametrize("prefix", ["[rank{}]: ", "{}: ", "[default{}]:[rank{}]: ", "2024-11-20 14:37:16 [rank{}]: "])
def test_interleaved_ranks_are_told_apart(prefix: str) -> None:
    def lines(rank: int, name: str) -> list[str]:
        body = ["Traceback (most recent call last):", *[f'  File "{name}.py", line {n}, in f' for n in range(5)], OOM]
        return [prefix.format(rank, rank) + line for line in body]

    mixed = [line for pair in zip(lines(0, "zero"), lines(1, "one"), strict=True) for line in pair]
    found = find(mixed)
    assert found is not None
    assert found.ranks == 2
    assert "zero.py" in "".join(found.lines)
    assert "one.py" not in "".join(found.lines)
    assert found.lines[1] == '  File "zero.py", line 0, in f'


@pytest.mark.parametrize(
    "line",
    [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4.0. Some of the step tasks have been OOM Killed.",
        "[12.3] Out of memory: Killed process 3110 (python) total-vm:812GB, anon-rss:743GB",
        "exitcode  : -9 (pid: 57250)",
        "torch.distributed.elastic.multiprocessing.errors: Signal 9 (SIGKILL) received by PID 57250",
        "[launch.py:324:sigkill_handler] exits with return code = -9",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:75] DefaultCPUAllocator: can't allocate memory: you tried to allocate 400 bytes.",
        '    reason: OOMKilled, "exitCode": 137',
    ],
)
def test_the_host_ran_out(line: str) -> None:
    found = find(["epoch 1", line])
    assert found is not None
    assert found.message is None
    assert found.at == 2
    assert found.host == line.strip()


def test_a_card_that_ran_out_comes_before_the_kill_that_follows() -> None:
    found = find([OOM, "exitcode  : -9 (pid: 57250)"])
    assert found is not None
    assert found.message is not None


def test_no_message_is_none() -> None:
    assert find(["loss 0.1", "If you run out of memory use a smaller batch", "lr 1e-9"]) is None


def test_long_logs_are_not_kept() -> None:
    found = find(line for part in ((f"step {n}" for n in range(50_000)), ("x" * 100_000, OOM)) for line in part)
    assert found is not None
    assert found.read == 50_002
    assert len(found.lines) <= KEPT + 1
    assert max(map(len, found.lines)) < 10_000


PIECES = [
    "Tried to allocate ",
    "4.64 GiB",
    "CUDA out of memory. ",
    "[rank0]: ",
    "Traceback (most recent call last):",
    '  File "',
    "GPU ",
    "-9",
    "\0",
]


@given(st.lists(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=6).map("".join), max_size=30))
def test_no_log_breaks_it(lines: list[str]) -> None:
    found = find(lines)
    assert found is None or found.read == len(lines)
