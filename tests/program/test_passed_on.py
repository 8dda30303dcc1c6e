"""A `compute_loss` of a program's own Trainer: one that only looks at what the base's gives leaves the loss as it is."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

class Mine(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **more):
{body}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
Mine(model=model, args=TrainingArguments("o", per_device_train_batch_size=2)).train()
"""
BASE = "super().compute_loss(model, inputs, return_outputs=True)"

CASES = {
    "given on": ("return super().compute_loss(model, inputs, return_outputs, **more)", True),
    "by the older name": ("return super(Mine, self).compute_loss(model, inputs)", True),
    "counted": (f"res = {BASE}\nself.sum += res[0].detach().item()\nreturn res if return_outputs else res[0]", True),
    "unpacked": (f"loss, out = {BASE}\nself.all += out.hits.cpu().tolist()\nif return_outputs:\n    return loss, out\nreturn loss", True),
    "more is lost": (f"loss = {BASE}[0]\nreturn loss + self.other", False),
    "weighted": (f"res = {BASE}\nreturn res[0] * 2", False),
    "bound again": (f"res = {BASE}\nres = res[0] * 2\nreturn res", False),
    "a second forward": (f"res = {BASE}\nself.other(**inputs)\nreturn res[0]", False),
    "the model again": (f"res = {BASE}\nself.model.generate()\nreturn res[0]", False),
    "logits that are kept": (f"res = {BASE}\nself.kept.append(res[1].logits.detach())\nreturn res[0]", False),
    "other inputs": ("return super().compute_loss(model, dict(inputs))", False),
    "a loss of its own": ("return model(**inputs).logits.sum()", False),
    "two ways": (f"if self.x:\n    return {BASE}[0]\nreturn {BASE}", False),
    "it may give nothing": (f"res = {BASE}\nif self.x:\n    return\nreturn res[0]", False),
}


@pytest.mark.parametrize(("body", "passes"), CASES.values(), ids=CASES)
def test_a_loss_that_is_only_looked_at_is_the_base_class(body: str, passes: bool) -> None:
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    (run,) = judge_texts({"train.py": PROGRAM.format(body=indented)}).runs
    loss = run.setting("loss")
    assert loss is not None
    assert (loss.known and loss.value == "full") == passes
