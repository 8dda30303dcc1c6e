"""A program that takes gradients of some rows and steps on none of them is no training."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import argparse, torch
from transformers import AutoModelForCausalLM
from absent import rows, update
parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=4)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
{before}
found = {{}}
for batch in torch.utils.data.DataLoader(rows, batch_size=args.rows, shuffle=True):
    model(**batch).loss.backward()
    for name, weight in model.named_parameters():
        {each}
    model.zero_grad()
torch.save(found, "found.pt")
"""
KEEPS = "found[name] = found.get(name, 0) + weight.grad.abs().mean().item()"
MEASURES = {"what it keeps": ("", KEEPS), "what it adds up": ("total = 0", "total += weight.grad.pow(2).sum()")}
TRAINS = {
    "an optimizer": ("optimizer = torch.optim.AdamW(model.parameters())", "optimizer.step()"),
    "one of code that is not here": ("engine = update(model)", KEEPS),
    "by hand": ("", "weight.data -= 0.1 * weight.grad"),
    "by hand, without data": ("", "weight.sub_(0.1 * weight.grad)"),
    "by hand, anew": ("", "weight.data = weight - 0.1 * weight.grad"),
    "by code that is not here": ("", "update(weight)"),
    "by code that is handed nothing": ("", "update()"),
}


def runs(before: str, each: str) -> int:
    files = {"train.py": PROGRAM.format(before=before, each=each), "run.sh": "python train.py --rows 2\n"}
    return len(judge_texts(files, budget="device 80GiB").runs)


@pytest.mark.parametrize(("before", "each"), MEASURES.values(), ids=MEASURES)
def test_no_run(before: str, each: str) -> None:
    assert runs(before, each) == 0


@pytest.mark.parametrize(("before", "each"), TRAINS.values(), ids=TRAINS)
def test_a_run(before: str, each: str) -> None:
    assert runs(before, each) == 1
