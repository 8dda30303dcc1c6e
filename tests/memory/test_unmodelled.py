"""What cannot be modelled is refused by name: the verdict is unknown, the name is missing, a line says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetlint.base.units import GIB
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.estimator import estimate
from budgetlint.memory.planner import plan_run
from budgetlint.memory.standing import Capacity
from budgetlint.memory.unmodelled import TABLE, names_of
from budgetlint.readers.accelerate.keys import to_unmodelled
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings

SWIFT = (
    "NPROC_PER_NODE=2 CUDA_VISIBLE_DEVICES=0,1 swift sft --model_id_or_path LLM-Research/Meta-Llama-3-8B-Instruct --sft_type lora "
    "--dataset d --max_length 2048 --batch_size 12 --gradient_checkpointing no{more}\n"
)
AXOLOTL = (
    "base_model: NousResearch/Meta-Llama-3-8B\nsequence_len: 8192\nmicro_batch_size: 4\nnum_epochs: 1\noptimizer: adamw_torch\n"
    "datasets:\n  - path: d\n    type: alpaca\nbf16: true\nlearning_rate: 0.0002\n{more}\n"
)
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --micro-batch-size 1 "
    "--global-batch-size 64 --seq-length 4096 --max-position-embeddings 4096 --train-iters 10 --lr 1e-4 --bf16 "
    "--tokenizer-type GPT2BPETokenizer --tensor-model-parallel-size 2{more}\n"
)
ASKED = [
    ("torchacc", "t.sh", SWIFT, " --fsdp_num 2"),
    ("tiled-mlp", "t.yaml", AXOLOTL, "tiled_mlp: true"),
    ("mtp", "t.sh", MEGATRON, " --mtp-num-layers 1"),
    ("fp8-weights", "t.sh", MEGATRON, " --fp8-param-gather"),
    ("activation-offload", "t.sh", MEGATRON, " --cpu-offloading-num-layers 4"),
]


def estimated(name: str, text: str):
    (run,) = judge_texts({name: text}, budget=f"device 8x 80GiB; config {name}").runs
    assert run.estimate is not None
    return run.estimate


@pytest.mark.parametrize(("name", "file", "text", "more"), ASKED, ids=[row[0] for row in ASKED])
def test_it_is_named_and_the_verdict_is_unknown(name: str, file: str, text: str, more: str) -> None:
    without, asked = (estimated(file, text.format(more=part)) for part in ("", more))
    assert name not in without.missing
    assert name in asked.missing
    assert asked.verdict is Verdict.UNKNOWN
    assert asked.need.high is None
    assert any(TABLE[name].what in assumption.text for assumption in asked.assumptions)
    assert (asked.need.low < without.need.low) is TABLE[name].saves


@pytest.mark.parametrize("more", [" --fsdp_num 1", " --fsdp_num 0"])
def test_a_degree_of_one_asks_for_nothing(more: str) -> None:
    assert "torchacc" not in estimated("t.sh", SWIFT.format(more=more)).missing


def test_a_run_that_seems_too_large_is_not_called_so() -> None:
    """12 sequences of 2,048 tokens with every activation of an 8B model do not fit one GPU; under TorchAcc nobody here can tell."""
    assert estimated("t.sh", SWIFT.format(more="")).verdict is Verdict.DOES_NOT_FIT
    assert estimated("t.sh", SWIFT.format(more=" --fsdp_num 2")).verdict is Verdict.UNKNOWN


def test_the_manual_has_every_row() -> None:
    page = (Path(__file__).parents[2] / "docs" / "memory.md").read_text(encoding="utf-8")
    assert [name for name in TABLE if f"| `{name}` |" not in page] == []
    assert all(row.source for row in TABLE.values())


@pytest.mark.parametrize(
    ("kind", "name"), [("TPU", ("xla",)), ("XLA", ("xla",)), ("MULTI_HPU", ("habana",)), ("MULTI_GPU", None), ("NO", None)]
)
def test_machines_that_accelerate_names(kind: str, name: tuple[str, ...] | None) -> None:
    assert to_unmodelled(kind) == name


@pytest.mark.parametrize(("schedule", "asked"), [("dualpipe", ["dualpipe"]), ("DualPipeV", []), ("1F1B", []), ("ZBVZeroBubble", [])])
def test_a_schedule_with_two_copies_of_the_weights(schedule: str, asked: list[str]) -> None:
    setting = Setting("pipeline_schedule", schedule, Origin(OriginKind.DEFAULT), schedule)
    assert list(names_of(Settings([setting]))) == asked


def test_an_optimizer_of_no_row_leaves_both_ends_open() -> None:
    """AdamW stands in its place, the low end is without states: what cannot be known is never too large."""
    (run,) = judge_texts({}, budget="device 40GiB; model qwen2.5-7b; precision bf16-pure; optimizer adamw; batch 1; seq 512").runs
    assert run.estimate.verdict is Verdict.DOES_NOT_FIT
    named = Setting("optimizer", "an_own_one", run.run.settings["optimizer"].origin, "an_own_one")
    planned = plan_run(Settings({**run.run.settings, "optimizer": named}.values()), run.run.stack, run.plan.arch, None)
    found = estimate(planned, Capacity(40 * GIB, 40 * GIB))
    assert (found.missing, found.need.high, found.verdict) == (("optimizer",), None, Verdict.UNKNOWN)
    assert found.need.low <= run.estimate.need.low - 7_615_616_512 * 4  # and its gradients, as LOMO's
    assert any("an_own_one is not modelled" in assumption.text for assumption in found.assumptions)
