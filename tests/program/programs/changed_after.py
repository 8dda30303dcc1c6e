import sys

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

args = TrainingArguments(output_dir="out", per_device_train_batch_size=8, bf16=True)
same = args
same.per_device_train_batch_size = 2
setattr(args, "gradient_checkpointing", True)
for key, value in {"optim": "adafactor", "seed": 3}.items():
    setattr(args, key, value)
if "--long" in sys.argv:
    args.per_device_train_batch_size //= 2
    args.gradient_accumulation_steps *= 4
model = AutoModelForCausalLM.from_pretrained("org/base")
model.config.use_cache = False
trainer = Trainer(model=model, args=args)
trainer.args.max_steps = 10
trainer.train()
