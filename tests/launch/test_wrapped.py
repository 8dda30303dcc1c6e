"""Commands inside of commands: what stands around a launch is peeled off, texts for another shell are read, here-documents as well."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Loader, plain
from budgetlint.launch.launch import Launch
from budgetlint.launch.read import script_launches
from budgetlint.resolve.runs import judge_texts

AROUND: dict[str, list[str]] = {
    "srun --gres=gpu:8 /bin/bash -c \"\n  source v/bin/activate && \\\n  python train.py --a 1\n\"": ["srun"],
    "srun -n 8 singularity exec --nv -B /a:/b img.sif bash -lc 'cd /w && python train.py --a 1'": ["srun"],
    "apptainer exec --nv img.sif python train.py --a 1": [],
    "apptainer exec --nv img.sif ./train.py --a 1": [],
    "docker run --rm --gpus all -v ./other.py:/x -w /w image python train.py --a 1": [],
    "docker run --rm --gpus all image bash -c 'cd /w && python train.py --a 1'": [],
    "docker compose run --rm trainer python train.py --a 1": [],
    "sudo -E python train.py --a 1": [],
    "nohup ./train.py --a 1 > log 2>&1 &": [],
    "nohup sh -c 'python train.py --a 1' &": [],
    "env -u X A=b ./train.py --a 1": [],
    "timeout 10h python train.py --a 1": [],
    "/usr/bin/time -v python train.py --a 1": [],
    "numactl --cpunodebind=0 python train.py --a 1": [],
    "conda run --no-capture-output -n env python train.py --a 1": [],
    "poetry run ./train.py --a 1": [],
    "uv run train.py --a 1": [],
    "uv run --extra gpu train.py --a 1": [],
    "uv run --script train.py --a 1": [],
    "uv run -m train --a 1": [],
    "uv run accelerate launch train.py --a 1": ["accelerate launch"],
    "pixi run -e gpu python train.py --a 1": [],
    "xvfb-run -a python train.py --a 1": [],
    "coverage run train.py --a 1": [],
    "coverage run -m train --a 1": [],
    "python -m debugpy --listen 5678 --wait-for-client train.py --a 1": [],
    "python -m debugpy --listen 5678 -m train --a 1": [],
    "python -m cProfile -o out.prof train.py --a 1": [],
    "python -m pdb -c continue train.py --a 1": [],
    "nsys profile -o x python train.py --a 1": [],
    "py-spy record -o x -- python train.py --a 1": [],
    "ibrun python train.py --a 1": ["mpirun"],
    "orterun -np 2 python train.py --a 1": ["mpirun"],
    "horovodrun -np 2 python train.py --a 1": ["mpirun"],
    "dotenv -f .env run -- python train.py --a 1": [],
    "kubectl exec pod -- bash -c 'python train.py --a 1'": [],
    "ray job submit --working-dir . -- python train.py --a 1": [],
    "./with_env.sh python train.py --a 1": [],
    "bash with_env.sh python train.py --a 1": [],
    "scripts/with_env.sh torchrun train.py --a 1": ["torchrun"],
    'CMD="python train.py --a 1"\nsrun bash -c "$CMD"': ["srun"],
    'CMD="python train.py --a 1"\neval $CMD': [],
    "CMD=(python train.py --a 1)\n\"${CMD[@]}\"": [],
}  # fmt: skip


def only(text: str) -> Launch:
    (launch,) = script_launches(SourceFile("run.sh", text + "\n"))
    return launch


def layers(launch: Launch) -> list[str]:
    return [layer.program for layer in launch.layers if layer.program not in ("environment", "job")]


@pytest.mark.parametrize("command", AROUND)
def test_what_stands_around_is_peeled_off(command: str) -> None:
    launch = only(command)
    program = launch.program.program.removeprefix("./").removesuffix(".py")
    assert (program, layers(launch), plain(launch.program.root, Loader.SHELL)) == ("train", AROUND[command], {"a": "1"})


TEXTS = [
    'sbatch --wrap="python train.py --a 1"',
    "sbatch -p gpu --wrap 'python train.py --a 1'",
    "bsub -q gpu 'python train.py --a 1'",
    "oarsub -l gpu=1 'python train.py --a 1'",
    "tmux new-session -d -s x 'python train.py --a 1'",
    "tmux send-keys -t x 'python train.py --a 1' C-m",
    "su - user -c 'python train.py --a 1'",
    "flock /tmp/lock -c 'python train.py --a 1'",
    "nix-shell --run 'python train.py --a 1'",
    "ssh host 'cd w && python train.py --a 1'",
    "gcloud compute ssh x --command='python train.py --a 1'",
    "bash <<EOF\npython train.py --a 1\nEOF",
    "bash -s <<'EOF'\npython train.py --a 1\nEOF",
    "sudo -u me bash <<EOF\npython train.py --a 1\nEOF",
    "sbatch <<EOF\n#!/bin/bash\n#SBATCH --gres=gpu:2\npython train.py --a 1\nEOF",
    "sbatch --parsable <<-EOF | tail -1\n\tpython train.py --a 1\n\tEOF",
    "qsub <<EOF\npython train.py --a 1\nEOF",
    "A=1\nbash <<EOF\npython train.py --a $A\nEOF",
    "bash <<'EOF'\nA=1\npython train.py --a $A\nEOF",
    "cat <<EOF | bash\npython train.py --a 1\nEOF",
    "bash <<< 'python train.py --a 1'",
]


@pytest.mark.parametrize("command", TEXTS)
def test_a_text_for_another_shell_is_read(command: str) -> None:
    launch = only(command)
    assert (launch.program.program, plain(launch.program.root, Loader.SHELL)) == ("train.py", {"a": "1"})


PUT_IN = {
    "parallel -j 2 python train.py --a {} --b 1 ::: 1 2": {"a": "${...}", "b": "1"},
    "ls | xargs -I % python train.py --a x% --b 1": {"a": "${...}", "b": "1"},
    "ls | xargs -n 1 python train.py --b 1 --a": {"b": "1", "a": "${...}"},
}


@pytest.mark.parametrize("command", PUT_IN)
def test_words_that_others_put_in_are_not_known(command: str) -> None:
    assert plain(only(command).program.root, Loader.SHELL) == PUT_IN[command]


NOTHING = [
    "cat <<EOF\npython train.py\nEOF",
    "cat <<EOF > notes.txt\npython train.py\nEOF",
    "bash run.sh <<EOF\npython train.py\nEOF",
    "python - <<EOF\nimport torch\nEOF",
    "uv pip install train.py",
    "docker run -v ./train.py:/x image",
    "tmux new-session -d -s train",
    "git commit -m 'python train.py is new'",
    "scp train.py host:/w",
    "ssh host ls train.py",
    "./tools/check.sh train.py",
    "nohup sh run.sh &",
]


@pytest.mark.parametrize("command", NOTHING)
def test_no_launch(command: str) -> None:
    assert script_launches(SourceFile("run.sh", command + "\n")) == ()


def test_the_text_of_a_here_document_stands_where_it_is_written() -> None:
    text = "LR=3\nsbatch <<EOF\n#SBATCH -N 1\nsrun python train.py --lr $LR --steps 5\nEOF\n"
    launch = only(text)
    for key, value in (("lr", "3"), ("steps", "5")):
        entry = launch.program.entry(key)
        assert entry is not None
        assert text[entry.value.span.start : entry.value.span.end] == value


def test_each_submitted_text_asks_for_its_own_devices() -> None:
    text = (
        "sbatch <<EOF\n#SBATCH --gres=gpu:h100:8\npython a.py\nEOF\n"
        "sbatch <<EOF\n#SBATCH --gres=gpu:a100:2\npython b.py\nEOF\n"
        "sbatch --gres=gpu:l4:1 --wrap 'python c.py'\npython d.py\n"
    )
    asked = [(launch.program.program, launch.request) for launch in script_launches(SourceFile("submit.sh", text))]
    found = [(program, (request.device, request.gpus) if request else None) for program, request in asked]
    assert found == [("a.py", ("h100", 8)), ("b.py", ("a100", 2)), ("c.py", ("l4", 1)), ("d.py", None)]


def test_another_machine_has_files_and_variables_of_its_own() -> None:
    text = "export CUDA_VISIBLE_DEVICES=0,1\nssh host 'python train.py --a 1'\n"
    launch = only(text)
    assert launch.elsewhere
    assert [layer.program for layer in launch.layers] == []


SET = {
    "env A=x B=y python train.py": {"A": "x", "B": "y"},
    "sudo -E A=x python train.py": {"A": "x"},
    "nohup env A=x python train.py": {"A": "x"},
    "B=y mpirun -np 2 -x A=x -x PATH python train.py": {"A": "x", "B": "y"},
    "mpiexec -n 2 -genv A x python train.py": {"A": "x"},
    "docker run -e A=x --env=B=y image python train.py --c D=z": {"A": "x", "B": "y"},
    "apptainer exec --env A=x img.sif python train.py": {"A": "x"},
    "B=y ssh host env A=x python train.py": {"A": "x"},
    "timeout 1h python train.py A=x": {},
}


@pytest.mark.parametrize("command", SET)
def test_what_a_wrapper_sets_for_the_program(command: str) -> None:
    assert {name: word.text for name, word in only(command).environment.items()} == SET[command]


FLAGS = "--model_name_or_path gpt2 --per_device_train_batch_size 1 --learning_rate 1e-5 --num_train_epochs 1 --save_strategy no"


def test_mpirun_says_how_many_processes_there_are() -> None:
    (context,) = judge_texts({"run.sh": f"NP=16\nmpirun -np $NP --npernode 8 -x A=1 python train.py {FLAGS}\n"}).runs
    assert (context.run.settings.value("devices"), str(context.run.settings["devices"].origin)) == (16, "run.sh:1:4")


def test_a_program_on_another_machine_is_not_followed() -> None:
    program = "from transformers import Trainer, TrainingArguments\nTrainer('gpt2', TrainingArguments('x')).train()\n"
    here, there = ({"train.py": program, "run.sh": f"{ssh}python train.py\n"} for ssh in ("", "ssh host "))
    assert [context.run.name for context in judge_texts(here).runs] == ["run.sh"]
    assert [context.run.name for context in judge_texts(there).runs] == ["train.py"]
