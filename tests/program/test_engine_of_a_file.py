"""DeepSpeed's engine in a loop of the program's own, whose optimizer is that of the JSON: which parameters it gets."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import deepspeed, torch
from transformers import AutoModelForCausalLM
from absent import optimizer, rows, some
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
{before}
engine, _, _, _ = deepspeed.initialize(model=model, {given}config="zero.json")
for inputs in rows:
    loss = engine(inputs, labels=inputs).loss
    engine.backward(loss)
    engine.step()
"""
ZERO = '{"zero_optimization": {"stage": 3}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}, "bf16": {"enabled": true}}'
TRAINS = "filter(lambda p: p.requires_grad, model.parameters()), "
FROZEN = "for p in model.model.layers[0].parameters(): p.requires_grad = False"
CASES = {
    "all of its model's": ("", "", "none"),
    "none given": ("", "model_parameters=None, ", "none"),
    "the model's parameters": ("", "model_parameters=model.parameters(), ", "none"),
    "those that train, of a model of which all do": ("", f"model_parameters={TRAINS}", "none"),
    "those that train, of a model of which not all do": (FROZEN, f"model_parameters={TRAINS}", None),
    "all, of a model of which not all train": (FROZEN, "", None),
    "those of a part": ("", "model_parameters=model.lm_head.parameters(), ", None),
    "other ones": ("", "model_parameters=some(), ", None),
    "those that pass otherwise": ("", "model_parameters=filter(lambda p: p.dim() > 1, model.parameters()), ", None),
    "an optimizer of its own": ("", "optimizer=optimizer, ", None),
}


@pytest.mark.parametrize(("before", "given", "adapter"), CASES.values(), ids=CASES)
def test_what_trains(before: str, given: str, adapter: str | None) -> None:
    (run,) = judge_texts({"train.py": PROGRAM.format(before=before, given=given), "zero.json": ZERO}, budget="device 8x a100-80gb").runs
    assert (run.run.settings.value("adapter"), run.run.settings.value("shard")) == (adapter, "zero3")
