"""Commands of Compose files, of steps of workflows, and of containers, with the variables and devices that they are given."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

FLAGS = "--model_name_or_path Qwen/Qwen2.5-0.5B --output_dir o --bf16 True"
TRAIN = f"torchrun --nproc_per_node 4 train.py {FLAGS} --per_device_train_batch_size"
CONTAINERS = "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n        - name: t\n          image: x\n"

CASES: dict[str, tuple[str, str, dict[str, object]]] = {
    "Compose, a text": (
        "docker-compose.yml",
        f"services:\n  t:\n    image: x\n    command: {TRAIN} 2\n",
        {"micro_batch": 2, "devices": 4},
    ),
    "Compose, words for a shell": (
        "compose.yaml",
        f'services:\n  t:\n    build: .\n    environment:\n      BS: 6\n    command: ["bash", "-c", "{TRAIN} $$BS"]\n',
        {"micro_batch": 6},
    ),
    "Compose, a list of variables": (
        "compose.yaml",
        f'services:\n  t:\n    image: x\n    environment:\n      - BS=6\n    command: ["bash", "-c", "{TRAIN} $$BS"]\n',
        {"micro_batch": 6},
    ),
    "Compose, an entry point in front": (
        "compose.yaml",
        f'services:\n  t:\n    image: x\n    entrypoint: ["bash", "-c"]\n    command: ["{TRAIN} 3"]\n',
        {"micro_batch": 3},
    ),
    "Compose, devices that are reserved": (
        "compose.yaml",
        f"services:\n  t:\n    image: x\n    command: accelerate launch train.py {FLAGS} --per_device_train_batch_size 2\n"
        "    deploy:\n      resources:\n        reservations:\n"
        "          devices:\n            - driver: nvidia\n              count: 2\n              capabilities: [gpu]\n",
        {"devices_per_node": 2},
    ),
    "a workflow, variables of three levels": (
        ".github/workflows/train.yml",
        f"on: push\nenv:\n  A: 1\n  BS: 1\njobs:\n  t:\n    runs-on: [self-hosted, gpu]\n    env:\n      BS: 6\n    steps:\n"
        f"      - run: |\n          cd x\n          {TRAIN} $BS\n",
        {"micro_batch": 6},
    ),
    "a workflow, a matrix": (
        ".github/workflows/train.yml",
        f"on: push\njobs:\n  t:\n    runs-on: a100\n    steps:\n      - run: {TRAIN} ${{{{ matrix.bs }}}}\n",
        {"micro_batch": None, "devices": 4},
    ),
    "Kubernetes, a variable": (
        "job.yaml",
        CONTAINERS + f'          env:\n            - name: BS\n              value: "6"\n'
        f'          command: ["bash", "-c", "{TRAIN} $BS"]\n',
        {"micro_batch": 6},
    ),
    "Kubernetes, a variable of another object": (
        "job.yaml",
        CONTAINERS + "          env:\n            - name: BS\n              valueFrom: {configMapKeyRef: {name: a, key: b}}\n"
        f'          command: ["bash", "-c", "{TRAIN} $BS"]\n',
        {"micro_batch": None},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("path", "text", "wanted"), CASES.values(), ids=CASES)
def test_what_is_started(path: str, text: str, wanted: dict[str, object]) -> None:
    (context,) = judge_texts({path: text}).runs
    found = {name: context.run.settings[name] for name in wanted}
    assert {name: one.value if one.known else None for name, one in found.items()} == wanted


def test_a_value_behind_two_dollars_stands_where_it_is_written() -> None:
    text = f'services:\n  t:\n    image: x\n    command: ["bash", "-c", "N=12; {TRAIN} $$N"]\n'
    (context,) = judge_texts({"compose.yaml": text}).runs
    line = text.splitlines()[3]
    assert str(context.run.settings["micro_batch"].origin) == f"compose.yaml:4:{line.index('12') + 1}"


SLURM: dict[str, tuple[str, list[object]]] = {
    "an item for each task": ("#SBATCH --array=0-1\nL=(8 1)\nBS=${L[$SLURM_ARRAY_TASK_ID]}\n", [8, 1]),
    "some of them": ("#SBATCH --array=0,2\nL=(8 1 4)\nBS=${L[$SLURM_ARRAY_TASK_ID]}\n", [8, 4]),
    "a step, and a throttle": ("#SBATCH --array=0-4:2%1\nL=(8 1 4 2 16)\nBS=${L[$SLURM_ARRAY_TASK_ID]}\n", [8, 4, 16]),
    "more than are read one by one": ("#SBATCH --array=0-9\nL=(8 1)\nBS=${L[$SLURM_ARRAY_TASK_ID]}\n", [None]),
    "tasks that are alike": ("#SBATCH --array=0-3\nBS=4\n", [4]),
    "a seed": ("#SBATCH --array=0-1\nBS=4\nSEED=$SLURM_ARRAY_TASK_ID\n", [4]),
}


@pytest.mark.parametrize(("head", "wanted"), SLURM.values(), ids=SLURM)
def test_tasks_of_an_array(head: str, wanted: list[object]) -> None:
    seed = " --seed $SEED" if "SEED" in head else ""
    script = f"#!/bin/bash\n#SBATCH --gres=gpu:4\n{head}{TRAIN} $BS{seed}\n"
    found = [context.run.settings["micro_batch"] for context in judge_texts({"job.sbatch": script}).runs]
    assert [one.value if one.known else None for one in found] == wanted


def test_variables_of_srun_reach_the_script() -> None:
    files = {"run.sh": "srun --gres=gpu:4 -n 1 --export=ALL,BS=5 bash train.sh\n", "train.sh": f"{TRAIN} $BS\n"}
    (context,) = judge_texts(files).runs
    assert context.run.settings.value("micro_batch") == 5


@pytest.mark.parametrize("runner", ["", "    runs-on: ubuntu-latest\n", "    runs-on: ${{ matrix.os }}\n"])
def test_what_a_hosted_runner_starts_is_a_test_of_the_program(runner: str) -> None:
    text = f"on: push\njobs:\n  t:\n{runner}    steps:\n      - run: {TRAIN} 6\n"
    assert judge_texts({".github/workflows/test.yml": text}).runs == ()
