import acme.settings
from acme.settings import BATCH_SIZE, load
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

DEFAULTS = {"batch_size": 16, "accum": 2, "lr": 1e-5}
settings = {**DEFAULTS, **load()}
mine = dict(DEFAULTS)
mine.update(load("mine"))
batch = settings["batch_size"]
model = AutoModelForCausalLM.from_pretrained(acme.settings.MODEL or "org/base")
args = TrainingArguments("out", per_device_train_batch_size=batch, per_device_eval_batch_size=BATCH_SIZE, gradient_accumulation_steps=mine["accum"])
args.learning_rate = mine["lr"]
Trainer(model=model, args=args).train()
