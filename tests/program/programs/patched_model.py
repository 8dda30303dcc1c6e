import acme.patches as patches
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("org/base", torch_dtype="bfloat16")
model = patches.apply(model)
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=8)).train()
