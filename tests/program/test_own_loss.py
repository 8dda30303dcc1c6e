"""The loss of a loop of the program's own: the model's, over all logits, where nothing takes more of its outputs."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import torch
import torch.nn.functional as F
from accelerate import Accelerator
import transformers
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSequenceClassification
from absent import patch_llama, rows, weights
accelerator = Accelerator()
model = {load}
optimizer = torch.optim.AdamW(model.parameters())
model, optimizer = accelerator.prepare(model, optimizer)
for batch in torch.utils.data.DataLoader(rows, batch_size=2, shuffle=True):
    {step}
    optimizer.step()
"""
LOAD = 'AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")'
PLAIN = "model(**batch).loss.backward()"
CASES = {
    "its own": (LOAD, PLAIN, "full"),
    "by labels, through accelerate": (LOAD, "loss = model(batch, labels=batch)[0]; accelerator.backward(loss)", "full"),
    "divided": (LOAD, "out = model(**batch); loss = out.loss / 4; loss.backward()", "full"),
    "of the logits": (LOAD, "F.cross_entropy(model(**batch).logits, batch['labels']).backward()", None),
    "with another": (LOAD, "out = model(**batch); (out.loss + F.kl_div(out.logits, weights)).backward()", None),
    "of what is given": (LOAD, "out = model(**batch); weights(out).backward()", None),
    "after a patch": (LOAD, f"patch_llama(); {PLAIN}", None),
    "no language model": ('AutoModelForSequenceClassification.from_pretrained("google-bert/bert-base-uncased")', PLAIN, None),
}


@pytest.mark.parametrize(("load", "step", "loss"), CASES.values(), ids=CASES)
def test_the_loss(load: str, step: str, loss: str | None) -> None:
    (run,) = judge_texts({"train.py": PROGRAM.format(load=load, step=step)}, budget="device 80GiB").runs
    assert run.run.settings.value("loss") == loss
