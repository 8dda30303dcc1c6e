"""What a command starts: wrappers and launchers peeled off, the program and its flags left."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Loader, plain
from budgetlint.launch.read import command_launches, script_launches

STARTED: dict[str, tuple[str, list[str]]] = {
    "python train.py --a 1": ("train.py", []),
    "python3.11 -u -W ignore train.py --a 1": ("train.py", []),
    "/opt/conda/bin/python train.py --a 1": ("train.py", []),
    "./train.py --a 1": ("./train.py", []),
    "python -m pkg.train --a 1": ("pkg.train", []),
    "nohup python train.py --a 1 &": ("train.py", []),
    "env X=1 python train.py --a 1": ("train.py", []),
    "uv run --with x python train.py --a 1": ("train.py", []),
    "conda run -n env python train.py --a 1": ("train.py", []),
    "timeout 3h time python train.py --a 1": ("train.py", []),
    "torchrun --nproc_per_node 8 train.py --a 1": ("train.py", ["torchrun"]),
    "torchrun --standalone --nproc-per-node=8 train.py --a 1": ("train.py", ["torchrun"]),
    "torchrun --nproc_per_node 8 -m pkg.train --a 1": ("pkg.train", ["torchrun"]),
    "python -m torch.distributed.run --nproc_per_node 8 train.py --a 1": ("train.py", ["torchrun"]),
    "python -m torch.distributed.launch --use_env --nproc_per_node 8 train.py --a 1": ("train.py", ["torchrun"]),
    "python -m accelerate.commands.launch --num_processes 8 train.py --a 1": ("train.py", ["accelerate launch"]),
    "accelerate launch train.py --a 1": ("train.py", ["accelerate launch"]),
    "accelerate launch --multi_gpu --num_processes=8 --mixed_precision bf16 train.py --a 1": ("train.py", ["accelerate launch"]),
    "accelerate launch -m pkg.train --a 1": ("pkg.train", ["accelerate launch"]),
    "accelerate launch -m axolotl.cli.train --a 1": ("axolotl train", ["accelerate launch"]),
    "accelerate launch $EXTRA train.py --a 1": ("train.py", ["accelerate launch"]),
    "deepspeed $EXTRA --module pkg.train --a 1": ("pkg.train", ["deepspeed"]),
    "torchrun $EXTRA --nproc_per_node 8 -m pkg.train --a 1": ("pkg.train", ["torchrun"]),
    "torchrun $EXTRA --nnodes 1 $MORE train.py --a 1": ("train.py", ["torchrun"]),
    "deepspeed train.py --a 1": ("train.py", ["deepspeed"]),
    "deepspeed --num_gpus 4 --master_port 1 train.py --a 1": ("train.py", ["deepspeed"]),
    "deepspeed --include localhost:0,1 --module pkg.train --a 1": ("pkg.train", ["deepspeed"]),
    "composer -n 8 train.py --a 1": ("train.py", ["composer"]),
    "srun --gres=gpu:8 -N 2 torchrun --nnodes 2 train.py --a 1": ("train.py", ["job", "srun", "torchrun"]),
    "srun bash -c 'torchrun --nnodes 2 train.py --a 1'": ("train.py", ["srun", "torchrun"]),
    "bash -lc 'python train.py --a 1'": ("train.py", []),
    "eval 'python train.py --a 1'": ("train.py", []),
    "mpirun -np 8 -x A=1 python train.py --a 1": ("train.py", ["mpirun"]),
    "docker run --gpus all -v /a:/b image python train.py --a 1": ("train.py", []),
    "python submit.py --image x -- accelerate launch train.py --a 1": ("train.py", ["accelerate launch"]),
    "python submit.py -- source x.sh \\&\\& python train.py --a 1": ("train.py", []),
    "$PYTHON train.py --a 1": ("train.py", []),
    "$LAUNCHER train.py --a 1": ("train.py", ["unknown"]),
    "axolotl train --a 1": ("axolotl train", []),
    "llamafactory-cli train --a 1": ("llamafactory-cli train", []),
    "FORCE_TORCHRUN=1 llamafactory-cli train --a 1": ("llamafactory-cli train", []),
    "python src/train_bash.py --a 1": ("llamafactory-cli train", []),
    "tune run --nproc_per_node 2 full --a 1": ("tune run full", ["torchrun"]),
    "tune run lora_single --a 1": ("tune run lora_single", []),
    "swift sft --a 1": ("swift sft", []),
    "megatron sft --a 1": ("megatron sft", []),
    "trl dpo --a 1": ("trl dpo", []),
    "litgpt finetune_lora --a 1": ("litgpt finetune_lora", []),
}


@pytest.mark.parametrize("command", STARTED)
def test_a_command_starts_a_program(command: str) -> None:
    (launch,) = script_launches(SourceFile("run.sh", command + "\n"))
    layers = [layer.program for layer in launch.layers if layer.program != "environment"]
    assert (launch.program.program, layers) == STARTED[command]
    assert plain(launch.program.root, Loader.SHELL) == {"a": "1"}


NOTHING = [
    "echo python train.py",
    "echo 'torchrun train.py'",
    "# torchrun train.py",
    "pip install deepspeed accelerate",
    "python -c 'import torch'",
    "accelerate config",
    "accelerate test --config_file x",
    "swift infer --a 1",
    "llamafactory-cli export x.yaml",
    "axolotl inference x.yaml",
    "litgpt chat x",
    "tune download x",
    "ls train.py",
    "which python",
    "cat <<EOF\npython train.py\nEOF",
]


@pytest.mark.parametrize("command", NOTHING)
def test_a_command_starts_nothing(command: str) -> None:
    assert script_launches(SourceFile("run.sh", command + "\n")) == ()


FLAGS: dict[str, object] = {
    "--a 1": {"a": "1"},
    "--a=1": {"a": "1"},
    "--a-b-c 1": {"a_b_c": "1"},
    "--a --b": {"a": True, "b": True},
    "--a True --b false": {"a": "True", "b": "false"},
    "--a -1 --b -1e-4": {"a": "-1", "b": "-1e-4"},
    "--a 1 --a 2": {"a": "2"},
    "--a x y z --b 1": {"a": ["x", "y", "z"], "b": "1"},
    "--a 1 $EXTRA --b 2": {"a": "1", "b": "2"},
    "--a $A --b 2": {"a": "${A}", "b": "2"},
    "--a.b 1 --a.c 2": {"a": {"b": "1", "c": "2"}},
    "a.b=1 +a.c=x ++d=null": {"a": {"b": "1", "c": "x"}, "d": None},
    "a=[q_proj,v_proj]": {"a": ["q_proj", "v_proj"]},
    "--config x k=v": {"config": "x", "k": "v"},
    '--a \'{"b": false, "c": 1}\'': {"a": {"b": False, "c": 1}},
    "--loss-scale 12 --initial-loss-scale 65536": {"loss_scale": "12", "initial_loss_scale": "65536"},
    "pos --a 1 -- more": {"a": "1"},
}


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_are_a_mapping(flags: str) -> None:
    (launch,) = command_launches(SourceFile("<command>", f"python train.py {flags}"))
    assert _typed(plain(launch.program.root, Loader.SHELL)) == _typed(FLAGS[flags])


def _typed(value: object) -> object:
    """JSON inside a flag is text to the shell's loader; its numbers and words are compared as text."""
    if isinstance(value, dict):
        return {key: _typed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_typed(one) for one in value]
    return {True: "true", False: "false", None: "null"}.get(value, str(value)) if isinstance(value, bool) or value is None else str(value)


