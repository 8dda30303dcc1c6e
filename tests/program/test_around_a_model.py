"""A module of the program's own around a model: its layers are counted, and a model that it runs otherwise is no model that is known."""

from __future__ import annotations

import pytest

from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.models import known_model
from budgetlint.catalog.own_layers import counted, with_own, written
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Setting

BERT, LLAMA = "google-bert/bert-base-uncased", "meta-llama/Llama-3.2-1B"
HEAD = f"""\
import torch
import torch.nn.functional as F
from torch import nn
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, LlamaForCausalLM, Trainer, TrainingArguments
from acme import pool

NAME = "{BERT}"

class Pool(nn.Module):
    def forward(self, hidden, mask):
        return (hidden * mask.unsqueeze(-1)).sum(1) / mask.sum(1)

class Net(nn.Module):
"""
TRAIN = "\nTrainer(model=model, args=TrainingArguments('out', per_device_train_batch_size=2)).train()\n"
LOOP = """
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in torch.utils.data.DataLoader(rows, batch_size=4, shuffle=True):
    F.cross_entropy(model(batch), batch["labels"]).backward()
    optimizer.step()
"""
ENCODER = "self.encoder = AutoModel.from_pretrained(NAME)"
RUN = "out = self.encoder(ids, attention_mask=mask).last_hidden_state"
LINEAR = "self.head = nn.Linear(768, 5)"

OUTER = """\
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()
    def forward(self, ids, mask):
        return self.net(ids, mask)
model = Outer()"""


def net(init: str, forward: str, args: str = "ids, mask, labels=None", made: str = "model = Net()", more: str = "") -> str:
    inside = "\n        ".join(["super().__init__()", *init.split("; ")])
    body = "\n        ".join(forward.split("; "))
    return f"{HEAD}    def __init__(self):\n        {inside}\n    def forward(self, {args}):\n        {body}\n{more}\n{made}\n"


KNOWN = {
    "a head of known sizes": (net(f"{ENCODER}; {LINEAR}", f"{RUN}; return self.head(out[:, 0])"), "3845"),
    "sizes of the model's configuration": (
        net(f"{ENCODER}; self.head = nn.Linear(self.encoder.config.hidden_size, 5)", f"{RUN}; return self.head(out.mean(1))"),
        "5 + 5 hidden",
    ),
    "a configuration that is loaded by the same name": (
        net(
            f"c = AutoConfig.from_pretrained(NAME); {ENCODER}; self.head = nn.Linear(c.hidden_size, c.hidden_size)",
            f"{RUN}; return self.head(out)",
        ),
        "1 hidden + 1 hidden^2",
    ),
    "several layers in a row": (
        net(
            f"{ENCODER}; self.head = nn.Sequential(nn.Linear(768, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 2, bias=False))",
            f"{RUN}; return self.head(out[:, 0])",
        ),
        str(768 * 64 + 64 + 128),
    ),
    "a norm and a loss": (
        net(
            f"{ENCODER}; self.norm = nn.LayerNorm(768); self.loss = nn.CrossEntropyLoss()",
            f"{RUN}; return self.loss(self.norm(out[:, 0]), labels)",
        ),
        "1536",
    ),
    "a module of its own without parameters": (net(f"{ENCODER}; self.pool = Pool()", f"{RUN}; return self.pool(out, mask)"), None),
    "one of two ways": (
        net(f"{ENCODER}; {LINEAR}", f"if mask is None:;     {RUN}; else:;     {RUN}; return self.head(out[:, 0])"),
        "3845",
    ),
    "a method of its own": (
        net(
            f"{ENCODER}; {LINEAR}",
            "return self.head(self.embed(ids, mask))",
            more=f"    def embed(self, ids, mask):\n        {RUN}\n        return F.normalize(out[:, 0], dim=-1)",
        ),
        "3845",
    ),
    "a module around the module": (
        net(f"{ENCODER}; {LINEAR}", f"{RUN}; return self.head(out[:, 0])", made=OUTER),
        "3845",
    ),
}  # fmt: skip
"""By what it is: a program, and the parameters beside those of the model."""

DOUBTED = {
    "two runs": (net(ENCODER, "return self.encoder(ids)[0], self.encoder(mask)[0]"), "runs the model 2 times a step"),
    "runs in a comprehension": (net(ENCODER, "return [self.encoder(one) for one in ids]"), "runs the model in a loop"),
    "runs in a loop": (net(ENCODER, "for one in ids:;     out = self.encoder(one); return out"), "runs the model in a loop"),
    "all hidden states": (net(ENCODER, "return self.encoder(ids, output_hidden_states=True)[2]"), "asks the model for hidden states"),
    "without gradients": (
        net(ENCODER, "with torch.no_grad():;     out = self.encoder(ids); return out"),
        "runs the model without gradients",
    ),
    "a layer that nobody counts": (net(f"{ENCODER}; self.rnn = nn.LSTM(768, 256)", f"{RUN}; return self.rnn(out)"), "holds a LSTM"),
    "a wide layer": (
        net(f"{ENCODER}; self.head = nn.Linear(768, 250002)", f"{RUN}; return self.head(out)"),
        "holds a Linear of 250,002 outputs",
    ),
    "a size called after a vocabulary": (
        net(f"{ENCODER}; self.head = nn.Linear(768, self.encoder.config.vocab_size)", f"{RUN}; return self.head(out)"),
        "holds a Linear of a size that is not known",
    ),
    "a function that nobody knows": (net(ENCODER, f"{RUN}; return pool(out)"), "calls pool in a step"),
    "a product of matrices": (net(ENCODER, f"{RUN}; return out @ out.transpose(1, 2)"), "multiplies matrices beside the model"),
    "a part of the model": (net(f"{ENCODER}; self.body = self.encoder.encoder", "return self.body(ids)"), "runs a part of the model"),
    "the model handed on": (net(ENCODER, "return F.relu(self.encoder)"), "hands the model on"),
    "a decorator that nobody knows": (
        net(ENCODER, "return self.embed(ids)", more="    @pool\n    def embed(self, ids):\n        return self.encoder(ids)"),
        "has a decorator around embed that is not known",
    ),
    "embeddings of its own": (net(ENCODER, "return self.encoder(inputs_embeds=ids)"), "gives the model inputs_embeds"),
}  # fmt: skip


