"""What Megatron-LM of 2021 and DeepSpeed's engine keep on the ranks of a pipeline, stage by stage, against their own logs and by hand."""

from __future__ import annotations

import pytest

from budgetlint.memory.estimate import Estimate
from budgetlint.report.bill import render
from budgetlint.report.estimate_json import document
from budgetlint.resolve.runs import judge_texts

MEGATRON = "precision fp16; optimizer fused_adam; seq 1024; recompute full; attention eager; shard none"


def stage(model: str, stages: int, index: int | None, batch: str, stack: str) -> Estimate:
    which = "" if index is None else f" stage={index}"
    text = f"device 4x v100-32gb; nodes {stages}; model {model}; {MEGATRON}; batch {batch}; parallel tp=4 pp={stages}{which}; stack {stack}"
    (run,) = judge_texts({}, budget=text).runs
    assert run.estimate is not None
    return run.estimate


@pytest.mark.parametrize(
    ("model", "stages", "index", "printed"),
    [
        ("gpt-48x7168", 8, 0, 23_187_226_624),
        ("gpt-48x7168", 8, 4, 21_018_719_232),
        ("gpt-64x9216", 16, 15, 25_541_900_800),
        ("gpt-64x12288", 32, 16, 20_823_687_168),
    ],
)
def test_a_stage_of_megatron_as_its_log_has_it(model: str, stages: int, index: int, printed: int) -> None:
    """bigscience experiments/gpt2-meg/*.out, ``max allocated`` of iteration 20."""
    assert stage(model, stages, index, "1 accum=4", "megatron@2.4").allocated.bytes == pytest.approx(printed, rel=0.005)


@pytest.mark.parametrize(("index", "printed"), [(0, 20_930_701_312), (1, 18_310_179_328), (8, 16_313_687_040), (15, 19_058_265_600)])
def test_a_stage_of_deepspeeds_engine_as_its_log_has_it(index: int, printed: int) -> None:
    """bigscience experiments/gpt2-meg-ds-3d/meg_ds_3d_gpt2_perf_n16-ds-on.out."""
    allocated = stage("gpt-64x8192", 16, index, "4 accum=256", "megatron deepspeed@0.3.16").allocated.bytes
    assert allocated == pytest.approx(printed, rel=0.05)


def test_megatron_2_4_leaves_six_bytes_a_parameter_behind() -> None:
    """22 B a parameter in the backward: weights 2, gradients 2, master 4, moments 8, and of the step before 2 and 4."""
    estimate = stage("gpt-48x7168", 8, 4, "1 accum=4", "megatron@2.4")
    params = 925_177_344
    of_state = [t.bytes for t in estimate.phase("backward").terms if params in dict(t.dims).values()]
    assert sum(of_state) == 22 * params
    newer = stage("gpt-48x7168", 8, 4, "1 accum=4", "megatron@3.0")
    assert sum(t.bytes for t in newer.phase("backward").terms if params in dict(t.dims).values()) == 16 * params


def test_outputs_of_three_micro_batches_and_their_checkpoints() -> None:
    """All 4 forwards come before the first backward: with every gradient there, 3 are in flight, each with 6 checkpoints of
    1,024 x 7,168 x 2 B; the stage also keeps what it sent."""
    hidden = 1024 * 7168 * 2
    terms = stage("gpt-48x7168", 8, 4, "1 accum=4", "megatron@2.4").phase("backward").terms
    flying = sum(t.bytes for t in terms if t.id.startswith(("pipeline.in-flight", "checkpoints.")))
    assert flying == 3 * 6 * hidden
    assert [t.bytes for t in terms if t.id == "pipeline.stage-outputs"] == [4 * hidden]


def test_deepspeed_keeps_its_part_of_an_output() -> None:
    """``_exec_forward_pass``: a quarter with four tensor-parallel ranks, of 8 micro batches on stage 8 of 16."""
    terms = stage("gpt-64x8192", 16, 8, "4 accum=256", "megatron deepspeed@0.3.16").phase("backward").terms
    assert [t.bytes for t in terms if t.id == "pipeline.stage-outputs"] == [8 * 4 * 1024 * 8192 * 2 // 4]
    assert not [t for t in terms if t.id.startswith("gradients-left.")]


def test_the_worst_rank_stands_in_the_bill_and_in_the_json() -> None:
    text = "device 4x v100-32gb; nodes 8; model gpt-48x7168; batch 1 accum=4; parallel tp=4 pp=8; stack megatron@2.4; " + MEGATRON
    (run,) = judge_texts({}, budget=text).runs
    lines = " ".join(render(run).split())
    words = "pipeline stage 0 of 8 (embedding, 6 layers, 4 micro batches in flight), 1/4 of the linears"
    assert f"worst rank: {words}" in lines
    rank = document([run])["runs"][0]["rank"]
    assert rank == {
        "stage": 0, "stages": 8, "layers": 6, "embedding": True, "head": False, "in_flight": 4.0, "tensor": 4, "context": 1,
        "expert": 1, "params": 1_023_350_272, "text": words,
    }  # fmt: skip
    (alone,) = judge_texts({}, budget="device h200; model qwen2.5-1.5b; batch 1; seq 512").runs
    assert document([alone])["runs"][0]["rank"] is None


def test_a_stage_that_is_not_there_is_refused() -> None:
    estimate = stage("gpt-48x7168", 8, 8, "1 accum=4", "megatron@2.4")
    assert "parallel" in estimate.missing
    assert any("no stage 8 of 8" in assumption.text for assumption in estimate.assumptions)


def test_the_second_stage_of_a_mixture_whose_first_layers_are_dense() -> None:
    """DeepSeek-V3's first three layers are dense: stage 1 holds four mixtures of 256 experts / 8, and 15 micro batches are in flight."""
    text = "device 8x h200; nodes 16; model deepseek-v3; precision bf16; optimizer fused_adam; batch 1 accum=32; seq 4096; recompute full"
    (run,) = judge_texts({}, budget=f"{text}; shard zero1; parallel pp=16 ep=8; stack megatron").runs
    rank = document([run])["runs"][0]["rank"]
    assert (rank["stage"], rank["layers"], rank["in_flight"], rank["expert"]) == (1, 4, 15.0, 8)
