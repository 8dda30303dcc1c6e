"""A tokenizer's length is the rows' only where the function around it leaves them as they are."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

SCRIPT = """\
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()

def masked(ids):
    return ids

class Rows:
    def masked(self, ids):
        return ids

    def __call__(self, rows):
        batch = tokenizer([row["text"] for row in rows], max_length=768, truncation=True, padding="max_length", return_tensors="pt")
        {}
        return batch

loader = torch.utils.data.DataLoader([{{"text": "a"}}], batch_size=4, shuffle=True, collate_fn=Rows())
optimizer = torch.optim.AdamW(model.parameters())
for batch in loader:
    model(**batch).loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("line", "length"),
    [
        ('batch["labels"] = batch["input_ids"].clone()', 768),
        ('batch["input_ids"] = batch["input_ids"].cuda()', 768),
        ('batch["labels"] = self.masked(batch["input_ids"])', 768),
        ('batch["input_ids"] = self.masked(batch["input_ids"])', None),
        ('batch["input_ids"] = masked(batch["input_ids"])', None),
        ('batch.input_ids = masked(batch["input_ids"])', None),
    ],
)
def test_rows_that_are_made_anew_have_no_length_of_the_tokenizers(line: str, length: int | None) -> None:
    (run,) = judge_texts({"train.py": SCRIPT.format(line), "run.sh": "python train.py\n"}).runs
    assert run.run.settings.value("seq_len") == length
