"""A run that begins where another one ends: its model has the shape of that one's."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

FIRST = "python train.py --model_name_or_path {model} --output_dir {out} --bf16 {more}\n"
SCRIPT = """from dataclasses import dataclass
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

@dataclass
class Own:
    model_name_or_path: str
    lora: bool = False

own, args = HfArgumentParser((Own, TrainingArguments)).parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained(own.model_name_or_path, torch_dtype=torch.bfloat16)
if own.lora:
    model = get_peft_model(model, LoraConfig(r=8, task_type="CAUSAL_LM"))
Trainer(model=model, args=args, train_dataset=data).train()
"""
BASE = "Qwen/Qwen2.5-1.5B"


def second(*launches: tuple[str, str, str]) -> RunContext:
    """The last of the launches."""
    lines = [FIRST.format(model=model, out=out, more=more) for model, out, more in launches]
    files = {"train.py": SCRIPT, **{f"{number}.sh": line for number, line in enumerate(lines)}}
    found = {one.run.name: one for one in judge_texts(files, budget="device a100-80gb; seq 512").runs}
    return found[f"{len(lines) - 1}.sh"]


@pytest.mark.parametrize(
    ("launches", "says"),
    [
        ([(BASE, "runs/a", ""), ("runs/a", "runs/b", "")], "runs/a is what 0.sh writes: Qwen/Qwen2.5-1.5B, trained"),
        ([(BASE, "./runs/a", ""), ("runs/a/checkpoint-500", "runs/b", "")], "runs/a/checkpoint-500 is what 0.sh writes"),
        ([(BASE, "runs/a", ""), ("runs/a", "runs/b", ""), ("runs/b", "runs/c", "")], "runs/b is what 1.sh writes: Qwen/Qwen2.5-1.5B"),
    ],
)
def test_what_another_run_writes(launches: list[tuple[str, str, str]], says: str) -> None:
    run = second(*launches)
    assert run.plan is not None
    assert run.plan.arch.hidden == 1536
    assert run.plan.arch.checkpoint_dtype == "bf16"
    assert run.estimate is not None
    assert any(one.text.startswith(says) for one in run.estimate.assumptions)


@pytest.mark.parametrize(
    "launches",
    [
        [(BASE, "runs/a", "--lora"), ("runs/a", "runs/b", "")],  # an adapter is no model
        [(BASE, "runs/a", ""), ("runs/other", "runs/b", "")],
        [(BASE, "runs/a", ""), ("Qwen/Qwen2.5-7B", "runs/a", ""), ("runs/a", "runs/b", "")],  # which of the two?
        [("runs/a", "runs/a", "")],
        [("runs/b", "runs/a", ""), ("runs/a", "runs/b", "")],
        [(BASE, "out", ""), ("out/checkpoint-5", "runs/b", "")],  # a folder of that name is everybody's
    ],
)
def test_what_nobody_is_known_to_write(launches: list[tuple[str, str, str]]) -> None:
    run = second(*launches)
    assert run.estimate is not None
    assert "model" in run.estimate.missing
