"""Of two optimizers, the one that a program hands to DeepSpeed and that of its file, the program's trains."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

LOOP = """import torch, deepspeed
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("gpt2")
{made}
engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds.json"{handed})
for batch in data:
    engine.backward(engine(**batch).loss)
    engine.step()
"""
ENGINE = '{"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "Lion"}, "zero_optimization": {"stage": 1}}'
CASES = {
    "its own": ("optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)", ", optimizer=optimizer", "sgd"),
    "none": ("", "", "fused_lion"),
}


@pytest.mark.parametrize(("made", "handed", "optimizer"), CASES.values(), ids=CASES)
def test_which_optimizer_trains(made: str, handed: str, optimizer: str) -> None:
    judged = judge_texts({"train.py": LOOP.format(made=made, handed=handed), "ds.json": ENGINE, "go.sh": "deepspeed train.py\n"})
    found = [context.run.settings for context in judged.runs]
    assert [(one.value("optimizer"), one.value("shard")) for one in found] == [(optimizer, "zero1")]