def test_every_command_of_a_script_is_a_launch() -> None:
    text = "if x; then\n  python a.py --k 1\nelse\n  python b.py --k 1\nfi\nfor i in 1 2; do python c.py --k $i; done\n"
    found = script_launches(SourceFile("run.sh", text))
    assert [(launch.program.program, launch.number, launch.way) for launch in found] == [
        ("a.py", 0, ""), ("b.py", 1, ""), ("c.py", 2, "i=1"), ("c.py", 2, "i=2"),
    ]  # fmt: skip


def test_the_value_of_a_flag_stands_where_it_is_assigned() -> None:
    text = 'BATCH=4\nbash -c "torchrun train.py --per-device-train-batch-size $BATCH --x 5"\n'
    (launch,) = script_launches(SourceFile("run.sh", text))
    for key, value in (("per_device_train_batch_size", "4"), ("x", "5")):
        entry = launch.program.entry(key)
        assert entry is not None
        assert text[entry.value.span.start : entry.value.span.end] == value


MAKEFILE = """\
GPUS ?= 4
FLAGS := --lr 1e-4 \\
  --epochs 3
ifeq ($(X),1)
BATCH = 8
endif
train: data
\t@echo training
\t-torchrun --nproc_per_node $(GPUS) train.py $(FLAGS) \\
\t  --batch $(BATCH) --home $$HOME
eval:
\tpython evaluate.py
"""


def test_a_makefile_is_read_by_recipe() -> None:
    train, evaluate = script_launches(SourceFile("Makefile", MAKEFILE))
    assert plain(train.layers[0].root, Loader.SHELL) == {"nproc_per_node": "4"}
    assert plain(train.program.root, Loader.SHELL) == {"lr": "1e-4", "epochs": "3", "batch": "${BATCH}", "home": "${HOME}"}
    assert evaluate.program.program == "evaluate.py"
