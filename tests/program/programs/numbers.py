import math

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

tokens, length, gpus, micro = 2**19, 4_096, 8, 2
accum = tokens // (length * gpus * micro)
assert tokens % (length * gpus) == 0
warmup = round(0.03 * 1000 + 0.5)
steps = math.ceil(10_000 / 64)
odd = -7 // 2
rest = -7 % 3
shifted = 1 << 5 | 3 & 6 ^ 1
chained = 1 < micro <= 2 != 3
lr = float("3e-4") * min(1, 0.5)
batch = int(8.9) + int("0b11", 0) + True
power = math.sqrt(64) ** 2 // 1
quotient, remainder = divmod(17, 5)
bank = round(2.5)
flag = bool("False")
nothing = not 0.0
Trainer(
    AutoModelForCausalLM.from_pretrained("org/base", num_hidden_layers=abs(odd), rest=rest, power=power, bank=bank),
    TrainingArguments(
        "out",
        per_device_train_batch_size=batch,
        gradient_accumulation_steps=accum,
        warmup_steps=warmup,
        max_steps=steps,
        learning_rate=lr,
        seed=shifted,
        bf16=chained,
        gradient_checkpointing=flag,
        save_steps=quotient + remainder,
        do_eval=nothing,
    ),
).train()
