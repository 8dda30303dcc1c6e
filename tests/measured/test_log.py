"""What a log of a training run says about memory, and that each trainer's word is taken for what it is."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.measured.log import read_log

GIB = 2**30

LINES: list[tuple[str, dict[str, int]]] = [
    ("{'loss': 1.2, 'memory/max_mem_active(gib)': 14.56, 'memory/max_mem_allocated(gib)': 14.5, 'memory/device_mem_reserved(gib)': 15.25}",
     {"allocated": 29 * GIB // 2, "reserved": 61 * GIB // 4}),
    ("[titan] step: 10  loss:  7.0  memory: 40.50GiB(51.2%)  tps: 6,000", {"reserved": 81 * GIB // 2}),
    ("Step 4 | loss:1.5 peak_memory_active:9.5 peak_memory_alloc:9.25 peak_memory_reserved:10.5",
     {"allocated": 37 * GIB // 4, "reserved": 21 * GIB // 2}),
    ("Memory used: 21.30 GB", {"allocated": 21_300_000_000}),
    ("{'loss': 1.0, 'learning_rate': 1e-06, 'memory(GiB)': 43.5, 'train_speed(iter/s)': 0.06}", {"reserved": 87 * GIB // 2}),
    ("Peak reserved memory = 9.5 GB.", {"reserved": 19 * GIB // 2}),
    ("Peak reserved memory for training = 2.5 GB.", {}),
    ("[Rank 0] (after 10 iterations) memory (MB) | allocated: 9813.2 | max allocated: 12345.5 | reserved: 13000.0 | max reserved: 13000.0",
     {"allocated": 24691 * 2**19, "reserved": 13000 * 2**20}),
    ("MA 7.12 GB         Max_MA 8.5 GB         CA 9.0 GB         Max_CA 9 GB ", {"allocated": 17 * GIB // 2, "reserved": 9 * GIB}),
    ("| N/A   34C    P0             28W /   72W |    6123MiB /  23034MiB |      0%      Default |", {"device_total": 6123 * 2**20}),
    ("6123 MiB, 23034 MiB", {"device_total": 6123 * 2**20}),
    ("max_memory_allocated: 5315022028", {"allocated": 5_315_022_028}),
    ("torch.cuda.max_memory_allocated() = 4.5 GiB", {"allocated": 9 * GIB // 2}),
    ('budgetlint: measured peak=5315022028B metric="allocated" reserved=6000000000B device="NVIDIA L4" torch="2.13.0"',
     {"allocated": 5_315_022_028, "reserved": 6_000_000_000}),
    ("the memory of this run is 5 GiB", {}),
    ("{'loss': 14.56, 'epoch': 52.0}", {}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "figures"), LINES, ids=[line[:30] for line, _ in LINES])
def test_a_line(line: str, figures: dict[str, int]) -> None:
    assert read_log([line + "\n"]).figures == figures


def test_the_most_over_the_log_counts_with_its_line() -> None:
    seen = read_log(f"max_memory_allocated: {size}\n" for size in (5, 9, 7))
    assert (seen.figures, seen.lines) == ({"allocated": 9}, {"allocated": 2})


def test_card_and_torch_are_read_where_they_are_named() -> None:
    log = ["PyTorch version: 2.13.0\n", "|   0  NVIDIA L4                      On  |   00000000:00:03.0 Off |\n"]
    seen = read_log(log)
    assert (seen.device, seen.torch) == ("NVIDIA L4", "2.13.0")


RUN = "device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full\n"


def test_a_log_becomes_a_line_that_check_agrees_with(shell: Any) -> None:
    shell.write("run.budget", RUN)
    shell.write(
        "train.log", 'x\nbudgetlint: measured peak=5300000000B metric="allocated" reserved=5800000000B device="NVIDIA L4" torch="2.13.0"\n'
    )
    ran = shell("probe", "run.budget", "--from-log", "train.log", "--record")
    assert ran.code == 0
    assert "allocated: 4.94 GiB, line 2; estimated 4.92 GiB, -0.2 %" in ran.out
    lock = (shell.root / "budget.lock").read_text()
    assert 'measured run="run.budget" peak=5300000000B reserved=5800000000B metric="allocated" device="NVIDIA L4" torch="2.13.0"' in lock
    found = shell("check", "--format", "json").json["findings"]
    assert [one["code"] for one in found if one["name"].startswith("measured")] == []
    shell.write("run.budget", RUN.replace("batch 1", "batch 2"))
    stale = shell("check", "--format", "json").json["findings"]
    assert [one["code"] for one in stale if one["name"].startswith("measured")] == ["BL131"]


def test_a_log_that_ends_out_of_memory_is_recorded_as_that(shell: Any) -> None:
    shell.write("run.budget", RUN)
    log = "max_memory_allocated: 21 GiB\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.16 GiB. GPU 0 has 22.16 GiB\n"
    ran = shell("probe", "run.budget", "--from-log", "-", "--record", stdin=log)
    assert ran.out.startswith('measured oom run="run.budget"')
    assert shell("check").code == 1


def test_without_record_nothing_is_written(shell: Any) -> None:
    shell.write("run.budget", RUN)
    shell("probe", "run.budget", "--from-log", "-", stdin="Memory used: 5.30 GB\n")
    assert not (shell.root / "budget.lock").exists()


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (("--from-log", "-"), "loss 1.0\n", "no memory figure that is known"),
        (("--from-log", "no.log"), "", "no.log does not exist"),
        (("--from-log", "."), "", "is no file"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(shell: Any, arguments: tuple[str, ...], stdin: str, said: str) -> None:
    shell.write("run.budget", RUN)
    ran = shell("probe", "run.budget", *arguments, stdin=stdin)
    assert ran.code == 2
    assert said in ran.err


def test_a_log_is_of_one_run(shell: Any) -> None:
    shell.write("runs.budget", RUN + "run one { batch 1 }\nrun two { batch 2 }\n")
    ran = shell("probe", "--from-log", "-", stdin="Memory used: 5.30 GB\n")
    assert ran.code == 2 and "--run NAME" in ran.err and "one" in ran.err


def test_a_lock_with_a_broken_line_is_not_overwritten(shell: Any) -> None:
    shell.write("run.budget", RUN)
    shell.write("budget.lock", "measured peek=1GiB\n")
    ran = shell("probe", "run.budget", "--from-log", "-", "--record", stdin="Memory used: 5.30 GB\n")
    assert ran.code == 2 and "not overwritten" in ran.err
    assert (shell.root / "budget.lock").read_text() == "measured peek=1GiB\n"
