from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

batch = 1
while batch * 2 <= 12:
    batch *= 2
total = 0
for size in (3, 5, 7):
    if size == 5:
        continue
    total += size
for step in range(10, 0, -3):
    last = step
for candidate in ["org/a", "org/b", "org/c"]:
    if candidate.endswith("b"):
        break
else:
    candidate = "org/none"
for n in range(3):
    for m in range(2):
        total += n * m
        if m > n:
            break
    else:
        batch += 1
i = 0
while True:
    i += 1
    if i % 7 == 0:
        break
seen = 0
for seen, _ in enumerate(range(100), start=1):
    pass
model = AutoModelForCausalLM.from_pretrained(candidate, num_hidden_layers=last)
Trainer(
    model,
    TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=total, max_steps=i, logging_steps=seen),
).train()
