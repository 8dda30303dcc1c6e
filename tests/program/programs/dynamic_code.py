import builtins
import importlib
import sys

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

batch, accum, seed = 4, 2, 1
exec("batch = 16")
globals()["accum"] = 8
expression = eval("batch * 2 + seed")
setattr(sys.modules[__name__], "seed", 9)
module = importlib.import_module("transformers")
cls = getattr(module, "Auto" + "ModelForCausalLM")
len_of = getattr(builtins, "len")
vars()["late"] = 5
Trainer(
    cls.from_pretrained("org/base", num_hidden_layers=expression, heads=len_of("abc")),
    TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=accum, seed=seed, max_steps=late),  # noqa: F821
).train()
assert AutoModelForCausalLM
