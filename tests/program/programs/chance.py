import datetime
import platform
import random
import time

import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

random.seed(time.time())
batch = random.choice([2, 4])
late = datetime.datetime.now().hour >= 0
name = "org/base" if platform.system() != "Nowhere" else "org/other"
free, total = torch.cuda.mem_get_info()
accum = 4 if total > 40 * 1024**3 else 16
bf16 = torch.cuda.is_bf16_supported()
major, _ = torch.cuda.get_device_capability()
attention = "flash_attention_2" if major >= 8 else "eager"
shuffled = ["a", "b"]
random.shuffle(shuffled)
devices = torch.cuda.device_count()
Trainer(
    AutoModelForCausalLM.from_pretrained(name, attn_implementation=attention, revision=shuffled[0]),
    TrainingArguments(
        "out", per_device_train_batch_size=batch, gradient_accumulation_steps=accum // max(devices, 1), bf16=bf16, fp16=not bf16, do_eval=late
    ),
).train()
