from contextlib import contextmanager

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

state = {"batch": 4}


@contextmanager
def doubled(d):
    before = d["batch"]
    d["batch"] = before * 2
    try:
        yield d["batch"]
    finally:
        d["batch"] = before


def sizes(limit):
    size = 1
    while size < limit:
        yield size
        size *= 3
    return


def chained():
    yield from sizes(10)
    yield 100


stream = sizes(1000)
next(stream)
second = next(stream)
with doubled(state) as inside:
    args = TrainingArguments("out", per_device_train_batch_size=state["batch"], gradient_accumulation_steps=second, seed=inside)
total = sum(chained())
first_big = next((s for s in sizes(100) if s > 5), None)
model = AutoModelForCausalLM.from_pretrained("org/base", num_hidden_layers=total, hidden=state["batch"], heads=first_big, rest=list(stream)[-1])
Trainer(model, args).train()
