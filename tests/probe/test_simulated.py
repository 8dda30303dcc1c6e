"""The simulation against itself and against committed figures: depths, unrolling, configurations, sharding."""

# ruff: noqa: E402
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.models import all_models, find_model
from budgetlint.probe import allocator
from budgetlint.probe.config import config_of
from budgetlint.probe.depths import block_of, deepened, depths_of
from budgetlint.probe.job import Inexpressible, Job, job_of
from budgetlint.probe.simulated import simulation
from budgetlint.probe.step import simulate
from budgetlint.probe.unrolled import unrolled

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
HALF: dict[str, Any] = {"weights": 2, "grads": 2, "state": 2, "compute": 2, "optimizer_impl": "fused", "attention": "sdpa"}
DEEP: tuple[dict[str, Any], ...] = (
    {},
    {"recompute": "full"},
    {"recompute": "full", "reentrant": True, "accum": 2},
    {"weights": 4, "autocast": True, "recompute": "full"},
    {"optimizer_impl": "foreach"},
)


@pytest.mark.parametrize("family", ("llama", "gpt2", "bert"))
@pytest.mark.parametrize("changes", DEEP, ids=str)
def test_two_shallow_depths_say_what_the_full_depth_does(tiny, family: str, changes: dict[str, Any]) -> None:
    job: Job = tiny(family, layers=12, **HALF | changes)
    depths = depths_of(job)
    assert depths == (4, 6)
    lower, upper = (simulate(job, depth).trace.peaks() for depth in depths)
    shallow, full = deepened(lower, upper, depths, job.layers), simulate(job).trace.peaks()
    assert {phase: peak.bytes for phase, peak in shallow.items()} == {phase: full[phase].bytes for phase in shallow}


@pytest.mark.parametrize("changes", DEEP, ids=str)
def test_an_unrolled_trace_is_that_of_the_full_depth_to_the_allocator(tiny, changes: dict[str, Any]) -> None:
    job: Job = tiny("llama", layers=12, **HALF | changes)
    start, period = block_of(job)
    deep, full = unrolled(simulate(job, 6).trace, start, period, 6), simulate(job).trace
    assert deep is not None
    assert deep.highest() == full.highest()
    for expandable in (False, True):
        assert allocator.replay(deep, expandable=expandable) == allocator.replay(full, expandable=expandable)


def test_every_configuration_has_the_parameters_of_its_row() -> None:
    """One model of each family of the catalog that transformers has code for."""
    seen: set[str] = set()
    for arch in all_models():
        if arch.kind != "decoder" or arch.parts or arch.family in seen:
            continue
        seen.add(arch.family)
        try:
            config = config_of(arch)
        except Inexpressible:
            continue
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(config)
        assert sum(parameter.numel() for parameter in model.parameters()) == parameter_count(arch), arch.name


def test_a_model_without_code_is_refused_by_name() -> None:
    arch = find_model("qwen-7b")
    with pytest.raises(Inexpressible, match="no model code of its own for 'qwen'"):
        config_of(arch)  # type: ignore[arg-type]


@pytest.mark.parametrize("shard", ("fsdp", "fsdp2"))
def test_a_shard_holds_its_part_and_gathers_the_rest(tiny, shard: str) -> None:
    whole, one = (simulation(tiny("llama", 8, compute=2, shard=kind, world=world)) for kind, world in (("none", 1), (shard, 4)))
    resting = {name: found.phases["step"].buckets for name, found in (("whole", whole), ("one", one))}
    for bucket in ("weights", "optimizer"):
        assert resting["one"][bucket] == pytest.approx(resting["whole"][bucket] / 4, rel=0.1)
    assert one.phases["backward"].buckets["buffers"] > 0
    assert one.phases["step"].buckets["gradients"] == pytest.approx(whole.phases["step"].buckets["gradients"] / 4, rel=0.1)


@pytest.mark.parametrize("model", ("qwen2.5-0.5b fp32", "llama-3.2-1b amp_bf16", "gpt2 amp_bf16", "mistral-7b-v0.3 lora_bf16_autocast"))
def test_the_committed_oracle_is_met(context, model: str) -> None:
    """An independent simulation on patched fake CUDA tensors; this one's batch has labels of its own, 8 B a token."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        from simulated import simulated_budget
    finally:
        sys.path.remove(str(BENCHMARKS))
    lines = (BENCHMARKS / "data" / "oracle.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(row for row in map(json.loads, lines) if f"{row['model']} {row['mode']}" == model and row["checkpointing"] != "none")
    found = simulation(job_of(context(simulated_budget(case)).plan))
    assert found.bytes == pytest.approx(case["peak"], rel=2e-5)
