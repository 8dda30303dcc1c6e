"""What only an evaluation cuts its texts to is not the training's length."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

SCRIPT = """\
import argparse
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--max_length", type=int, default=2048)
args = parser.parse_args()
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")

def tokenize(rows):
    {train}

def evaluate_model(texts):
    for text in texts:
        inputs = tokenizer(text, max_length={length}, truncation=True, return_tensors="pt")
        model.generate(**inputs)

rows = load_dataset("rows")["train"].map(tokenize, batched=True)
trainer = Trainer(model, TrainingArguments("o", per_device_train_batch_size=2), train_dataset=rows)
trainer.train()
{after}
"""
CUT = 'return tokenizer(rows["text"], max_length=768, truncation=True)'
WHOLE = 'return {"input_ids": [packed(one) for one in rows["text"]]}'
CALL = 'evaluate_model(load_dataset("rows")["test"])'
CASES = {
    # what cuts the rows, the length of the evaluation, what stands behind the training: the length of the run
    "both": (CUT, "64", CALL, 768),
    "only the evaluation": (WHOLE, "64", CALL, None),
    "only the evaluation, by an option": (WHOLE, "args.max_length", CALL, None),
    "no evaluation": (CUT, "64", "", 768),
    "the same function for both": (CUT.replace("768", "args.max_length"), "args.max_length", CALL, 2048),
}


@pytest.mark.parametrize("case", CASES)
def test_the_length_of_the_rows(case: str) -> None:
    train, length, after, expected = CASES[case]
    text = SCRIPT.replace("{train}", train).replace("{length}", length).replace("{after}", after)
    (context,) = judge_texts({"train.py": text, "run.sh": "python train.py\n"}).runs
    assert context.run.settings.value("seq_len") == expected


def test_a_function_that_trains_and_evaluates_is_no_evaluation() -> None:
    lines = SCRIPT.replace("{train}", CUT).replace("{length}", "768").replace("{after}", "")
    head, tail = lines.split("rows = load_dataset")
    inside = f"rows = load_dataset{tail}".replace("\n", "\n    ")
    (context,) = judge_texts(
        {"train.py": f"{head}def train_and_eval():\n    {inside}\ntrain_and_eval()\n", "run.sh": "python train.py\n"}
    ).runs
    assert context.run.settings.value("seq_len") == 768
