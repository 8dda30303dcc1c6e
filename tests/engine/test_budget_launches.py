"""`launch COMMAND…` in a budget: a run that no script starts is judged as if the command stood in a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetlint.base.limits import LAUNCHES
from budgetlint.base.source import SourceFile
from budgetlint.files.disk import DiskFiles, TextFiles
from budgetlint.language import read_budget
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect, judge, judge_texts
from budgetlint.rules_api.context import Judged
from budgetlint.settings.consumer import LONE, NOBODY

SFT = "model_name_or_path: Qwen/Qwen2.5-0.5B\ndtype: bfloat16\nper_device_train_batch_size: {}\nmax_length: 1024\n"
A, B = SFT.format(1), SFT.format(8)
HEAD = "device 4x l4; stack trl@1.16 transformers@5.24 torch@2.13 accelerate@1.15 peft@0.19\n"
COMMANDS = {
    "a known program": "trl sft --config a.yaml --learning_rate 1e-4",
    "a launcher around": "accelerate launch --num_processes 4 -m trl.scripts.sft --config a.yaml",
    "variables in front": "env CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 2 -m trl.scripts.sft --config a.yaml",
    "an assignment in front": "NCCL_DEBUG=INFO torchrun --nproc_per_node 4 train.py --config a.yaml --bf16 true",
    "bash -c": "bash -c 'torchrun --nproc_per_node 4 train.py --config a.yaml'",
    "a script of its own": "python train.py --config a.yaml --gradient_checkpointing true",
}


def judged(texts: dict[str, str], budget: str) -> Judged:
    return judge_texts({**texts, "gpu.budget": budget})


def settings(result: Judged, at: int = 0) -> dict[str, object]:
    return {name: (one.value, one.certainty) for name, one in result.runs[at].run.settings.items()}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_run_is_as_if_the_command_stood_in_a_script(command: str) -> None:
    texts = {"a.yaml": A, "train.py": "import trl\n"}
    ours = judged(texts, f"{HEAD}launch {command}\n")
    script = judge_texts({**texts, "run.sh": f"{command}\n", "gpu.budget": HEAD})
    assert settings(ours) == settings(script)
    assert [one.estimate for one in ours.runs if one.estimate is None] == []
    assert ours.runs[0].estimate.verdict == script.runs[0].estimate.verdict  # type: ignore[union-attr]
    assert ours.findings == ()


def test_each_file_of_config_is_a_run_of_its_own() -> None:
    texts = {"configs/a.yaml": A, "configs/b.yaml": B}
    found = judged(texts, HEAD + "run sweep { config configs/*.yaml; launch trl sft --config {config} --max_length 512 }\n")
    assert [one.run.name for one in found.runs] == ["sweep:configs/a.yaml", "sweep:configs/b.yaml"]
    assert [(one.value("micro_batch"), one.value("seq_len")) for one in found.runs] == [(1, 512), (8, 512)]
    glued = judged(texts, HEAD + "config configs/a.yaml configs/b.yaml\nlaunch trl sft --config={config}\n")
    assert [one.run.name for one in glued.runs] == ["configs/a.yaml", "configs/b.yaml"]
    assert [one.value("micro_batch") for one in glued.runs] == [1, 8]


def test_the_line_of_the_budget_is_place_and_edge() -> None:
    texts = {"jobs/configs/a.yaml": A, "jobs/gpu.budget": HEAD + "config configs/*.yaml\nlaunch trl sft --config {config}\n"}
    work = collect(open_project(TextFiles(texts), ["."]))
    assert [(edge.file, edge.by, edge.line, edge.certainty) for edge in work.edges if edge.line == 3] == [
        ("jobs/configs/a.yaml", "jobs/gpu.budget", 3, "sure"),
        ("jobs/configs/a.yaml", "jobs/gpu.budget", 3, "sure"),
    ]
    consumer = work.project.entries["jobs/configs/a.yaml"].consumer
    assert consumer is not None
    assert consumer.as_json() == {"program": "trl sft", "evidence": "launch", "file": "jobs/gpu.budget", "line": 3}
    flag = judged({"a.yaml": A}, HEAD + "launch trl sft --config a.yaml --max_length 512\n").runs[0].setting("seq_len")
    assert flag is not None
    assert (str(flag.origin), flag.certainty) == ("gpu.budget:2:45", "stated")


def test_a_program_that_nobody_knows_makes_a_run_of_which_the_budget_says_all() -> None:
    budget = HEAD + "launch torchrun --nproc_per_node 4 mine.py --size 7b\nmodel qwen2.5-0.5b; batch 2; seq 512\n"
    (run,) = judged({}, budget).runs
    assert run.value("devices_per_node") == 4
    unresolved = {name for name, one in run.run.settings.items() if one.certainty == "unresolved"}
    assert {"weights_dtype", "adapter", "quant", "optimizer", "recompute", "loss"} <= unresolved
    said = budget + "adapter none; quant none; precision bf16-pure; optimizer adamw; recompute full; loss full; attention sdpa; shard ddp\n"
    (run,) = judged({}, said).runs
    assert run.estimate is not None
    assert (run.estimate.verdict.value, run.estimate.missing) == ("fits", ())


def test_names_of_the_budget_stand_in_commands() -> None:
    budget = f'let batch = 2\nlet where = "a.yaml"\n{HEAD}launch trl sft --config $where --per_device_train_batch_size $batch\n'
    (run,) = judged({"a.yaml": A}, budget).runs
    assert run.value("micro_batch") == 2


def test_a_script_is_run_with_the_arguments_of_the_command() -> None:
    script = "torchrun --nproc_per_node $2 -m trl.scripts.sft --config $1.yaml\n"
    found = judged({"run.sh": script, "a.yaml": A}, HEAD + "run two { launch bash run.sh a 2 }\n")
    assert [(one.run.name, one.value("devices_per_node"), one.value("micro_batch")) for one in found.runs] == [("two", 2, 1)]


def test_a_file_beside_belongs_to_the_run() -> None:
    zero = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}'
    found = judged(
        {"a.yaml": A, "zero.json": zero}, HEAD + "config zero.json\nlaunch torchrun --nproc_per_node 4 mine.py --config a.yaml\n"
    )
    assert [(one.run.name, one.value("shard")) for one in found.runs] == [("a.yaml", "zero3")]


WRONG = {
    "a launcher that nobody knows": ("launch acme run job\n", "2:8 BL918", "starts no program"),
    "a program that evaluates": ("launch python run_eval.py --config a.yaml\n", "2:8 BL918", "run_eval.py evaluates"),
    "a recipe that is not here": ("launch axolotl train none.yaml\n", "2:8 BL918", "none.yaml is not here"),
    "no file for {config}": ("config b*.yaml\nlaunch trl sft --config {config}\n", "2:8 BL914", "matches no file"),
    "out of the project": ("config ../../etc/*.yaml\nlaunch trl sft --config {config}\n", "2:8 BL914", "leads out"),
}


@pytest.mark.parametrize(("text", "place", "words"), WRONG.values(), ids=WRONG)
def test_a_command_without_a_run_is_told(text: str, place: str, words: str) -> None:
    found = judged({"c.yaml": "a: 1\n"}, HEAD + text)
    assert [f"{one.location.line}:{one.location.column} {one.code}" for one in found.findings] == [place]
    assert words in found.findings[0].message
    assert found.findings[0].help


def test_a_config_placeholder_needs_a_config() -> None:
    (problem,) = read_budget(SourceFile("gpu.budget", HEAD + "launch trl sft --config {config}\n")).problems
    assert problem.code == "BL008"
    assert (problem.location.line, problem.location.column) == (2, 25)
    assert "config configs/*.yaml" in problem.help


def test_a_hostile_command_leads_nowhere_and_costs_little(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(A)
    inside = tmp_path / "repo"
    inside.mkdir()
    (inside / ".git").mkdir()
    words = " ".join(f"--x{number} {number}" for number in range(5_000))
    (inside / "gpu.budget").write_text(f"{HEAD}launch trl sft --config ../secret.yaml {words}\n")
    found = judge(open_project(DiskFiles(inside, (), ()), ["."]))
    assert found.runs == ()
    assert [one.code for one in found.findings] == ["BL918"]
    assert "../secret.yaml is not here" in found.findings[0].message


def test_a_glob_over_many_files_is_bounded_and_told() -> None:
    texts = {f"configs/{number}.yaml": A for number in range(LAUNCHES.most + 50)}
    found = judged(texts, HEAD + "config configs/*.yaml\nlaunch trl sft --config {config}\n")
    assert len(found.runs) == LAUNCHES.most
    assert [(one.code, one.location.file, one.location.line) for one in found.findings] == [("BL915", "gpu.budget", 3)]


def test_a_budget_speaks_of_its_own_folder() -> None:
    """What it launches may read a file that nobody names there, and none elsewhere."""
    texts = {"jobs/gpu.budget": HEAD + "launch python -m acme.train --size 7b\n", "jobs/a.yaml": A, "other/a.yaml": A}
    entries = collect(open_project(TextFiles(texts), ["."])).project.entries
    evidence = {path: one.consumer.evidence for path in ("jobs/a.yaml", "other/a.yaml") if (one := entries[path]).consumer is not None}
    assert evidence == {"jobs/a.yaml": NOBODY, "other/a.yaml": LONE}


def test_another_command_that_takes_the_file_is_another_run() -> None:
    texts = {"a.yaml": A, "run.sh": "trl sft --config a.yaml --max_length 256\n"}
    found = judged(texts, HEAD + "run mine { launch trl sft --config a.yaml }\n")
    assert {one.run.name: one.value("seq_len") for one in found.runs} == {"mine": 1024, "run.sh": 256}
