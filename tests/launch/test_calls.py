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
    "bash scripts/train.sh 8 $MODEL\n": (8, None, 1),
    "bash scripts/train.sh $@\n": (None, None, 1),
    "export BATCH=4\nbash scripts/train.sh 8 gpt2\n": (8, "gpt2", 4),
    "BATCH=4\nbash scripts/train.sh 8 gpt2\n": (8, "gpt2", 1),
    "BATCH=4\nsource scripts/train.sh 8 gpt2\n": (8, "gpt2", 4),
    "run() { bash scripts/train.sh 8 $1; }\nrun gpt2\n": (8, "gpt2", 1),
    "srun bash -c 'cd x; bash scripts/train.sh 8 gpt2'\n": (8, "gpt2", 1),
    "JOB=$(sbatch --parsable scripts/train.sh 8 gpt2)\n": (8, "gpt2", 1),
    "sbatch --export=ALL,BATCH=4 scripts/train.sh 8 gpt2\n": (8, "gpt2", 4),
    "echo bash scripts/train.sh 8 gpt2\n": (None, None, 1),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_only_call_tells_the_arguments(call: str) -> None:
    path = "scripts/all.sh" if " train.sh" in call else "all.sh"
    settings = run_of({"scripts/train.sh": TRAIN, path: call}).settings
    assert (settings.value("devices"), settings.value("model"), settings.value("micro_batch")) == CALLS[call]


SEVERAL = {
    "bash scripts/train.sh 8 gpt2\nbash scripts/train.sh 4 gpt2\n": [(8, "gpt2", 1), (4, "gpt2", 1)],
    "for m in a b; do bash scripts/train.sh 8 $m; done\n": [(8, "a", 1), (8, "b", 1)],
    "for b in 1 2; do BATCH=$b bash scripts/train.sh 8 gpt2; done\n": [(8, "gpt2", 1), (8, "gpt2", 2)],
    "bash scripts/train.sh 8 gpt2\nbash scripts/train.sh 8 gpt2\n": [(8, "gpt2", 1)],
}


@pytest.mark.parametrize("call", SEVERAL)
def test_each_call_is_a_run_of_its_own(call: str) -> None:
    runs = [context.run.settings for context in judge_texts({"scripts/train.sh": TRAIN, "all.sh": call}).runs]
    assert [(one.value("devices"), one.value("model"), one.value("micro_batch")) for one in runs] == SEVERAL[call]


ALL_ARGUMENTS = 'accelerate launch --num_processes 2 train.py "$@" --learning_rate 1e-5 --num_train_epochs 1 --save_strategy no\n'


def test_all_arguments_are_handed_on() -> None:
    files = {"train.sh": ALL_ARGUMENTS, "all.sh": "./train.sh --model_name_or_path gpt2 --per_device_train_batch_size 4\n"}
    settings = run_of(files, "train.sh").settings
    assert (settings.value("model"), settings.value("micro_batch")) == ("gpt2", 4)


SOURCED: dict[str, tuple[str, str, object]] = {
    "a variable": ("BS=4\n", "source common.sh", 4),
    "by the script's folder": ("BS=4\n", 'source "$(dirname "$0")/common.sh"', 4),
    "a default that stands": ("BS=${BS:-4}\n", ". ./common.sh", 4),
    "the script sets it afterwards": ("BS=4\n", "source common.sh; BS=2", 2),
    "the script set it before": ("BS=4\n", "BS=2; source common.sh", None),
    "in a branch there": ("if x; then BS=4; fi\n", "source common.sh", None),
    "not there": ("X=4\n", "source common.sh", 7),
}


@pytest.mark.parametrize("case", SOURCED)
def test_a_sourced_script_sets_variables(case: str) -> None:
    common, line, wanted = SOURCED[case]
    flags = "--model_name_or_path gpt2 --learning_rate 1e-5 --num_train_epochs 1 --save_strategy no"
    train = f"{line}\ntorchrun train.py {flags} --per_device_train_batch_size ${{BS:-7}}\n"
    assert run_of({"s/common.sh": common, "s/train.sh": train}, "s/train.sh").settings.value("micro_batch") == wanted


def test_functions_of_a_sourced_script_are_called() -> None:
    common = f"train() {{\n{TRAIN}}}\n"
    files = {"common.sh": common, "a.sh": "source common.sh\ntrain 2 gpt2\ntrain 4 gpt2\n"}
    runs = {context.run.name: context.run.settings for context in judge_texts(files).runs}
    assert {name: one.value("devices") for name, one in runs.items()} == {"a.sh#0": 2, "a.sh#1": 4}
    assert str(runs["a.sh#0"]["devices"].origin) == "a.sh:2:7"


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


ASKS = "model=$1\ntrl sft --model_name_or_path $model --per_device_train_batch_size ${2} --output_dir out\n"
SHOWN = """\
Train it:

```bash
MODEL=Qwen/Qwen2.5-7B
BATCH=4
bash scripts/train.sh "$MODEL" $BATCH
```
"""


@pytest.mark.parametrize(
    ("files", "models"),
    [
        ({"README.md": SHOWN}, [("Qwen/Qwen2.5-7B", 4)]),
        ({"README.md": SHOWN + SHOWN.replace("7B", "3B")}, [("Qwen/Qwen2.5-7B", 4), ("Qwen/Qwen2.5-3B", 4)]),
        ({"README.md": SHOWN, "all.sh": "bash scripts/train.sh gpt2 8\n"}, [("gpt2", 8)]),  # what a script does is no example
        ({"README.md": "Usage: `bash scripts/train.sh MODEL`\n"}, [(None, None)]),
    ],
)
def test_a_script_that_asks_for_arguments_is_started_as_the_readme_shows(files: dict[str, str], models: list[tuple[str, int]]) -> None:
    runs = judge_texts({"scripts/train.sh": ASKS, **files}).runs
    found = [(run.run.settings.value("model"), run.run.settings.value("micro_batch")) for run in runs if "train.sh" in run.run.name]
    assert found == models


def test_a_script_without_arguments_is_no_other_run_where_a_readme_shows_it() -> None:
    plain = ASKS.replace("$1", "gpt2").replace("${2}", "2")
    (run,) = judge_texts({"scripts/train.sh": plain, "README.md": "```\nCUDA_VISIBLE_DEVICES=3 bash scripts/train.sh x\n```\n"}).runs
    assert (run.run.settings.value("model"), run.run.settings.value("micro_batch")) == ("gpt2", 2)
