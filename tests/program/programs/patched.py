from acme.patches import apply
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

apply()
model = AutoModelForCausalLM.from_pretrained("org/base")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=8, bf16=True)
Trainer(model=model, args=args).train()
