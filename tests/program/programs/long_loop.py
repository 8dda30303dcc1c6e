from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

total = 0
for n in range(200):
    total += n
names = [f"org/{n}" for n in range(150)]
last = names[-1]
found = None
for name in names:
    if name == "org/149":
        found = name
batch = 0
while batch < 1000:
    batch += 7
biggest = {n: n * n for n in range(100)}
Trainer(
    AutoModelForCausalLM.from_pretrained(found or "org/none", revision=last),
    TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=total, seed=biggest[99], max_steps=len(names)),
).train()
