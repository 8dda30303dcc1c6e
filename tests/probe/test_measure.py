"""The measurement itself, on a CPU: the child that a GPU would have, with storages counted where torch has no counters there."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")

from budgetlint.probe import engines  # noqa: E402
from budgetlint.probe.ask import Failed, ask  # noqa: E402
from budgetlint.probe.job import Inexpressible  # noqa: E402
from budgetlint.probe.machine import Cuda, refuse_full  # noqa: E402
from budgetlint.probe.measurement import Card, Measurement, Use  # noqa: E402
from budgetlint.probe.work import Work, work_of  # noqa: E402
from budgetlint.resolve.runs import judge_texts  # noqa: E402

pytestmark = pytest.mark.slow

TINY = "model custom family=llama hidden=64 layers=3 heads=4 kv_heads=2 intermediate=128 vocab=512 max_positions=512"
LIMIT = 240.0
MIB = 2**20
GIB = 2**30


def work(recipe: str, **options: Any) -> Work:
    plan = judge_texts({"run.budget": f"device l4; {TINY}; batch 2; seq 64; {recipe}"}).runs[0].plan
    return work_of(plan, **{"device": "cpu", "warmup": 1, "steps": 1, **options})


def child(asked: Work, heard: list[str] | None = None, limit: float = LIMIT) -> Measurement:
    said = [] if heard is None else heard
    return Measurement(**ask({"work": asked.model_dump(mode="json")}, limit, said.append))


@pytest.fixture(scope="module")
def full() -> Measurement:
    return child(work("precision bf16-autocast; optimizer adamw"))


def test_phases_are_measured_and_buckets_add_up_to_them(full: Measurement) -> None:
    assert (full.outcome, list(full.phases)) == ("ok", ["load", "forward", "backward", "step"])
    for phase in ("forward", "backward", "step"):
        followed = full.followed[phase]
        assert sum(followed.buckets.values()) == followed.bytes
        assert followed.bytes == pytest.approx(full.phases[phase].allocated, rel=0.002)


def test_the_states_are_there_in_bytes(full: Measurement) -> None:
    """fp32 weights and gradients, two fp32 moments; every tensor in blocks of 512 B."""
    step = full.followed["step"].buckets
    size = full.parameters * 4
    assert (step["weights"], step["gradients"]) == (pytest.approx(size, rel=0.01), pytest.approx(size, rel=0.01))
    assert step["optimizer"] == pytest.approx(2 * size, rel=0.02)


def test_the_timeline_goes_from_rest_to_the_step(full: Measurement) -> None:
    names = [moment.name for moment in full.timeline]
    assert (names[0], names[1], names[-1]) == ("at rest", "forward", "step")
    assert "backward: the loss" in names
    assert full.phase == "backward"


def test_it_agrees_with_the_simulation_of_the_same_step(full: Measurement) -> None:
    """Weights, gradients, states and logits to the byte; activations but for kernels that a CPU has not."""
    from budgetlint.probe.simulated import simulation

    found = simulation(full.work.job, full_depth=True)
    for phase in ("forward", "backward", "step"):
        mine, theirs = full.followed[phase].buckets, found.phases[phase].buckets
        assert {name: mine[name] for name in ("weights", "gradients", "logits")} == {
            name: theirs[name] for name in ("weights", "gradients", "logits")
        }
        assert full.phases[phase].allocated == pytest.approx(found.phases[phase].bytes, rel=0.01)


def test_an_adapter_with_recomputation_on_a_frozen_base() -> None:
    found = child(work("precision bf16-pure; lora r=4; optimizer adamw; recompute full"))
    assert found.outcome == "ok"
    step = found.followed["step"].buckets
    assert 0 < step["gradients"] < step["weights"] // 4


def test_out_of_memory_is_a_result_with_its_phase() -> None:
    found = child(work("precision bf16-autocast; optimizer adamw", limit=3_000_000, imitated="t4"))
    assert (found.outcome, found.failed_in) == ("oom", "backward")
    assert found.phases["backward"].allocated <= 3_000_000 + MIB
    assert found.followed == {} and "out of memory in backward" in found.notes[0]


def test_an_optimizer_without_its_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from budgetlint.probe import optimizers_real

    monkeypatch.setattr(optimizers_real, "find_spec", lambda _: None)
    weight = torch.nn.Parameter(torch.zeros(8, 8))
    made, name, note = optimizers_real.real_optimizer(work("precision bf16-autocast; optimizer adamw8bit").job, [weight])
    assert name == "stand-in for adamw8bit" and "pip install bitsandbytes" in note
    made.step()
    assert list(optimizers_real.states_of(made))


def test_a_packed_base_without_bitsandbytes_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from budgetlint.probe import quantise

    monkeypatch.setattr(quantise, "find_spec", lambda _: None)
    asked = work("precision bf16; quant nf4; lora r=4; optimizer adamw")
    assert asked.quant is not None
    with pytest.raises(Inexpressible, match="pip install bitsandbytes"):
        quantise.quantise(torch.nn.Module(), asked.quant)


# -- what stands in the way ------------------------------------------------------------------------------------------------


def test_without_a_gpu_it_says_what_works_without_one() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one here")
    with pytest.raises(Failed, match=r"sees no CUDA device here.*--simulate"):
        child(work("precision bf16-autocast; optimizer adamw", device="cuda"))


def test_a_model_that_transformers_has_no_code_for() -> None:
    asked = work("precision bf16-autocast; optimizer adamw")
    job = asked.job.model_copy(update={"arch": {**asked.job.arch, "family": "no_such_family"}})
    with pytest.raises(Failed, match="no_such_family"):
        child(asked.model_copy(update={"job": job}))


def test_the_time_limit_holds_in_the_middle_of_the_import() -> None:
    with pytest.raises(Failed, match=r"no result within 0\.5 s"):
        child(work("precision bf16-autocast; optimizer adamw"), limit=0.5)


def test_ctrl_c_in_the_middle_leaves_no_process() -> None:
    class Stop(list[str]):
        def append(self, text: str) -> None:
            if "warm-up" in text:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        child(work("precision bf16-autocast; optimizer adamw"), Stop())
    left = subprocess.run(["ps", "--ppid", str(_me()), "-o", "args="], capture_output=True, text=True, check=False).stdout
    assert "budgetlint.probe.child" not in left


def _me() -> int:
    import os

    return os.getpid()


def test_modules_of_the_working_directory_are_not_run(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('run')\n")
    monkeypatch.chdir(tmp_path)
    assert child(work("precision bf16-pure; lora r=4; optimizer sgd")).outcome == "ok"


# -- a CUDA device that is not there ---------------------------------------------------------------------------------------


def fake(free: int = 20 * GIB, total: int = 24 * GIB, **changes: Any) -> Any:
    """What stands for `torch.cuda`."""
    said: dict[str, Any] = {
        "is_available": lambda: True, "set_device": lambda _: None, "mem_get_info": lambda: (free, total),
        "get_device_name": lambda: "NVIDIA L4", "get_device_capability": lambda: (8, 9), "synchronize": lambda: None,
        "reset_peak_memory_stats": lambda: None, "max_memory_allocated": lambda: 5 * GIB, "max_memory_reserved": lambda: 6 * GIB,
    }  # fmt: skip
    return SimpleNamespace(**said | changes)


def test_the_counters_of_a_cuda_device_are_read_by_phase() -> None:
    machine = Cuda(work("precision bf16-autocast"), cuda=fake())
    machine.begin()
    assert machine.end() == Use(allocated=5 * GIB, reserved=6 * GIB, device=4 * GIB)
    assert (machine.card.name, machine.card.capability, machine.card.free) == ("NVIDIA L4", "8.9", 20 * GIB)


def test_a_full_card_says_who_to_look_for() -> None:
    with pytest.raises(Inexpressible, match=r"NVIDIA L4 is full: 0\.50 GiB of 24\.00 GiB.*nvidia-smi.*CUDA_VISIBLE_DEVICES"):
        Cuda(work("precision bf16-autocast"), cuda=fake(free=GIB // 2))


@pytest.mark.parametrize(
    ("free", "least", "full"), [(20 * GIB, 0, False), (20 * GIB, 21 * GIB, True), (2 * GIB, 0, True), (3 * GIB, 0, False)]
)
def test_when_a_card_is_full(free: int, least: int, full: bool) -> None:
    card = Card(name="NVIDIA L4", kind="cuda", total=24 * GIB, free=free)
    if full:
        with pytest.raises(Inexpressible):
            refuse_full(card, least)
    else:
        refuse_full(card, least)


def test_a_smaller_card_is_a_share_of_the_larger_one() -> None:
    shares: list[float] = []
    asked = work("precision bf16-autocast", limit=12 * GIB, imitated="rtx-3060")
    Cuda(asked, cuda=fake(set_per_process_memory_fraction=shares.append))
    assert shares == [0.5]
    with pytest.raises(Inexpressible, match="imitate a smaller one"):
        Cuda(asked.model_copy(update={"limit": 48 * GIB}), cuda=fake())


# -- several devices -------------------------------------------------------------------------------------------------------


def test_a_run_on_several_devices_says_how_to_start_it() -> None:
    job = work("precision bf16-autocast").job.model_copy(update={"world": 4, "shard": "ddp"})
    with pytest.raises(Inexpressible, match="torchrun --nproc_per_node 4 -m budgetlint probe"):
        engines.refuse_world(job, 1)


def test_the_worst_of_the_ranks_counts() -> None:
    assert engines._most([Use(allocated=1, reserved=5), Use(allocated=3)]) == Use(allocated=3, reserved=5)


@pytest.mark.parametrize("shard", ["ddp", "fsdp2"])
def test_two_ranks_under_torchrun(shard: str, tmp_path: Any) -> None:
    (tmp_path / "run.budget").write_text(f"device 2x l4; {TINY}; batch 2; seq 64; precision bf16-autocast; optimizer adamw; shard {shard}")
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m", "budgetlint", "probe", "run.budget"]
    ran = subprocess.run(
        [sys.executable, *command, "--device", "cpu", "--steps", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("allocated, in") == 1
    assert "2 ranks, the worst of them" in ran.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["run.budget"]


class FakeEngine:
    """DeepSpeed's engine as far as the probe calls it."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, **_: Any) -> Any:
        self.calls.append("forward")
        return SimpleNamespace(loss=torch.zeros(()))

    def backward(self, _: Any) -> None:
        self.calls.append("backward")

    def step(self) -> None:
        self.calls.append("step")


def test_deepspeed_runs_backward_and_step_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, given = FakeEngine(), {}

    def initialize(**named: Any) -> tuple[Any, ...]:
        given.update(named)
        return engine, None, None, None

    monkeypatch.setitem(sys.modules, "deepspeed", SimpleNamespace(initialize=initialize))
    monkeypatch.setattr(engines, "find_spec", lambda _: object())
    asked = work("precision bf16; optimizer adamw").model_copy(update={"engine": "zero2"})
    made = engines.engine_of("model", asked, "optimizer")
    made.backward(made().loss)
    made.step()
    assert engine.calls == ["forward", "backward", "step"]
    assert given["config"]["zero_optimization"] == {"stage": 2} and given["config"]["bf16"] == {"enabled": True}


def test_without_deepspeed_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    with pytest.raises(Inexpressible, match="pip install deepspeed"):
        engines.engine_of("model", work("precision bf16; optimizer adamw").model_copy(update={"engine": "zero3"}), "optimizer")
