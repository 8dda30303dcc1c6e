"""Job files: the devices that they ask for become the target, and a budget's device wins over it."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

FLAGS = "--model_name_or_path gpt2 --per_device_train_batch_size 1 --learning_rate 1e-5 --num_train_epochs 1 --save_strategy no"
TRAIN = f"torchrun --nproc_per_node 2 train.py {FLAGS}"


def only(files: dict[str, str], budget: str | None = None) -> RunContext:
    (context,) = judge_texts(files, budget=budget).runs
    return context


SLURM: dict[str, tuple[str | None, int | None, int | None]] = {
    "#SBATCH --gres=gpu:h100:8": ("h100", 8, None),
    "#SBATCH --gres=gpu:a100-80gb:4\n#SBATCH -N 2": ("a100-80gb", 4, 2),
    "#SBATCH --gpus-per-node=h100:8\n#SBATCH --nodes=4": ("h100", 8, 4),
    "#SBATCH --gpus h100:16\n#SBATCH --nodes 2": ("h100", 8, 2),
    "#SBATCH --gres=gpu:8\n#SBATCH --constraint=h100": ("h100", 8, None),
    "#SBATCH --gres=gpu:8": (None, None, None),
    "#SBATCH --gres=gpu:nosuchcard:8": (None, None, None),
    "##SBATCH --gres=gpu:h100:8": (None, None, None),
    "#SBATCH --gres=gpu:$N": (None, None, None),
}


@pytest.mark.parametrize("lines", SLURM)
def test_slurm_names_the_target(lines: str) -> None:
    target = only({"job.sh": f"#!/bin/bash\n{lines}\n{TRAIN}\n"}).target
    device = target.device if target else None
    found = (device.text, device.count, target.nodes) if device and target else (None, None, None)
    assert found == SLURM[lines]


def test_a_request_has_its_origin() -> None:
    context = only({"job.sh": f"#!/bin/bash\n#SBATCH --gres=gpu:h100:8\n{TRAIN}\n"})
    assert str(context.run.settings["device"].origin) == "job.sh:2:16"


def test_a_budget_names_the_device_first() -> None:
    context = only({"job.sh": f"#SBATCH --gres=gpu:h100:8\n{TRAIN}\n"}, budget="device t4; reserve 1GiB")
    assert context.target is not None
    assert context.target.device is not None
    assert context.target.device.text == "t4"


def test_a_budget_without_a_device_leaves_it_to_the_job() -> None:
    context = only({"job.sh": f"#SBATCH --gres=gpu:h100:8\n{TRAIN}\n"}, budget="reserve 1GiB")
    assert context.target is not None
    assert context.target.device is not None
    assert (context.target.device.text, context.target.reserve is not None) == ("h100", True)


SKY: dict[str, tuple[str, int]] = {
    "accelerators: H100:8": ("H100", 8),
    "accelerators: A100-80GB": ("A100-80GB", 1),
    "accelerators: {H100: 4}": ("H100", 4),
    'accelerators: "L4:1"': ("L4", 1),
}


@pytest.mark.parametrize("line", SKY)
def test_skypilot_names_the_target(line: str) -> None:
    context = only({"job.yaml": f"resources:\n  {line}\nrun: |\n  {TRAIN}\n"})
    assert context.target is not None
    assert context.target.device is not None
    assert (context.target.device.text, context.target.device.count) == SKY[line]


def test_a_choice_of_cards_names_none() -> None:
    target = only({"job.yaml": f"resources:\n  accelerators: {{H100: 1, L4: 1}}\nrun: |\n  {TRAIN}\n"}).target
    assert target is None or target.device is None


@pytest.mark.parametrize("style", ["|", "|-", ">-"])
def test_a_flag_in_a_block_scalar_keeps_its_place(style: str) -> None:
    command = TRAIN.replace(" --learning", "\n  --learning") if style == ">-" else TRAIN.replace(" --learning", " \\\n    --learning")
    text = f"resources:\n  accelerators: H100:2\nrun: {style}\n  {command}\n"
    setting = only({"job.yaml": text}).run.settings["learning_rate"]
    assert setting.origin.span is not None
    assert text[setting.origin.span.start : setting.origin.span.end] == "1e-5"


NO_RUNS: dict[str, str] = {
    "ci.yaml": f"on: push\njobs:\n  t:\n    steps:\n      - run: {TRAIN}\n",
    "serve.yaml": "resources:\n  accelerators: H100:8\nrun: |\n  vllm serve model --max-model-len 4096\n",
    "web.yaml": "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - command: [python, app.py, --port, '80']\n",
    "eval.sh": "python eval.py --model_name_or_path out --do_eval --per_device_eval_batch_size 8 --logging_steps 1\n",
    "own.sh": "python train.py --model llama --lr 1e-4 --epochs 3\n",
    "install.sh": "pip install accelerate deepspeed\npython setup.py install\n",
}


@pytest.mark.parametrize("name", NO_RUNS)
def test_what_trains_nothing_known_is_no_run(name: str) -> None:
    assert judge_texts({name: NO_RUNS[name]}).runs == ()


_DEEPSPEED = f"deepspeed train.py {FLAGS} --deepspeed ds.json"
STEPS: dict[str, tuple[int | None, int | None]] = {
    f"srun --nodes=2 --gpus-per-node=8 {_DEEPSPEED}": (8, 2),
    f"srun -N 2 --gres=gpu:4 {_DEEPSPEED}": (4, 2),
    f"srun -N 2 -G 8 {_DEEPSPEED}": (4, 2),
    f"srun -N 2 --gres=gpu:a100:4 bash -c '{_DEEPSPEED}'": (4, 2),
    f"#SBATCH --nodes=4\n#SBATCH --gres=gpu:8\nsrun --gres=gpu:2 {_DEEPSPEED}": (2, 4),
    f"#SBATCH --nodes=4\n#SBATCH --gres=gpu:8\nsrun --nodes=1 {_DEEPSPEED}": (8, 4),
    f"srun --gres=gpu:$N {_DEEPSPEED}": (None, None),
    f"srun --gres=gpu:4 torchrun --nproc_per_node gpu train.py {FLAGS}": (4, None),
    f"srun --gres=gpu:4 torchrun --nproc_per_node 2 train.py {FLAGS}": (2, None),
    f"srun --gres=gpu:4 torchrun train.py {FLAGS}": (1, None),
}


@pytest.mark.parametrize("line", STEPS)
def test_a_step_names_devices_of_its_own(line: str) -> None:
    settings = only({"job.sh": f"#!/bin/bash\n{line}\n", "ds.json": '{"zero_optimization": {"stage": 2}}'}).run.settings
    assert (settings.value("devices_per_node"), settings.value("nodes")) == STEPS[line]


SUBMITTED: dict[str, tuple[int | None, int | None]] = {
    "sbatch --nodes=2 --gpus-per-node=8 job.sh": (8, 2),
    "sbatch -N 2 --gres=gpu:a100:4 job.sh": (4, 2),
    "sbatch -p gpu job.sh": (2, 1),
    "sbatch --gres=gpu:$N job.sh": (2, 1),
}


@pytest.mark.parametrize("line", SUBMITTED)
def test_options_of_sbatch_beat_the_lines_of_the_script(line: str) -> None:
    job = f"#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gres=gpu:2\n{_DEEPSPEED}\n"
    settings = only({"submit.sh": f"{line}\n", "job.sh": job, "ds.json": '{"zero_optimization": {"stage": 2}}'}).run.settings
    assert (settings.value("devices_per_node"), settings.value("nodes")) == SUBMITTED[line]


def test_options_of_sbatch_are_variables_of_the_script() -> None:
    job = f"#!/bin/bash\ntorchrun --nnodes $SLURM_NNODES --nproc_per_node $SLURM_GPUS_ON_NODE train.py {FLAGS}\n"
    settings = only({"submit.sh": "sbatch --nodes=2 --gpus-per-node=8 job.sh\n", "job.sh": job}).run.settings
    assert (settings.value("devices"), settings.value("nodes")) == (16, 2)
