"""``isinstance(model, PeftModel)``: what transformers loads is none, and what PEFT makes of it is one."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

SCRIPT = """\
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel, Trainer, TrainingArguments
from peft import LoraConfig, PeftModel, get_peft_model
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
batch = 1
{}
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=batch), train_dataset=[1]).train()
"""
ADAPT = "model = get_peft_model(model, LoraConfig(r=4))"
ROWS = [
    ("if isinstance(model, PeftModel):\n    batch = 2", 1, "none"),
    ("if isinstance(model, PreTrainedModel) and isinstance(model, torch.nn.Module):\n    batch = 2", 2, "none"),
    (f"if not isinstance(model, PeftModel):\n    {ADAPT}", 1, "lora"),
    (f"{ADAPT}\nif isinstance(model, PeftModel):\n    batch = 2", 2, "lora"),
    (f"{ADAPT}\nif isinstance(model, PreTrainedModel):\n    batch = 2", 1, "lora"),
    ("torch._dynamo.config.suppress_errors = True", 1, "none"),
    ("if isinstance(model, PeftModel):\n    model.get_input_embeddings().weight.requires_grad = False", 1, "none"),
]


@pytest.mark.parametrize(("lines", "batch", "adapter"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_a_model_is_asked_for_its_class(lines: str, batch: int, adapter: str) -> None:
    (run,) = judge_texts({"train.py": SCRIPT.format(lines), "run.sh": "python train.py\n"}).runs
    found = run.run.settings
    assert (found.value("micro_batch"), found.value("adapter"), found["adapter"].known) == (batch, adapter, True)
