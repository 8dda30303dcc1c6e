import acme
from acme.patches import tune
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Holder:
    def __init__(self, settings):
        self.settings = settings


settings = {"batch_size": 8, "model_name": "org/base"}
holder = Holder(settings)
kept = {"inner": settings}
reader = lambda: settings["batch_size"]  # noqa: E731
tune(kept["inner"])
other = {"batch_size": 5}
wrapped = [other]
tune(*wrapped)
safe = {"batch_size": 7}
text = str(safe)
acme.settings_of_nobody = 1
Trainer(
    AutoModelForCausalLM.from_pretrained(holder.settings["model_name"], num_hidden_layers=safe["batch_size"], text=text),
    TrainingArguments("out", per_device_train_batch_size=reader(), gradient_accumulation_steps=other["batch_size"]),
).train()
