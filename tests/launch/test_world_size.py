"""What a program finds in the environment that launchers set: ``WORLD_SIZE``, ``RANK``, ``LOCAL_RANK``."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import os
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

accum = 64 // int(os.environ.get("WORLD_SIZE", 1))
warm = int(os.environ.get("LOCAL_RANK", -1))
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
Trainer(model, TrainingArguments("o", gradient_accumulation_steps=accum, per_device_train_batch_size=4 if warm == -1 else 2)).train()
"""
ACCUMULATION = {
    # nobody sets them
    "python train.py": (64, 4),
    "CUDA_VISIBLE_DEVICES=0,1 python train.py": (64, 4),
    "python -u train.py": (64, 4),
    # exported, by hand
    "WORLD_SIZE=2 python train.py": (32, 4),
    "export WORLD_SIZE=2\npython train.py": (32, 4),
    # a launcher of so many processes
    "torchrun --nproc_per_node 4 train.py": (16, None),
    "torchrun --nproc_per_node=4 --nnodes=2 train.py": (8, None),
    "torchrun train.py": (64, None),
    "python -m torch.distributed.launch --nproc_per_node=2 train.py": (32, None),
    "deepspeed --num_gpus 4 train.py": (16, None),
    "deepspeed --num_gpus 4 --num_nodes 2 train.py": (8, None),
    "accelerate launch --num_processes 8 train.py": (8, None),
    # how many is not known, or whether it is set
    "torchrun --nproc_per_node $N train.py": (None, None),
    "torchrun --nproc_per_node gpu train.py": (None, None),
    "torchrun --nproc_per_node 4 --nnodes 1:4 train.py": (None, None),
    "deepspeed train.py": (None, None),
    "deepspeed --hostfile hosts --num_gpus 4 train.py": (None, None),
    "accelerate launch train.py": (None, None),
    "accelerate launch --num_processes 1 train.py": (None, None),
    "srun python train.py": (None, None),
    "mpirun -n 4 python train.py": (None, None),
}


@pytest.mark.parametrize("command", ACCUMULATION)
def test_what_a_launcher_sets(command: str) -> None:
    (run,) = judge_texts({"run.sh": f"{command}\n", "train.py": PROGRAM}).runs
    assert tuple(run.run.settings.value(name) for name in ("grad_accum", "micro_batch")) == ACCUMULATION[command]
