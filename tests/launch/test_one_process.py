"""``python train.py`` is one process. A Trainer in it takes every card that it sees, so that their number is not claimed; the bill of one
card is the same, and stays."""

from __future__ import annotations

import pytest

from budgetlint.memory.estimate import Verdict
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

HEAD = "from transformers import AutoModelForCausalLM\n"
TRAINER = f"""{HEAD}
from trl import SFTConfig, SFTTrainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", torch_dtype="float32")
SFTTrainer(model, SFTConfig("o", per_device_train_batch_size=2, bf16=True, max_length=512, deepspeed=None)).train()
"""
LOOP = f"""{HEAD}
import torch
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", torch_dtype="float32").cuda()
optimizer = torch.optim.AdamW(model.parameters())
for batch in torch.utils.data.DataLoader(rows, batch_size=2):
    model(**batch).loss.backward()
    optimizer.step()
"""
ZERO = '{"zero_optimization": {"stage": 0}, "train_micro_batch_size_per_gpu": "auto"}'
OPEN, ONE = ("unresolved", 1), ("default", 1)
LAUNCHES = {
    # the script, the program: how sure the number is, and with which the bill is made
    ("python train.py", TRAINER): OPEN,
    ("CUDA_VISIBLE_DEVICES=0 python train.py", TRAINER): ONE,
    ("export CUDA_VISIBLE_DEVICES=3\npython train.py", TRAINER): ONE,
    ("CUDA_VISIBLE_DEVICES=0,1 python train.py", TRAINER): ("default", 2),
    ("#SBATCH --gres=gpu:1\npython train.py", TRAINER): ONE,
    ("#SBATCH --gpus=1\npython train.py", TRAINER): ONE,
    ("#SBATCH --gres=gpu:4\npython train.py", TRAINER): OPEN,
    ("python train.py", TRAINER.replace("deepspeed=None", "deepspeed='zero.json'")): ONE,
    ("python train.py", LOOP): ONE,
    ("torchrun --nproc_per_node 1 train.py", TRAINER): ("default", 1),
    ("torchrun --nproc_per_node 4 train.py", TRAINER): ("default", 4),
}


def _run(script: str, program: str) -> RunContext:
    files = {"run.sh": f"#!/bin/bash\n{script}\n", "train.py": program, "zero.json": ZERO}
    (context,) = judge_texts(files, budget="device a100-80gb").runs
    return context


@pytest.mark.parametrize(("launch", "expected"), LAUNCHES.items(), ids=[script.replace("\n", ";") for script, _ in LAUNCHES])
def test_the_number_of_cards(launch: tuple[str, str], expected: tuple[str, int]) -> None:
    devices = _run(*launch).run.settings["devices"]
    assert (devices.certainty, devices.value) == expected


def test_the_verdict_does_not_hang_on_it() -> None:
    bare, one = (_run(f"{before}python train.py", TRAINER) for before in ("", "CUDA_VISIBLE_DEVICES=0 "))
    assert bare.estimate is not None
    assert one.estimate is not None
    assert bare.estimate.verdict == one.estimate.verdict == Verdict.FITS
    assert bare.estimate.need == one.estimate.need
