from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

scale = lambda base, by=2: base * by  # noqa: E731
rules = [lambda b: b + 1, lambda b: b * 3, lambda b: b - 2]
batch = 4
for rule in rules:
    batch = rule(batch)
late = [lambda: n for n in range(3)]
early = [lambda n=n: n for n in range(3)]
sizes = sorted(["70b", "7b", "13b"], key=lambda s: int(s[:-1]))
kept = list(filter(lambda s: s != "13b", sizes))
doubled = list(map(scale, [1, 2]))
biggest = max(kept, key=len)
Trainer(
    (lambda name: AutoModelForCausalLM.from_pretrained(name, num_hidden_layers=late[0]() + early[1]()))(f"org/{kept[-1]}-{biggest}"),
    TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=doubled[1] or 1, seed=scale(3, by=3)),
).train()
