from functools import partial, reduce
from operator import attrgetter, itemgetter, mul

import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

load = partial(AutoModelForCausalLM.from_pretrained, torch_dtype=torch.bfloat16, device_map="auto")
arguments = partial(TrainingArguments, "out", per_device_train_batch_size=4, bf16=True)
longer = partial(arguments, per_device_train_batch_size=1, gradient_checkpointing=True)
optimizer = partial(torch.optim.AdamW, lr=1e-4, weight_decay=0.1)
accum = reduce(mul, [2, 2, 4], 1)
pick = itemgetter("name", "size")
name, size = pick({"size": "7b", "name": "org/base"})
model = load(name + "-" + size, device_map=None)
args = longer(gradient_accumulation_steps=accum, seed=attrgetter("keywords")(longer)["per_device_train_batch_size"])
Trainer(model, args, optimizers=(optimizer(model.parameters(), lr=3e-4), None)).train()
