"""Commands on a training script: found on the way, or named by a launch command."""

from __future__ import annotations

import pytest

SCRIPT = """\
import torch
from transformers import AutoModelForCausalLM, TrainingArguments
from trl import SFTTrainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-72B", torch_dtype=torch.bfloat16)
args = TrainingArguments("out", per_device_train_batch_size=1, bf16=True, optim="adamw_torch")
SFTTrainer(model, args=args, max_seq_length=1024)
"""


@pytest.mark.parametrize("words", [("train.py",), (".",), ("--", "torchrun", "--nproc_per_node", "1", "train.py")])
def test_a_training_script_is_judged_where_it_stands(shell, words: tuple[str, ...]) -> None:
    shell.write("train.py", SCRIPT)
    ran = shell("check", "--budget", "device 24GiB", *words)
    assert ran.code == 1
    assert "error[BL101]" in ran.out and "does not fit" in ran.out


def test_other_programs_are_not_listed(shell) -> None:
    shell.write("helper.py", "x = 1\n")
    assert shell("files").out == "no file with a config's suffix here\n"


@pytest.mark.parametrize("text", ["x = 1\n", "def broken(:\n", "TrainingArguments(\n", "x: [\n  per_device_train_batch_size: 1\n"])
def test_a_program_that_is_no_script_is_no_finding(shell, text: str) -> None:
    shell.write("train.py", text)
    assert shell("check", "train.py").code == 0
    assert shell("check", "--", "python", "train.py").code == 0
