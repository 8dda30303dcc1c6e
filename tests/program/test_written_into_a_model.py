"""Numbers that a program writes into a weight replace no module; a layer that it puts in may."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from acme import twin
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
{}
args = TrainingArguments("out", per_device_train_batch_size=2)
Trainer(model, args).train()
"""


@pytest.mark.parametrize(
    ("text", "adapter"),
    [
        ("rows = model.model.embed_tokens.weight.data\nrows[-3:] = rows[:-3].mean(0)", "none"),
        ("from google.colab import drive\ndrive.mount('/content/drive')", "none"),
        ("import sqlglot\nsqlglot.parse_one('SELECT 1')", "none"),
        ("layers = model.model.layers\nlayers[0] = twin(layers[0])", None),
        ("model.lm_head.weight = twin(model.lm_head.weight)", None),
        ("twin(model)", None),
    ],
)
def test_the_adapter(text: str, adapter: str | None) -> None:
    (run,) = judge_texts({"train.py": PROGRAM.format(text)}, budget="device 80GiB").runs
    assert run.run.settings.value("adapter") == adapter
