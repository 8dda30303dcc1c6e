"""Adapters on parameters, as the experts of gpt-oss are: what trains is not counted, and nobody says that it is."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("openai/gpt-oss-20b")
model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]{more}))
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=1), train_dataset=data).train()
"""
AXOLOTL = """\
base_model: openai/gpt-oss-20b
adapter: lora
lora_r: 8
lora_target_modules: [q_proj]
{more}sequence_len: 2048
micro_batch_size: 1
datasets: [{{path: d, type: alpaca}}]
"""
TRL = """\
model_name_or_path: openai/gpt-oss-20b
dataset_name: trl-lib/Capybara
use_peft: true
lora_r: 8
lora_target_modules: [q_proj]
{more}per_device_train_batch_size: 1
learning_rate: 0.0002
num_train_epochs: 1
"""
RUNS = {
    "program": ("train.py", PROGRAM, ', target_parameters=["7.mlp.experts.gate_up_proj"]'),
    "axolotl": ("train.yaml", AXOLOTL, "lora_target_parameters: [mlp.experts.gate_up_proj]\n"),
    "trl": ("train.yaml", TRL, "lora_target_parameters: [mlp.experts.gate_up_proj]\n"),
}


@pytest.mark.parametrize("name", RUNS)
def test_parameters_among_the_targets_leave_open_what_trains(name: str) -> None:
    path, text, more = RUNS[name]
    (plain,) = judge_texts({path: text.format(more="")}).runs
    (run,) = judge_texts({path: text.format(more=more)}).runs
    assert plain.run.settings.value("lora_targets") == ("q_proj",)
    assert not run.run.settings["lora_targets"].known
    assert "lora_targets" not in plain.estimate.missing
    assert "lora_targets" in run.estimate.missing
