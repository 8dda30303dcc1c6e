"""Rows that a loop cuts out of one long array at random: how many a step, and how long."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

SCRIPT = """\
import numpy as np
import torch
from transformers import AutoModelForCausalLM

rows, length = 12, 256
model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
optimizer = torch.optim.AdamW(model.parameters())

def get_batch(split):
    data = np.memmap(split + ".bin", dtype=np.uint16, mode="r")
    {drawn}
    x = torch.stack({x})
    y = torch.stack({y})
    return x.cuda(), y.cuda()

def estimate_loss():
    x, y = get_batch("val")
    model(x, labels=y)

for step in range(100):
    x, y = get_batch("train")
    {model}(x, labels=y).loss.backward()
    optimizer.step()
    estimate_loss()
"""
DRAWN = "ix = torch.randint(len(data) - length, (rows,))"
CUT = "[torch.from_numpy(data[i:i + length].astype(np.int64)) for i in ix]"
NEXT = "[torch.from_numpy((data[i + 1:i + 1 + length]).astype(np.int64)) for i in ix]"
CASES = {
    # what is drawn, the rows, their targets; the batch and the length of the run
    "as it is written most": (DRAWN, CUT, NEXT, (12, 256)),
    "of a tensor": (DRAWN, "[data[i:i+length] for i in ix]", "[data[i+1:i+length+1] for i in ix]", (12, 256)),
    "with one more": (DRAWN, "[data[i:i+length+1] for i in ix]", "[data[i:i+length+1] for i in ix]", (12, 257)),
    "by keyword": ("ix = torch.randint(0, len(data) - length, size=(rows,))", CUT, NEXT, (12, 256)),
    "of two lengths": (DRAWN, CUT, "[data[i:i+2*length] for i in ix]", (12, None)),
    "to the end": (DRAWN, "[data[i:] for i in ix]", "[data[i:] for i in ix]", (None, None)),
    "worked at": (DRAWN, "[padded(data[i:i+length]) for i in ix]", "[padded(data[i:i+length]) for i in ix]", (None, None)),
    "some of them": (DRAWN, "[data[i:i+length] for i in ix if i]", "[data[i:i+length] for i in ix if i]", (None, None)),
    "not drawn": ("ix = starts(data)", CUT, NEXT, (None, None)),
    "of a length that is not known": ("length = len(data) // 9\n    " + DRAWN, CUT, NEXT, (12, None)),
}


@pytest.mark.parametrize("case", CASES)
def test_windows_are_the_rows(case: str) -> None:
    drawn, x, y, expected = CASES[case]
    assert of(SCRIPT.format(drawn=drawn, x=x, y=y, model="model")) == expected


def test_all_devices_of_a_process_share_them() -> None:
    text = SCRIPT.format(drawn=DRAWN, x=CUT, y=NEXT, model="torch.nn.DataParallel(model)")
    assert of(text) == (None, 256)


def of(text: str) -> tuple[object, object]:
    (context,) = judge_texts({"train.py": text, "run.sh": "python train.py\n"}).runs
    return context.run.settings.value("micro_batch"), context.run.settings.value("seq_len")
