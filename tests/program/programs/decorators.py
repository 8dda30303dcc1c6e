import functools

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

HOOKS = []


def hook(order=0):
    def wrap(function):
        HOOKS.append((order, function))
        return function

    return wrap


def with_defaults(**defaults):
    def wrap(function):
        @functools.wraps(function)
        def call(*args, **given):
            return function(*args, **{**defaults, **given})

        return call

    return wrap


class Retry:
    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)


@hook(order=2)
def double(s):
    s["batch"] *= 2


@hook(order=1)
def plus(s):
    s["batch"] += 1


@Retry
@with_defaults(batch=4, accum=2)
def train(name, batch=100, accum=100):
    settings = {"batch": batch}
    for _, function in sorted(HOOKS, key=lambda h: h[0]):
        function(settings)
    return TrainingArguments(name, per_device_train_batch_size=settings["batch"], gradient_accumulation_steps=accum)


args = train("out", accum=8)
Trainer(AutoModelForCausalLM.from_pretrained("org/base", num_hidden_layers=train.calls), args).train()
