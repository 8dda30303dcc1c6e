import itertools

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

for batch, accum in zip([1, 2], [8, 4]):
    args = TrainingArguments(f"out-{batch}", per_device_train_batch_size=batch, gradient_accumulation_steps=accum)
    Trainer(AutoModelForCausalLM.from_pretrained("org/base"), args).train()
grid = list(itertools.product(["a", "b"], (1e-4, 1e-5)))
for name, lr in grid[1:3]:
    Trainer(AutoModelForCausalLM.from_pretrained(f"org/{name}"), TrainingArguments("out", learning_rate=lr)).train()
