import functools

import transformers
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

real = TrainingArguments.__post_init__


def smaller(self):
    self.per_device_train_batch_size = min(self.per_device_train_batch_size, 4)
    real(self)


TrainingArguments.__post_init__ = smaller
_load = transformers.AutoModelForCausalLM.from_pretrained


def loaded(name, *args, **kwargs):
    kwargs["torch_dtype"] = "float32"
    return _load(name + "-patched", *args, **kwargs)


transformers.AutoModelForCausalLM.from_pretrained = loaded


def traced(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        kwargs["accum"] = kwargs.get("accum", 1) * 2
        return function(*args, **kwargs)

    return call


@traced
@functools.lru_cache(maxsize=None)
def arguments(accum=3):
    return TrainingArguments("out", per_device_train_batch_size=16, gradient_accumulation_steps=accum)


Trainer(AutoModelForCausalLM.from_pretrained("org/base", torch_dtype="bfloat16"), arguments(accum=5)).train()
