"""A package that nobody knows: what its code could have changed elsewhere is open, what the program states is not."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """
import os
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
{before}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
args = TrainingArguments("out", per_device_train_batch_size=8, bf16=True, gradient_accumulation_steps=int(os.environ.get("STEPS", "3")))
trainer = Trainer(model=model, args=args)
trainer.train()
{after}
"""
COULD_CHANGE = {"optimizer", "loss", "recompute", "quant", "adapter", "grad_accum"}
STATED = {"model", "micro_batch", "autocast"}


def unresolved(before: str = "", after: str = "") -> set[str]:
    (context,) = judge_texts({"train.py": PROGRAM.format(before=before, after=after)}, budget="device 80GiB").runs
    settings = {name: context.setting(name) for name in {*COULD_CHANGE, *STATED}}
    return {name for name, one in settings.items() if one is not None and one.certainty == "unresolved"}


def test_a_call_without_a_model_opens_what_it_could_change_and_nothing_that_is_stated() -> None:
    assert unresolved("from acme.patches import apply\napply()") == COULD_CHANGE


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import acme",
        "import setproctitle\nsetproctitle.setproctitle('train')",
        "import acme\nfolder = acme.__file__.split('/')",
        "from acme import Schedule\nschedule = Schedule.from_pretrained('x')",
    ],
)
def test_what_changes_nothing_elsewhere_opens_nothing(before: str) -> None:
    assert unresolved(before) == set()


def test_what_is_called_after_the_training_opens_nothing() -> None:
    assert unresolved(after="import acme\nacme.upload()") == set()
