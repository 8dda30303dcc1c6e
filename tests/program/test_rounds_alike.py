"""A program that trains several times, one after another: where all are alike, one of them is the run."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

HEAD = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
NAME = "Qwen/Qwen2.5-0.5B"
"""
TRAIN = """
def train(seed, batch=2):
    model = AutoModelForCausalLM.from_pretrained(NAME)
    trainer = Trainer(model=model, args=TrainingArguments(f"o/{seed}", seed=seed, per_device_train_batch_size=batch))
    found = trainer.train()
    return found.metrics
"""
CASES = {
    "seeds": (TRAIN + "for seed in [1, 2, 3]:\n    train(seed)\n", {"train.py": 2}),
    "twice by hand": (TRAIN + "a = train(1)\nb = train(2)\n", {"train.py": 2}),
    "another batch": (TRAIN + "for batch in [2, 4]:\n    train(1, batch)\n", {}),
    "the trainer is kept": (
        TRAIN.replace("found.metrics", "trainer") + "kept = [train(seed) for seed in [1, 2, 3]]\n",
        {},
    ),
    "the loop is around the training": (
        "for seed in [1, 2]:\n    model = AutoModelForCausalLM.from_pretrained(NAME)\n"
        "    trainer = Trainer(model=model, args=TrainingArguments('o', per_device_train_batch_size=2))\n    trainer.train()\n",
        {},
    ),
}


@pytest.mark.parametrize(("text", "runs"), CASES.values(), ids=CASES)
def test_rounds_that_are_alike_are_one_run(text: str, runs: dict[str, int]) -> None:
    judged = judge_texts({"train.py": HEAD + text, "run.sh": "python train.py\n"}).runs
    found = {one.run.name: one.run.settings.value("micro_batch") for one in judged if one.run.settings.value("model")}
    assert {name.replace("run.sh", "train.py"): batch for name, batch in found.items()} == runs


def test_it_is_told() -> None:
    (run,) = judge_texts({"train.py": HEAD + CASES["seeds"][0], "run.sh": "python train.py\n"}).runs
    told = [one.consumer.says for one in run.run.readings if one.consumer is not None]
    assert "it trains 3 times, one after another and alike: this is each of them" in told
