from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

try:
    import flash_attn_of_nobody  # noqa: F401

    attention = "flash_attention_2"
    batch = 8
except ImportError:
    attention = "sdpa"
    batch = 4
else:
    batch += 1
finally:
    accum = 64 // 4

try:
    from bitsandbytes.optim import AdamW8bit as Optimizer
except (ImportError, OSError):
    from torch.optim import AdamW as Optimizer

model = AutoModelForCausalLM.from_pretrained("org/base", attn_implementation=attention)
optimizer = Optimizer(model.parameters(), lr=1e-4)
Trainer(
    model=model,
    args=TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=accum),
    optimizers=(optimizer, None),
).train()
