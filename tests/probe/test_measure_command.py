"""``budgetlint probe`` at its door: what each ending says, what is written, and that nothing else is. No torch is needed here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgetlint.probe import ask as asking
from budgetlint.probe.ask import Failed
from budgetlint.probe.imitate import allowance, card_named
from budgetlint.probe.job import Inexpressible
from budgetlint.probe.work import work_of
from budgetlint.resolve.runs import judge_texts

RUN = "device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full\n"
PEAK = 5_300_000_000

CARD = {"name": "NVIDIA L4", "kind": "cuda", "total": 23_796_000_000, "free": 23_300_000_000, "capability": "8.9", "driver": "570.1"}

HELD = {"weights": 3_160_000_000, "logits": 1_900_000_000}


def answer(request: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What the child would find."""
    use = {"allocated": PEAK, "reserved": 5_800_000_000, "device": 6_400_000_000}
    found = {
        "versions": {"torch": "2.13.0", "transformers": "5.24.0"}, "card": CARD, "work": request["work"], "outcome": "ok",
        "phases": {"load": {**use, "allocated": 3_160_000_000}, "backward": use}, "parameters": 1_562_179_072, "optimizer": "adamw",
        "seconds": 20.5,
        "followed": {
            "backward": {"moment": "the loss", "bytes": PEAK - 40_000_000, "live": [], "buckets": HELD},
        },
        "timeline": [{"name": "forward", "bytes": 5_000_000_000, "buckets": {"weights": 3_160_000_000}}],
    }  # fmt: skip
    return {**found, **changes}


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Stands for the child process: gives what it is told to, and keeps the requests."""
    requests: list[dict[str, Any]] = []

    def of(**changes: Any) -> list[dict[str, Any]]:
        def ask(request: dict[str, Any], limit: float, progress: Any, module: str = "") -> dict[str, Any]:
            requests.append({**request, "limit": limit})
            progress("warm-up")
            return answer(request, **changes)

        monkeypatch.setattr(asking, "ask", ask)
        monkeypatch.setattr(asking, "missing", lambda _: ())
        return requests

    return of


def failing(monkeypatch: pytest.MonkeyPatch, reason: BaseException) -> None:
    def ask(*_: Any, **__: Any) -> Any:
        raise reason

    monkeypatch.setattr(asking, "ask", ask)
    monkeypatch.setattr(asking, "missing", lambda _: ())


def files(shell: Any) -> list[str]:
    return sorted(path.name for path in shell.root.iterdir() if path.name not in (".git", ".budgetlint_cache"))


def test_estimate_and_measured_stand_side_by_side(shell: Any, child: Any) -> None:
    child()
    shell.write("run.budget", RUN)
    ran = shell("probe", "run.budget")
    assert ran.code == 0
    assert "run.budget: 4.94 GiB allocated, in backward, on NVIDIA L4" in ran.out
    assert "backward 4.92 GiB - 4.94 GiB -0.23 %" in " ".join(ran.out.split())
    assert "logits" in ran.out and "in kernels" in ran.out
    assert "run.budget: warm-up ..." in ran.err
    assert all(len(line) <= 100 for line in ran.out.splitlines())
    assert files(shell) == ["run.budget"]


def test_json_has_every_row_and_the_measurement(shell: Any, child: Any) -> None:
    child()
    shell.write("run.budget", RUN)
    (run,) = shell("probe", "run.budget", "--format", "json").json["runs"]
    assert run["outcome"] == "ok"
    row = run["phases"]["backward"]
    assert (row["measured"], row["simulated"], row["difference"]) == (PEAK, None, row["estimate"] - PEAK)
    assert row["buckets"]["logits"]["measured"] == 1_900_000_000
    assert run["totals"]["reserved"]["measured"] == 5_800_000_000
    assert run["measured"]["card"]["name"] == "NVIDIA L4"


def test_record_writes_one_line_that_check_agrees_with(shell: Any, child: Any) -> None:
    child()
    shell.write("run.budget", RUN)
    assert shell("probe", "run.budget", "--record").code == 0
    assert files(shell) == ["budget.lock", "run.budget"]
    lock = (shell.root / "budget.lock").read_text()
    assert f'run="run.budget" peak={PEAK}B reserved=5800000000B device_total=6400000000B metric="allocated" device="NVIDIA L4"' in lock
    report = shell("check", "--format", "json").json
    assert [one for one in report["findings"] if one["name"].startswith("measured")] == []
    shell("probe", "run.budget", "--record")
    assert (shell.root / "budget.lock").read_text().count("\nmeasured ") == 1


def test_a_shared_card_says_nothing_about_the_device_total(shell: Any, child: Any) -> None:
    child(card={**CARD, "free": 9_000_000_000})
    shell.write("run.budget", RUN)
    shell("probe", "run.budget", "--record")
    assert "device_total" not in (shell.root / "budget.lock").read_text()


def test_out_of_memory_is_a_result(shell: Any, child: Any) -> None:
    child(outcome="oom", failed_in="backward", followed={}, timeline=[])
    shell.write("run.budget", RUN)
    ran = shell("probe", "run.budget", "--record")
    assert ran.code == 0
    assert "out of memory in backward, on NVIDIA L4" in ran.out
    assert 'measured oom run="run.budget" phase="backward" device="NVIDIA L4"' in (shell.root / "budget.lock").read_text()
    assert [one["code"] for one in shell("check", "--format", "json").json["findings"] if one["name"].startswith("measured")] == ["BL132"]


def test_a_cell_of_a_matrix_is_recorded_by_its_settings(shell: Any, child: Any) -> None:
    child()
    shell.write("run.budget", RUN.replace("batch 1", "matrix batch=[1, 2]"))
    shell("probe", "run.budget", "--record")
    lines = [line for line in (shell.root / "budget.lock").read_text().splitlines() if line.startswith("measured")]
    assert ["batch=1 " in line for line in lines] == [True, False]
    stale = [one for one in shell("check", "--format", "json").json["findings"] if one["code"] == "BL131"]
    assert stale == []


def test_a_cpu_is_not_recorded(shell: Any, child: Any) -> None:
    child(card={"name": "CPU (x86_64)", "kind": "cpu"})
    shell.write("run.budget", RUN)
    ran = shell("probe", "run.budget", "--device", "cpu", "--record")
    assert "a CPU says nothing about a card" in ran.err
    assert files(shell) == ["run.budget"]


def test_the_time_limit_is_two_minutes_unless_said(shell: Any, child: Any) -> None:
    requests = child()
    shell.write("run.budget", RUN)
    shell("probe", "run.budget")
    shell("probe", "run.budget", "--time-limit", "7")
    assert [request["limit"] for request in requests] == [120.0, 7.0]


def test_another_card_is_imitated_with_what_it_has(shell: Any, child: Any) -> None:
    requests = child()
    shell.write("run.budget", RUN)
    shell("probe", "run.budget", "--as", "rtx-4090")
    assert requests[0]["work"]["imitated"] == "rtx-4090"
    assert requests[0]["work"]["limit"] == allowance(card_named("rtx-4090")) < card_named("rtx-4090").usable_min


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (Failed("no result within 120 s (last: warm-up): give it more with --time-limit, or a smaller run"), "--time-limit"),
        (Failed("torch 2.13.0 sees no CUDA device here: `budgetlint probe --simulate` needs none"), "--simulate"),
        (Failed("NVIDIA L4 is full: 0.10 GiB of 22.16 GiB are free"), "is full"),
        (Failed("the probe's process ended with code 1"), "ended with code 1"),
        (KeyboardInterrupt(), "nothing is left running, nothing was written"),
    ],
)
def test_each_ending_is_a_message_and_no_file(shell: Any, monkeypatch: pytest.MonkeyPatch, reason: BaseException, said: str) -> None:
    failing(monkeypatch, reason)
    shell.write("run.budget", RUN)
    ran = shell("probe", "run.budget", "--record")
    assert ran.code == 2
    assert said in ran.err
    assert files(shell) == ["run.budget"]


def test_without_torch_it_says_what_to_install(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "find_spec", lambda name: None if name in ("torch", "bitsandbytes") else object())
    shell.write("run.budget", RUN)
    ran = shell("probe", "run.budget")
    assert (ran.code, ran.out) == (2, "")
    assert "torch not installed here: pip install 'budgetlint[probe]'" in ran.err
    quantised = shell("probe", "-", stdin=RUN.replace("precision bf16-pure", "precision bf16; quant nf4"))
    assert "torch, bitsandbytes not installed here: pip install 'budgetlint[probe]' bitsandbytes" in quantised.err


@pytest.mark.parametrize(
    ("arguments", "budget", "said"),
    [
        ((), RUN.replace("qwen2.5-1.5b", "acme/no-such-model"), "the model is not known"),
        ((), RUN.replace("batch 1; ", ""), "the micro batch is not known"),
        ((), RUN.replace("recompute full", "kernels liger"), "fused kernels"),
        (("--as", "no-such-card"), RUN, "no card is called 'no-such-card'"),
        (("--as", "t4", "--record"), RUN, "a card that is imitated was not measured"),
        (("--simulate", "--record"), RUN, "a simulation is no measurement"),
        (("--run", "other"), RUN, "no run is called 'other'"),
    ],
)
def test_what_cannot_be_asked_says_what_to_do(shell: Any, child: Any, arguments: tuple[str, ...], budget: str, said: str) -> None:
    child()
    shell.write("run.budget", budget)
    ran = shell("probe", "run.budget", *arguments)
    assert ran.code == 2
    assert said in ran.err


def test_only_the_first_of_torchruns_processes_speaks(shell: Any, child: Any) -> None:
    child()
    shell.write("run.budget", RUN)
    ran = shell("probe", "run.budget", "--record", environ={"RANK": "1"})
    assert (ran.code, ran.out) == (0, "")
    assert files(shell) == ["run.budget"]


# -- the work --------------------------------------------------------------------------------------------------------------


def work(budget: str) -> Any:
    return work_of(judge_texts({"run.budget": budget}).runs[0].plan)


@pytest.mark.parametrize(
    ("quant", "kind", "double"),
    [("nf4 double=on", "nf4", True), ("nf4 double=off", "nf4", False), ("fp4", "fp4", False), ("int8", "int8", False)],
)
def test_a_base_that_bitsandbytes_packs_is_measured(quant: str, kind: str, double: bool) -> None:
    found = work(RUN.replace("precision bf16-pure", f"precision bf16; quant {quant}")).quant
    assert (found.kind, found.double) == (kind, double)


def test_zero_is_run_by_deepspeed_where_it_is_installed() -> None:
    found = work("device 8x h100-80gb; model qwen2.5-1.5b; precision bf16; optimizer adamw; batch 1; seq 512; shard zero3")
    assert (found.engine, found.job.shard, found.job.world) == ("zero3", "none", 8)


def test_what_stays_out_is_named() -> None:
    with pytest.raises(Inexpressible, match="a quantised base"):
        work(RUN.replace("precision bf16-pure", "precision bf16; quant gptq"))
    with pytest.raises(Inexpressible, match="offloading"):
        work("device 8x h100-80gb; model qwen2.5-1.5b; precision bf16; optimizer adamw; batch 1; seq 512; shard zero3 offload=[optimizer]")


def test_the_request_is_plain_json() -> None:
    found = work(RUN)
    assert type(found)(**json.loads(json.dumps(found.model_dump(mode="json")))) == found
