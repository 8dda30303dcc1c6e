import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

model_name = "org/small-1b"
tokenizer = AutoTokenizer.from_pretrained(model_name)
model = AutoModelForCausalLM.from_pretrained(model_name, torch_dtype=torch.bfloat16, attn_implementation="sdpa")
model.gradient_checkpointing_enable()

data = load_dataset("org/data", split="train")
data = data.map(lambda row: tokenizer(row["text"], truncation=True, max_length=1024), remove_columns=data.column_names)

args = TrainingArguments(
    output_dir="out",
    per_device_train_batch_size=4,
    gradient_accumulation_steps=8,
    bf16=True,
    learning_rate=2e-5,
    num_train_epochs=3,
    optim="adamw_torch",
)
Trainer(model=model, args=args, train_dataset=data).train()
