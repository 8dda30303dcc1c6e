"""Scripts that the project itself starts, and with what."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Run

TRAIN = """\
accelerate launch --num_processes $1 train.py --model_name_or_path "$2" --per_device_train_batch_size ${BATCH:-1} \\
  --learning_rate 1e-5 --num_train_epochs 1 --save_strategy no
"""


def run_of(files: dict[str, str], name: str = "scripts/train.sh") -> Run:
    return next(context.run for context in judge_texts(files).runs if context.run.name == name)


CALLS = {
    "bash scripts/train.sh 8 Qwen/Qwen2.5-0.5B\n": (8, "Qwen/Qwen2.5-0.5B", 1),
    "BATCH=4 nohup bash ./scripts/train.sh 8 gpt2 &\n": (8, "gpt2", 4),
    "BATCH=4 bash train.sh 8 gpt2\n": (8, "gpt2", 4),
    "N=2; bash scripts/train.sh $N gpt2\n": (2, "gpt2", 1),
    "bash scripts/train.sh 8 $MODEL\n": (None, None, 1),
    "bash scripts/train.sh 8 gpt2\nbash scripts/train.sh 4 gpt2\n": (None, None, 1),
    "for m in a b; do bash scripts/train.sh 8 $m; done\n": (None, None, 1),
    "echo bash scripts/train.sh 8 gpt2\n": (None, None, 1),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_only_call_tells_the_arguments(call: str) -> None:
    path = "scripts/all.sh" if " train.sh" in call else "all.sh"
    settings = run_of({"scripts/train.sh": TRAIN, path: call}).settings
    assert (settings.value("devices"), settings.value("model"), settings.value("micro_batch")) == CALLS[call]


def test_a_script_that_nobody_calls_stays_as_it_is() -> None:
    assert run_of({"scripts/train.sh": TRAIN}).settings["model"].state == "symbolic"


def test_a_call_through_a_second_script() -> None:
    files = {"scripts/train.sh": TRAIN, "scripts/mid.sh": "bash scripts/train.sh $1 gpt2\n", "all.sh": "bash scripts/mid.sh 4\n"}
    assert run_of(files).settings.value("devices") == 4


def test_a_job_file_calls_with_its_variables() -> None:
    job = "resources: {accelerators: H100:8}\nenvs: {BATCH: 2}\nrun: |\n  bash scripts/train.sh 8 gpt2\n"
    settings = run_of({"scripts/train.sh": TRAIN, "job.yaml": job}).settings
    assert (settings.value("devices"), settings.value("micro_batch")) == (8, 2)


def test_scripts_that_call_each_other_end() -> None:
    files = {"a.sh": f"bash b.sh 1 gpt2\n{TRAIN}", "b.sh": f"bash a.sh 2 gpt2\n{TRAIN}"}
    assert run_of(files, "a.sh").settings.value("devices") == 2
