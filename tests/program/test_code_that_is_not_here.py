"""A function of a module that is not here changes the model that it is handed; else only one that may patch a framework opens anything."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
from transformers.models.llama.modeling_llama import LlamaAttention
import absent
from absent import *
from absent import attn_tools, make_data
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-7B")
args = TrainingArguments("out", per_device_train_batch_size=2)
{before}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
trainer = Trainer(model, args)
{after}
trainer.train()
"""

CLOSED = {
    "data of a tokenizer": "data = make_data(tokenizer=tokenizer, data_args='x')",
    "a name of a star": "rows = load_rows()",
    "arguments that it reads": "words = absent.parse_args()",
    "settings of a dictionary": "absent.log({'rank': 8})",
}
OPEN = {
    "the model": "make_data(model)",
    "the trainer": "make_data(trainer)",
    "a list that holds it": "make_data([tokenizer, model])",
    "a dict that holds it": "make_data(parts={'model': model})",
    "its parameters": "make_data(model.parameters())",
    "a name that patches": "absent.replace_llama_attn(True)",
    "a module that patches": "attn_tools.set_up(True)",
    "for what it does elsewhere": "absent.set_up()",
    "a class of the framework": "absent.change(LlamaAttention)",
    "the framework itself": "absent.change(transformers)",
}


def adapter(before: str, after: str) -> object:
    (run,) = judge_texts({"train.py": PROGRAM.format(before=before, after=after)}, budget="device 80GiB").runs
    return run.run.settings.value("adapter")


@pytest.mark.parametrize("text", CLOSED.values(), ids=CLOSED)
def test_a_call_that_never_has_the_model(text: str) -> None:
    assert (adapter(text, ""), adapter("", text)) == ("none", "none")


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_a_call_that_may_change_it(text: str) -> None:
    assert adapter("", text) is None