def settings_of(text: str) -> dict[str, Setting]:
    runs = judge_texts({"train.py": text, "run.sh": "python train.py\n"}).runs
    assert len(runs) == 1
    return dict(runs[0].run.settings.items())


@pytest.mark.parametrize("ends", [TRAIN, LOOP], ids=["trainer", "loop"])
@pytest.mark.parametrize("name", KNOWN)
def test_layers_around_a_model_are_counted(name: str, ends: str) -> None:
    text, parameters = KNOWN[name]
    settings = settings_of(text + ends)
    assert settings["model"].value == BERT
    assert (settings["own_parameters"].value if "own_parameters" in settings else None) == parameters


@pytest.mark.parametrize("ends", [TRAIN, LOOP], ids=["trainer", "loop"])
@pytest.mark.parametrize("name", DOUBTED)
def test_a_model_that_is_run_otherwise_is_not_known(name: str, ends: str) -> None:
    text, why = DOUBTED[name]
    model = settings_of(text + ends)["model"]
    assert (model.value, model.text) == (None, f"<{BERT}: class Net {why}>")


def test_labels_that_the_data_count_are_a_span() -> None:
    text = net(f"{ENCODER}; self.head = nn.Linear(768, int(input()))", f"{RUN}; return self.head(out[:, 0])")
    own = settings_of(text + TRAIN)["own_parameters"]
    assert (own.state, own.readings) == ("symbolic", ("0", "4096 + 4096 hidden"))


@pytest.mark.parametrize(("parameters", "text"), [((0, 0, 0), "0"), ((5, 5, 0), "5 + 5 hidden"), ((0, 2, 3), "2 hidden + 3 hidden^2")])
def test_parameters_by_the_hidden_size(parameters: tuple[int, int, int], text: str) -> None:
    assert written(parameters) == text
    assert counted(text, 10) == parameters[0] + 10 * parameters[1] + 100 * parameters[2]


@pytest.mark.parametrize("text", ["", "five", "-5", "5 heads", "5 +5", "1" * 16])
def test_a_text_that_says_no_number(text: str) -> None:
    assert counted(text, 10) is None


def test_what_is_around_a_model_is_part_of_its_count() -> None:
    bare = known_model(BERT)
    assert bare is not None
    assert parameter_count(with_own(bare, 3845)) == parameter_count(bare) + 3845


def test_a_class_built_on_a_package_s_model_is_another_one() -> None:
    text = f"{HEAD}    pass\nclass Mine(LlamaForCausalLM):\n    def forward(self, **more):\n        return super().forward(**more)[0] * 2\n"
    model = settings_of(f"{text}model = Mine.from_pretrained({LLAMA!r})\n{TRAIN}")["model"]
    assert model.text == f"<{LLAMA}: class Mine has forward of its own>"


def test_what_trains_is_not_what_is_loaded() -> None:
    text = net(LINEAR, "return self.head(ids)", made=f"teacher = AutoModelForCausalLM.from_pretrained({LLAMA!r})\nmodel = Net()")
    model = settings_of(text + LOOP)["model"]
    assert model.text == f"<{LLAMA}: class Net trains, and does not hold the model>"


STEPS = {
    "one run": ("loss = model(batch).sum()", ""),
    "two runs": ("loss = model(batch).sum() + model(other).sum()", "2"),
    "three in two statements": ("a = model(batch)\n    loss = (a - model(x)).sum() * model(y).sum()", "3"),
    "one of two": ("if x:\n        a = model(batch)\n    else:\n        a = model(other)\n    loss = a.sum()", ""),
    "one of them without gradients": ("with torch.no_grad():\n        b = model(other)\n    loss = (model(batch) - b).sum()", ""),
    "an evaluation in the loop": ("loss = model(batch).sum()\n    for one in held:\n        model(one)", ""),
    "another model beside it": ("loss = (model(batch) - teacher(batch)).sum()", ""),
}  # fmt: skip


@pytest.mark.parametrize("made", ["AutoModel.from_pretrained(NAME)", "Net()"], ids=["a model", "a module around it"])
@pytest.mark.parametrize(("body", "times"), STEPS.values(), ids=STEPS)
def test_runs_of_one_step(body: str, times: str, made: str) -> None:
    text = net(f"{ENCODER}; {LINEAR}", f"{RUN}; return self.head(out[:, 0])", made=f"model = {made}")
    text += "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)\nteacher = AutoModelForCausalLM.from_pretrained('gpt2')\n"
    text += f"for batch in torch.utils.data.DataLoader(rows, batch_size=4, shuffle=True):\n    {body}\n    loss.backward()\n"
    model = settings_of(text)["model"]
    assert model.text == (f"<{BERT}: the loop runs it {times} times a step>" if times else BERT)
