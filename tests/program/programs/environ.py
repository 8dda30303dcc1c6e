import os
from os import environ, getenv

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

MODEL = os.environ.get("MODEL_NAME", "org/base-1b")
batch = int(getenv("BATCH_SIZE") or 4)
os.environ.setdefault("ACCUM", "8")
environ["WANDB_DISABLED"] = "true"
world = int(os.environ.get("WORLD_SIZE", 1))
ddp = world != 1
accum = int(os.environ["ACCUM"])
device_map = "auto"
if ddp:
    device_map = {"": int(os.environ.get("LOCAL_RANK") or 0)}
    accum = accum // world
bf16 = os.environ.get("USE_BF16", "1").lower() in ("1", "true", "yes")
model = AutoModelForCausalLM.from_pretrained(MODEL, device_map=device_map)
Trainer(model, TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=accum, bf16=bf16)).train()
