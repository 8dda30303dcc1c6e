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
    "a function that it may wrap": "def tell(one): print(one)\nabsent.main_only(tell)",
    "the framework itself": "absent.change(transformers)",
}


OWN_MODULE = """\
import torch
from transformers import AutoModel
from absent import make_data, rows
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModel.from_pretrained("google-bert/bert-base-uncased")
    def forward(self, ids):
        return self.encoder(ids).last_hidden_state
net = Net()
{}
optimizer = torch.optim.AdamW(net.parameters())
for batch in torch.utils.data.DataLoader(rows, batch_size=2, shuffle=True):
    net(batch).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("call", "known"), [("make_data(3)", "none"), ("make_data(net)", None), ("make_data([net])", None), ("make_data({'net': net})", None)]
)
def test_a_module_that_holds_it(call: str, known: str | None) -> None:
    (run,) = judge_texts({"train.py": OWN_MODULE.format(call)}, budget="device 80GiB").runs
    assert run.run.settings.value("adapter") == known


def adapter(before: str, after: str) -> object:
    (run,) = judge_texts({"train.py": PROGRAM.format(before=before, after=after)}, budget="device 80GiB").runs
    return run.run.settings.value("adapter")


@pytest.mark.parametrize("text", CLOSED.values(), ids=CLOSED)
def test_a_call_that_never_has_the_model(text: str) -> None:
    assert (adapter(text, ""), adapter("", text)) == ("none", "none")


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_a_call_that_may_change_it(text: str) -> None:
    assert adapter("", text) is None
