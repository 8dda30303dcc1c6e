from acme import settings
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Job:
    def __init__(self, batch_size=8):
        self.batch_size = batch_size
        self.model_name = "org/base"


job = Job()
from acme.patches import tune  # noqa: E402

jobs = [Job(4), job]
for one in jobs:
    tune(one)
given = settings.load("default")
model = AutoModelForCausalLM.from_pretrained(job.model_name)
Trainer(
    model,
    TrainingArguments("out", per_device_train_batch_size=jobs[0].batch_size, gradient_accumulation_steps=given.get("batch_size", 2)),
).train()
